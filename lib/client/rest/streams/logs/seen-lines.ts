import { RingBuffer } from '../../../../kernel/data/ring-buffer.ts';

/** So many of the last lines are recognised after a cut connection. */
const REMEMBERED_LINES = 1024;

/** A line of a log with its time in front, as a node sends it. */
export interface TimedLine {
  readonly time: string;
  readonly text: string;
}

/** Splits `2026-01-31T12:00:00.123456789Z text`. A line without a time has none. */
export function timedLine(line: string): TimedLine {
  const end = line.indexOf(' ');
  const time = end === -1 ? line : line.slice(0, end);
  if (!/^\d{4}-\d\d-\d\dT[\d:.]{8,}(?:Z|[+-]\d\d:\d\d)$/.test(time))
    return { time: '', text: line };
  return { time, text: end === -1 ? '' : line.slice(end + 1) };
}

/**
 * Distinguishes lines that were given from new ones when a log is read again from a time on.
 *
 * A node answers from the second of the asked time on, so it sends lines again, also several of one time, and lines of two outputs may be
 * some microseconds out of order. Lines are recognised by their times, each as often as it was given. Of the last 1024 lines no new one is
 * dropped; what is older than those counts as given.
 */
export class SeenLines {
  readonly #times = new RingBuffer<string>(REMEMBERED_LINES);
  /** How often each time is expected again; undefined while no line can repeat. */
  #repeats: Map<string, number> | undefined;
  #oldest = '';
  /** A line of a later second cannot be followed by repeats. */
  #newestSecond = '';

  /** The time of the newest line that was given; undefined for none. */
  get newest(): string | undefined {
    let newest: string | undefined;
    for (const time of this.#times) {
      if (newest === undefined || instant(time) > instant(newest)) newest = time;
    }
    return newest;
  }

  /** The log is read again: lines may repeat from now on. */
  resumed(): void {
    const repeats = new Map<string, number>();
    let oldest: string | undefined;
    let newest = '';
    for (const time of this.#times) {
      const key = instant(time);
      if (key > newest) newest = key;
      repeats.set(key, (repeats.get(key) ?? 0) + 1);
      if (oldest === undefined || key < oldest) oldest = key;
    }
    this.#oldest = oldest ?? '';
    this.#newestSecond = secondOf(newest);
    this.#repeats = repeats;
  }

  /** Whether a line is new; it counts as given then. */
  take({ time }: TimedLine): boolean {
    if (time === '') return true;
    if (this.#repeats !== undefined && this.#isRepeat(instant(time), this.#repeats)) return false;
    this.#times.push(time);
    if (this.#times.size > REMEMBERED_LINES) this.#times.shift();
    return true;
  }

  #isRepeat(key: string, repeats: Map<string, number>): boolean {
    if (secondOf(key) > this.#newestSecond) {
      // The clock of a node may be put back later on.
      this.#repeats = undefined;
      return false;
    }
    if (key < this.#oldest) return true;
    const count = repeats.get(key);
    if (count === undefined) return false;
    if (count === 1) repeats.delete(key);
    else repeats.set(key, count - 1);
    if (repeats.size === 0) this.#repeats = undefined;
    return true;
  }
}

function secondOf(key: string): string {
  return key.slice(0, key.indexOf('.'));
}

/** A text that sorts as the time does, with nanoseconds: nodes write times in their own zone. */
export function instant(time: string): string {
  const [, fraction = ''] = /\.(\d+)/.exec(time) ?? [];
  const seconds = Math.floor(Date.parse(time) / 1000);
  return `${String(seconds).padStart(12, '0')}.${fraction.padEnd(9, '0')}`;
}
