import { ListwatchError } from '../../kernel/failure/errors.ts';
import { rejectUnknownOptions } from '../../kernel/options/options.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import { DelayHeap } from './keys/delay-heap.ts';
import { QueueMetrics } from './queue-metrics.ts';
import { WorkQueue, workQueueOptionNames, type WorkQueueOptions } from './work-queue.ts';

/** Maximum number of keys added in one task, when many become ready at the same time. */
const LONGEST_SLICE = 1024;

/** Used in place of the timer's time while ready keys are being added. */
const UNDER_WAY = -Infinity;

/**
 * A work queue with delayed adds.
 *
 * Guarantees, beyond those of `WorkQueue`:
 * - A key has at most one delayed add. Adding it again with a delay can only make it earlier.
 * - An immediate `add` does not cancel a delayed one.
 * - Keys that become ready at the same time are added in slices, so that many of them do not block the event loop.
 * - There is at most one timer, regardless of the number of delayed keys. Memory: one entry for each delayed key.
 *
 * Not guaranteed: delayed keys that are not ready when the queue is closed are dropped.
 * @see client-go util/workqueue/delaying_queue.go @ 32ce75a7
 */
export class DelayingQueue<K = string> extends WorkQueue<K> {
  readonly #runtime: Runtime;
  readonly #metrics: QueueMetrics;
  readonly #delayed = new DelayHeap<K>();
  #timer: Timer | undefined;
  #timerAtMs = Infinity;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: WorkQueueOptions = {}) {
    rejectUnknownOptions('DelayingQueue', options, workQueueOptionNames);
    super(options);
    this.#runtime = options.runtime ?? realRuntime;
    this.#metrics = new QueueMetrics(this.name, options);
  }

  /** Number of keys whose delay is not over. */
  get delayed(): number {
    return this.#delayed.size;
  }

  /**
   * Adds the key after `delayMs`; if that is 0 or less, at once. Ignored once the queue is closing.
   * @throws {ListwatchError} code INVALID_OPTION when the delay is not a finite number.
   */
  addAfter(key: K, delayMs: number): void {
    if (!Number.isFinite(delayMs)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `${this.name}: addAfter of ${String(key)}: the delay must be a finite number of milliseconds, not ${delayMs}`,
      );
    }
    if (this.closing) return;
    this.#metrics.retried();
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    this.#delayed.put(key, this.#runtime.monotonicMs() + delayMs);
    this.#arm();
  }

  /** Both `close` and `destroy` drop the delayed keys. */
  protected override refuseKeys(): void {
    this.#delayed.clear();
    this.#arm();
    super.refuseKeys();
  }

  #arm(): void {
    const earliestMs = this.#delayed.earliestMs;
    if (earliestMs === this.#timerAtMs || this.#timerAtMs === UNDER_WAY) return;
    this.#timer?.cancel();
    this.#timerAtMs = earliestMs;
    this.#timer =
      earliestMs === Infinity
        ? undefined
        : this.#runtime.setTimer(earliestMs - this.#runtime.monotonicMs(), this.#addReady);
  }

  readonly #addReady = (): void => {
    this.#timerAtMs = UNDER_WAY;
    const nowMs = this.#runtime.monotonicMs();
    for (let left = LONGEST_SLICE; left > 0; left -= 1) {
      const ready = this.#delayed.takeReady(nowMs);
      if (ready === undefined) {
        this.#timerAtMs = Infinity;
        this.#arm();
        return;
      }
      this.add(ready.key);
    }
    this.#runtime.queueTask(this.#addReady);
  };
}
