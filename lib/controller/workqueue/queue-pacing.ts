import { is, optionsOf, type OptionsSchema } from '../../kernel/options/options-schema.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import { DelayedKeys } from './keys/delayed-keys.ts';
import type { HeldBackKey } from './queue-inspection.ts';

/** How fast keys go through a queue. */
export interface QueuePacingOptions {
  /**
   * A key that is added waits until it was not added for this long, milliseconds. Retries and delayed keys do not wait. For objects that change
   * many times in a row, of which only the last state matters. @defaultValue 0: no wait
   */
  readonly debounceMs?: number | undefined;
  /** Longest wait of a key that is added again and again, milliseconds. @defaultValue 10 × debounceMs */
  readonly maxDebounceMs?: number | undefined;
  /** Shortest time from one run of a key to its next, start to start, milliseconds. @defaultValue 0: no limit */
  readonly minIntervalMs?: number | undefined;
  /** Largest number of runs per second, of all keys together. @defaultValue Infinity */
  readonly maxPerSecond?: number | undefined;
  /** Number of runs after a quiet time before `maxPerSecond` applies. @defaultValue the runs of one second, at least 1 */
  readonly burst?: number | undefined;
}

export const QUEUE_PACING: OptionsSchema<
  QueuePacingOptions,
  'debounceMs' | 'minIntervalMs' | 'maxPerSecond'
> = optionsOf<QueuePacingOptions>()('DelayingQueue', {
  debounceMs: is.number({ min: 0 }).default(0),
  maxDebounceMs: is.number({ min: 0 }),
  minIntervalMs: is.number({ min: 0 }).default(0),
  maxPerSecond: is.number({ min: 0.001 }).default(Infinity),
  burst: is.number({ min: 1 }),
});

/** Tokens that binary fractions may lack. */
const ROUNDING = 1e-9;

export interface QueuePacerHooks<K> {
  /** Adds a key that has waited long enough. */
  readonly add: (key: K, priority: number) => void;
  /** The next key may be taken. */
  readonly wake: () => void;
}

interface Debounced {
  readonly firstAtMs: number;
  lastAtMs: number;
}

/**
 * Holds keys back before they enter a queue (debounce) or when they are about to leave it (limits).
 *
 * Memory: an entry for each key that is held back, and for each key that was taken within `minIntervalMs`.
 */
export class QueuePacer<K> {
  readonly #runtime: Runtime;
  readonly #hooks: QueuePacerHooks<K>;
  readonly #debounceMs: number;
  readonly #maxDebounceMs: number;
  readonly #minIntervalMs: number;
  readonly #perMs: number;
  readonly #burst: number;
  readonly #moments = new Map<K, Debounced>();
  readonly #debounced: DelayedKeys<K>;
  readonly #limited: DelayedKeys<K>;
  /** When each key was last taken, the earliest first. */
  readonly #takenAtMs = new Map<K, number>();
  #tokens: number;
  #refilledAtMs: number;
  #timer: Timer | undefined;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: QueuePacingOptions, runtime: Runtime, hooks: QueuePacerHooks<K>) {
    const { debounceMs, maxDebounceMs, minIntervalMs, maxPerSecond, burst } =
      QUEUE_PACING.read(options);
    this.#runtime = runtime;
    this.#hooks = hooks;
    this.#debounceMs = debounceMs;
    this.#maxDebounceMs = is
      .number({ min: debounceMs })
      .default(10 * debounceMs)
      .read('DelayingQueue', 'maxDebounceMs', maxDebounceMs);
    this.#minIntervalMs = minIntervalMs;
    this.#perMs = maxPerSecond / 1000;
    this.#burst = burst ?? Math.max(1, maxPerSecond);
    this.#tokens = this.#burst;
    this.#refilledAtMs = runtime.monotonicMs();
    this.#debounced = new DelayedKeys(runtime, this.#pass);
    this.#limited = new DelayedKeys(runtime, hooks.add);
  }

  /** The pacer for these options; undefined if they ask for nothing. @throws {ListwatchError} code INVALID_OPTION. */
  static for<K>(
    options: QueuePacingOptions,
    runtime: Runtime,
    hooks: QueuePacerHooks<K>,
  ): QueuePacer<K> | undefined {
    const { debounceMs, minIntervalMs, maxPerSecond } = QUEUE_PACING.read(options);
    const wanted = debounceMs > 0 || minIntervalMs > 0 || maxPerSecond < Infinity;
    return wanted ? new QueuePacer(options, runtime, hooks) : undefined;
  }

  /** Number of keys that are held back. */
  get size(): number {
    return this.#debounced.size + this.#limited.size;
  }

  /** Whether an added key is held back for now. */
  debounces(key: K, priority: number): boolean {
    if (this.#debounceMs === 0) return false;
    const nowMs = this.#runtime.monotonicMs();
    const known = this.#moments.get(key);
    if (known === undefined) this.#moments.set(key, { firstAtMs: nowMs, lastAtMs: nowMs });
    else known.lastAtMs = nowMs;
    this.#debounced.put(key, nowMs + this.#debounceMs, priority);
    return true;
  }

  /** Whether a key may be taken now; if not, `wake` is called when the time has come. */
  ready(): boolean {
    if (this.#perMs === Infinity) return true;
    const nowMs = this.#runtime.monotonicMs();
    const refilled = this.#tokens + (nowMs - this.#refilledAtMs) * this.#perMs;
    this.#tokens = Math.min(this.#burst, refilled);
    this.#refilledAtMs = nowMs;
    if (this.#tokens >= 1 - ROUNDING) return true;
    this.#timer ??= this.#runtime.setTimer((1 - this.#tokens) / this.#perMs, () => {
      this.#timer = undefined;
      this.#hooks.wake();
    });
    return false;
  }

  /** Whether this key may be taken; if not, it is added again when its time has come. */
  passes(key: K, priority: number): boolean {
    if (this.#minIntervalMs === 0) return true;
    const nowMs = this.#runtime.monotonicMs();
    this.#forgetOver(nowMs);
    const takenAtMs = this.#takenAtMs.get(key);
    if (takenAtMs === undefined) {
      this.#takenAtMs.set(key, nowMs);
      return true;
    }
    this.#limited.put(key, takenAtMs + this.#minIntervalMs, priority);
    return false;
  }

  /** Counts a key that is taken. */
  spend(): void {
    this.#tokens -= 1;
  }

  /** Keys that are held back. */
  earliest(limit: number, nowMs: number): HeldBackKey<K>[] {
    const listed = (keys: DelayedKeys<K>, why: HeldBackKey['why']): HeldBackKey<K>[] =>
      keys
        .earliest(limit)
        .map(({ key, priority, readyAtMs }) => ({ key, priority, inMs: readyAtMs - nowMs, why }));
    return [...listed(this.#debounced, 'debounce'), ...listed(this.#limited, 'limit')];
  }

  /** Adds all keys that are held back now. */
  flush(): void {
    this.#moments.clear();
    this.#debounced.flush();
    this.#limited.flush();
  }

  /** Drops and returns the keys that are held back. */
  clear(): readonly K[] {
    this.#moments.clear();
    this.#timer?.cancel();
    this.#timer = undefined;
    return [...this.#debounced.clear(), ...this.#limited.clear()];
  }

  /** Passes a key on, unless it was added again since its time was set. */
  readonly #pass = (key: K, priority: number): void => {
    const moment = this.#moments.get(key);
    if (moment !== undefined) {
      const { firstAtMs, lastAtMs } = moment;
      const dueMs = Math.min(lastAtMs + this.#debounceMs, firstAtMs + this.#maxDebounceMs);
      if (dueMs > this.#runtime.monotonicMs()) {
        this.#debounced.put(key, dueMs, priority);
        return;
      }
    }
    this.#moments.delete(key);
    this.#hooks.add(key, priority);
  };

  /** Computes the end of an interval as `passes` does: rounded in another way, a key would be over for one and not for the other. */
  #forgetOver(nowMs: number): void {
    for (const [key, takenAtMs] of this.#takenAtMs) {
      if (takenAtMs + this.#minIntervalMs > nowMs) break;
      this.#takenAtMs.delete(key);
    }
  }
}
