import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { isListwatchError } from '../../kernel/failure/errors.ts';
import { isConflict } from '../../meta/failure/failures.ts';
import { ReconcileLoop, type ReconcileContext } from '../runtime/reconcile-loop.ts';
import { RateLimitingQueue } from '../workqueue/rate-limiting-queue.ts';
import type { ObjectTasksInspection } from './object-daemons.ts';

export interface EveryOptions {
  /** The name in messages, metrics and in `inspect`. @defaultValue e.g. `every 60000 ms` */
  readonly name?: string | undefined;
  /** Milliseconds from the creation of an object, or the start of the controller, to the first run. @defaultValue a random part of the interval */
  readonly initialDelayMs?: number | undefined;
  /** Maximum number of objects for which it runs at the same time. @defaultValue 1 */
  readonly concurrency?: number | undefined;
  /** Longest run, milliseconds; its signal aborts then. @defaultValue 300 000 */
  readonly timeoutMs?: number | undefined;
}

const TIMER = optionsOf<EveryOptions>()('controller.every', {
  name: is.text(),
  initialDelayMs: is.number({ min: 0 }),
  concurrency: is.integer({ min: 1 }),
  timeoutMs: is.number({ min: 1 }),
});
const INTERVAL = is.number({ min: 1 }).required;

export interface ObjectTimerOptions {
  readonly controller: string;
  readonly intervalMs: number;
  readonly options: EveryOptions;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly metrics: Metrics | undefined;
  /** One run; resolves to the time until the next one where it asks for one, or to `gone`. */
  readonly work: (key: string, context: ReconcileContext) => Promise<number | undefined | 'gone'>;
}

/**
 * Runs for each object at an interval, from the end of one run to the beginning of the next. A failed run is repeated after a back-off, and one
 * that is terminal after the interval.
 */
export class ObjectTimer {
  readonly name: string;
  readonly #options: ObjectTimerOptions;
  readonly #queue: RateLimitingQueue;
  readonly #loop: ReconcileLoop;
  readonly #intervalMs: number;
  readonly #initialDelayMs: number | undefined;
  #failures = 0;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: ObjectTimerOptions) {
    const { controller, runtime, logger, metrics, work } = options;
    const { name: given, initialDelayMs, concurrency, timeoutMs } = TIMER.read(options.options);
    this.#intervalMs = INTERVAL.read('controller.every', 'intervalMs', options.intervalMs);
    this.name = given ?? `every ${this.#intervalMs} ms`;
    this.#initialDelayMs = initialDelayMs;
    this.#options = options;
    const name = `${controller}: ${this.name}`;
    this.#queue = new RateLimitingQueue({ name, runtime, logger, metrics });
    this.#loop = new ReconcileLoop({
      queue: this.#queue,
      reconcile: async ({ key }, context) => {
        const next = await this.#counted(key, work(key, context));
        return next === 'gone' ? {} : { requeueAfterMs: next || this.#intervalMs };
      },
      isExpected: isConflict,
      concurrency,
      timeoutMs,
      runtime,
      logger,
      metrics,
    });
  }

  /** Reports to these metrics from now on, in place of those of the options. */
  reportTo(metrics: Metrics): void {
    this.#loop.reportTo(metrics);
  }

  /** An object is there. */
  want(key: string): void {
    const delayMs = this.#initialDelayMs ?? this.#options.runtime.random() * this.#intervalMs;
    this.#queue.addAfter(key, delayMs);
  }

  /** Runs until the signal aborts. @throws {ListwatchError} code TIMEOUT naming runs that did not end. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#loop.run({ signal });
  }

  /** Ends one that does not run; the delays of its objects would hold the process. */
  close(): void {
    this.#queue.destroy();
  }

  pause(): void {
    this.#loop.pause();
  }

  resume(): void {
    this.#loop.resume();
  }

  inspect(): ObjectTasksInspection {
    const { name } = this;
    const waiting = this.#queue.size + this.#queue.delayed;
    return { name, running: this.#loop.running, waiting, failures: this.#failures };
  }

  async #counted<R>(key: string, work: Promise<R>): Promise<R> {
    try {
      return await work;
    } catch (error) {
      this.#failures += 1;
      // The loop does not repeat it, and the change of an object is no reason for a timer.
      if (isListwatchError(error, 'RECONCILE_TERMINAL'))
        this.#queue.addAfter(key, this.#intervalMs);
      throw error;
    }
  }
}
