import { deferred, type Deferred } from '../../../kernel/time/latch.ts';
import { RingBuffer } from '../../../kernel/data/ring-buffer.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';
import type { CacheWatcher } from './cache-watcher.ts';
import type { IndexedWatchers } from './indexed-watchers.ts';
import type { WatchCacheEvent } from '../window/watch-cache-event.ts';

interface TimeBudgetOptions {
  /** Milliseconds gained per second. @defaultValue 50 */
  readonly perSecondMs?: number | undefined;
  /** Maximum budget. @defaultValue 100 */
  readonly maxMs?: number | undefined;
}

/**
 * Time that may be spent waiting for slow watchers. It accrues slowly and is capped, so that slow watchers together delay the
 * others by a bounded share of time.
 * @see apiserver pkg/storage/cacher/time_budget.go @ 24a394e
 */
export class TimeBudget {
  readonly #runtime: Runtime;
  readonly #perSecondMs: number;
  readonly #maxMs: number;
  #availableMs: number;
  #countedAtMs: number;

  constructor(runtime: Runtime, { perSecondMs = 50, maxMs = 100 }: TimeBudgetOptions = {}) {
    this.#runtime = runtime;
    this.#perSecondMs = perSecondMs;
    this.#maxMs = maxMs;
    this.#availableMs = maxMs;
    this.#countedAtMs = runtime.monotonicMs();
  }

  /** Takes the whole available budget. */
  takeAvailable(): number {
    this.#accrue();
    const takenMs = this.#availableMs;
    this.#availableMs = 0;
    return takenMs;
  }

  /** Returns the unused part. */
  returnUnused(unusedMs: number): void {
    this.#accrue();
    if (unusedMs > 0) this.#availableMs = Math.min(this.#maxMs, this.#availableMs + unusedMs);
  }

  #accrue(): void {
    const nowMs = this.#runtime.monotonicMs();
    const gainedMs = ((nowMs - this.#countedAtMs) / 1000) * this.#perSecondMs;
    this.#availableMs = Math.min(this.#maxMs, this.#availableMs + gainedMs);
    this.#countedAtMs = nowMs;
  }
}

/**
 * Maximum number of changes queued while slow watchers are waited for; beyond it the source has to wait (cacher.go incoming @
 * 24a394e).
 */
const INCOMING_CAPACITY = 100;

export interface EventDispatcherOptions<T extends KubernetesObject> {
  readonly runtime: Runtime;
  readonly watchers: IndexedWatchers<T>;
  /** Called for each watcher that is about to be terminated because its reader is too slow. */
  readonly onSlow: (watcher: CacheWatcher<T>) => void;
}

/**
 * Passes each change to the watchers that it may concern, in order, one change after the other.
 *
 * If the queues of some watchers are full, it waits for all of them together, as long as the time budget allows. Watchers that
 * are still full then are terminated, and their clients have to resume. Slow watchers therefore cost the others a bounded share of time.
 *
 * Guarantees:
 * - While no queue is full, a change is in all queues when `dispatch` returns.
 * - Before a watcher is terminated, its reader has a full turn of the event loop to make room.
 * - Every watcher has been offered all events up to `dispatchedRevision`.
 * @see apiserver pkg/storage/cacher/cacher.go dispatchEvent @ 24a394e
 */
export class EventDispatcher<T extends KubernetesObject> {
  readonly #options: EventDispatcherOptions<T>;
  readonly #budget: TimeBudget;
  readonly #incoming = new RingBuffer<WatchCacheEvent<T>>();
  readonly #blocked = new Set<CacheWatcher<T>>();
  /** Number of restarts, so that a wait from before a restart has no effect after it. */
  #epoch = 0;
  #busy = false;
  #dispatchedRevision: Revision = 0n;
  #reachedRevision: Revision = 0n;
  #room: Deferred<void> | undefined;

  constructor(options: EventDispatcherOptions<T>) {
    this.#options = options;
    this.#budget = new TimeBudget(options.runtime);
  }

  /** Whether it waits for slow watchers. */
  get busy(): boolean {
    return this.#busy;
  }

  get dispatchedRevision(): Revision {
    return this.#dispatchedRevision;
  }

  dispatch(event: WatchCacheEvent<T>): void {
    this.#reachedRevision = event.revision;
    if (this.#busy) {
      this.#incoming.push(event);
      return;
    }
    this.#offerToAll(event);
    if (this.#blocked.size > 0) void this.#catchUp(event);
    else this.#dispatchedRevision = event.revision;
  }

  /** Records that there is no further change up to `revision`. */
  reach(revision: Revision): void {
    this.#reachedRevision = revision;
    if (!this.#busy) this.#dispatchedRevision = revision;
  }

  /** Starts again at `revision`; queued changes are dropped. The previous watchers must have been terminated. */
  restart(revision: Revision): void {
    this.#epoch += 1;
    this.#busy = false;
    this.#incoming.clear();
    this.#blocked.clear();
    this.reach(revision);
    this.#announceRoom();
  }

  /** A promise while too many changes are queued; undefined when there is room. */
  waitForRoom(): Promise<void> | undefined {
    if (this.#incoming.size < INCOMING_CAPACITY) return undefined;
    this.#room ??= deferred<void>();
    return this.#room.promise;
  }

  #offerToAll(event: WatchCacheEvent<T>): void {
    this.#options.watchers.visitCandidates(event, (watcher) => {
      if (!watcher.offer(event)) this.#blocked.add(watcher);
    });
  }

  /** Waits until all watchers have `event`, and then repeats that for each change that was queued meanwhile. */
  async #catchUp(event: WatchCacheEvent<T>): Promise<void> {
    const epoch = this.#epoch;
    this.#busy = true;
    let next: WatchCacheEvent<T> | undefined = event;
    while (next !== undefined) {
      if (this.#blocked.size > 0) await this.#waitForBlocked(next);
      if (this.#epoch !== epoch) return;
      this.#dispatchedRevision = next.revision;
      next = this.#incoming.shift();
      if (this.#incoming.size < INCOMING_CAPACITY) this.#announceRoom();
      if (next !== undefined) this.#offerToAll(next);
    }
    this.#busy = false;
    this.#dispatchedRevision = this.#reachedRevision;
  }

  /** Waits until each blocked watcher has taken the change or was terminated. */
  async #waitForBlocked(event: WatchCacheEvent<T>): Promise<void> {
    const { runtime, onSlow } = this.#options;
    const budgetMs = this.#budget.takeAvailable();
    const startedAtMs = runtime.monotonicMs();
    const allServed = deferred<void>();
    for (const watcher of this.#blocked) {
      watcher.whenRoom(() => {
        watcher.offer(event);
        this.#blocked.delete(watcher);
        if (this.#blocked.size === 0) allServed.resolve();
      });
    }
    let expired = false;
    const timer = runtime.setTimer(
      budgetMs,
      () => {
        // After a long task, the event loop runs late timers before the readers; this lets the readers run first.
        runtime.queueTask(() => {
          if (expired) return;
          for (const watcher of this.#blocked) {
            onSlow(watcher);
            watcher.end();
          }
        });
      },
      { background: true },
    );
    await allServed.promise;
    expired = true;
    timer.cancel();
    this.#budget.returnUnused(budgetMs - (runtime.monotonicMs() - startedAtMs));
  }

  #announceRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
