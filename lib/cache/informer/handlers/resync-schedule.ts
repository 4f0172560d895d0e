import { is } from '../../../kernel/options/options-schema.ts';
import type { LogFields } from '../../../kernel/report/logger.ts';

/** The least interval of a handler (client-go shared_informer.go minimumResyncPeriod @ 32ce75a7). */
const SHORTEST_INTERVAL_MS = 1000;

const INTERVAL = is.number({ min: 0 });

/** A timer may fire early by this time of the monotonic clock, milliseconds. */
const TIMER_SLACK_MS = 5;

/** The resyncs of one handler. */
export interface ResyncEntry {
  /** The effective interval, milliseconds; 0 for never. */
  readonly intervalMs: number;
  /** Whether the handler gets the resync of the last tick. */
  readonly due: boolean;
}

interface MutableEntry extends ResyncEntry {
  nextMs: number;
  due: boolean;
}

export interface ResyncScheduleOptions {
  /** The interval of the informer; 0 for never, even if handlers ask for one. */
  readonly intervalMs: number;
  readonly onWarning: (message: string, fields: LogFields) => void;
}

/**
 * Determines which handlers get a resync, and when.
 *
 * The informer checks at a fixed interval. A handler gets its resync at the first check after its own interval has passed, so
 * its effective interval is rounded up to a multiple. A handler with a shorter interval shortens the interval of the checks,
 * but only before the informer starts.
 * @see client-go tools/cache/shared_informer.go determineResyncPeriod, shouldResync @ 32ce75a7
 */
export class ResyncSchedule {
  readonly #defaultMs: number;
  readonly #onWarning: (message: string, fields: LogFields) => void;
  readonly #entries = new Set<MutableEntry>();
  #checkIntervalMs: number;
  #frozen = false;

  constructor({ intervalMs, onWarning }: ResyncScheduleOptions) {
    this.#defaultMs = intervalMs;
    this.#checkIntervalMs = intervalMs;
    this.#onWarning = onWarning;
  }

  /** The interval of the checks, milliseconds; 0 for never. */
  get checkIntervalMs(): number {
    return this.#checkIntervalMs;
  }

  /** The informer starts: from now on its interval does not change. */
  freeze(): void {
    this.#frozen = true;
  }

  /**
   * Adds a handler. Without `requestedMs` it gets the interval of the informer.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  add(handler: string, requestedMs: number | undefined, nowMs: number): ResyncEntry {
    let wantedMs = INTERVAL.read(handler, 'resyncIntervalMs', requestedMs) ?? this.#defaultMs;
    if (wantedMs > 0 && wantedMs < SHORTEST_INTERVAL_MS) wantedMs = SHORTEST_INTERVAL_MS;
    if (wantedMs > 0 && wantedMs < this.#checkIntervalMs && !this.#frozen) {
      // Earlier handlers have intervals at least as long, so their entries do not change.
      this.#checkIntervalMs = wantedMs;
    }
    const intervalMs =
      wantedMs === 0 || this.#checkIntervalMs === 0 ? 0 : Math.max(wantedMs, this.#checkIntervalMs);
    if (wantedMs > 0 && intervalMs !== wantedMs) {
      this.#onWarning(
        intervalMs === 0
          ? 'the handler gets no resync: its informer was made without resyncIntervalMs'
          : 'the handler gets fewer resyncs: its informer has started with a longer interval',
        { handler, wantedMs, intervalMs },
      );
    }
    const nextMs = nowMs + intervalMs;
    const entry = { intervalMs, nextMs, due: false };
    this.#entries.add(entry);
    return entry;
  }

  remove(entry: ResyncEntry): void {
    this.#entries.delete(entry as MutableEntry);
  }

  /** Marks the handlers that are due and says whether there are any. */
  tick(nowMs: number): boolean {
    let any = false;
    for (const entry of this.#entries) {
      entry.due = entry.intervalMs > 0 && nowMs + TIMER_SLACK_MS >= entry.nextMs;
      if (!entry.due) continue;
      entry.nextMs = nowMs + entry.intervalMs;
      any = true;
    }
    return any;
  }
}
