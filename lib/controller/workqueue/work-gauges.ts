import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import type { ItemsInWork } from './keys/items-in-work.ts';
import type { QueueMetrics } from './queue-metrics.ts';

/** How often the gauges of keys in work are reported. @see client-go util/workqueue/queue.go defaultUnfinishedWorkUpdatePeriod @ 32ce75a7 */
const PERIOD_MS = 500;

/** Reports how long keys are in work, as long as there are any. A short time in work does not start and stop a timer each time. */
export class WorkGauges<K> {
  readonly #runtime: Runtime;
  readonly #metrics: QueueMetrics;
  readonly #inWork: ItemsInWork<K>;
  #timer: Timer | undefined;

  constructor(runtime: Runtime, metrics: QueueMetrics, inWork: ItemsInWork<K>) {
    this.#runtime = runtime;
    this.#metrics = metrics;
    this.#inWork = inWork;
  }

  /** Called when a key is taken. */
  begin(): void {
    this.#timer ??= this.#runtime.setTimer(PERIOD_MS, this.#report, { background: true });
  }

  /** The last report. */
  end(): void {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#metrics.inWork(0, 0);
  }

  readonly #report = (): void => {
    this.#timer = undefined;
    const nowMs = this.#runtime.monotonicMs();
    const busy = this.#inWork.size > 0;
    const longestMs = busy ? nowMs - this.#inWork.earliestMs : 0;
    this.#metrics.inWork(this.#inWork.unfinishedMs(nowMs), longestMs);
    if (busy) this.begin();
  };
}
