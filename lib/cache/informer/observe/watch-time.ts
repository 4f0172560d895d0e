import type { ReflectorTransition } from '../../reflector/options/reflector-report.ts';

/**
 * How long the reflectors of an informer have followed watches. An informer that joins a running cache learns of its watch at the
 * next change of state; until then the time counts from the start of the informer.
 */
export class WatchTime {
  readonly #clocks = new Set<ReflectorClock>();
  #startedAtMs: number | undefined;

  /** The informer runs from now on. */
  start(nowMs: number): void {
    this.#startedAtMs ??= nowMs;
  }

  /** The clock of one more reflector. */
  clock(): ReflectorClock {
    const clock = new ReflectorClock(this.#startedAtMs ?? 0, () => {
      // A namespace that is left counts no more; the only reflector still reports what it did.
      if (this.#clocks.size > 1) this.#clocks.delete(clock);
    });
    this.#clocks.add(clock);
    return clock;
  }

  /** @param connected whether a watch is open: a reflector that watches may still be opening it */
  inspect(
    nowMs: number,
    connected: boolean,
  ): { readonly watchAgeMs?: number | undefined; readonly watchingShare: number } {
    const sinceMs = this.#startedAtMs;
    if (sinceMs === undefined) return { watchingShare: 0 };
    const spanMs = Math.max(nowMs - sinceMs, Number.MIN_VALUE);
    if (this.#clocks.size === 0) {
      return connected ? { watchAgeMs: nowMs - sinceMs, watchingShare: 1 } : { watchingShare: 0 };
    }
    const clocks = [...this.#clocks];
    const ages = clocks.map((clock) => clock.ageMs(nowMs));
    const watched = clocks.reduce((sum, clock) => sum + clock.watchedMs(nowMs), 0);
    return {
      ...(ages.includes(undefined) || !connected
        ? {}
        : { watchAgeMs: Math.min(...(ages as number[])) }),
      watchingShare: Math.min(1, watched / clocks.length / spanMs),
    };
  }
}

/** The watches of one reflector. */
class ReflectorClock {
  readonly #countsFromMs: number;
  readonly #onStopped: () => void;
  #watchedMs = 0;
  #sinceMs: number | undefined;

  constructor(countsFromMs: number, onStopped: () => void) {
    this.#countsFromMs = countsFromMs;
    this.#onStopped = onStopped;
  }

  note({ from, to, durationMs }: ReflectorTransition, nowMs: number): void {
    if (from === 'watching') {
      this.#watchedMs += Math.min(durationMs, nowMs - this.#countsFromMs);
    }
    this.#sinceMs = to === 'watching' ? nowMs : undefined;
    if (to === 'stopped') this.#onStopped();
  }

  ageMs(nowMs: number): number | undefined {
    return this.#sinceMs === undefined ? undefined : nowMs - this.#sinceMs;
  }

  watchedMs(nowMs: number): number {
    return this.#watchedMs + (this.ageMs(nowMs) ?? 0);
  }
}
