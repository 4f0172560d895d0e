import { deriveAbort, onAbort } from '../../kernel/time/abort.ts';
import { isError, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import { thrownMessage } from '../../kernel/failure/frozen-remedy.ts';
import { runHook } from '../../kernel/report/run-hook.ts';
import { guardedLogger } from '../../kernel/report/guarded-logger.ts';
import { guardedMetrics, logFailedMetrics } from '../../kernel/report/guarded-metrics.ts';
import { Latch } from '../../kernel/time/latch.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { is, optionsOf, type FilledOptions } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { nextTask, withDeadline } from '../../kernel/time/wait.ts';
import type { WorkItem } from '../workqueue/keys/work-item.ts';
import type { DrainQueueOptions, DrainReport } from '../workqueue/queue-inspection.ts';
import type { RateLimitingQueue, RetryOptions } from '../workqueue/rate-limiting-queue.ts';
import { checkResult } from './check-result.ts';
import { ReconcileError } from './reconcile-error.ts';
import { ReconcileMetrics } from './reconcile-loop-metrics.ts';
import { ReconcileRun } from './reconcile-run.ts';

export interface ReconcileRequest<K = string> {
  readonly key: K;
  /** Consecutive failures of the key before this run: 0 on the first try. */
  readonly failures: number;
  /** The highest priority with which the key was added. */
  readonly priority: number;
}

export interface ReconcileContext {
  /**
   * Aborts when the loop stops, and when the run takes longer than `timeoutMs`: pass it on to every request. It is created when
   * it is read for the first time.
   */
  readonly signal: AbortSignal;
}

export interface ReconcileResult {
  /** Runs the key again after this time, as a success. 0 or left out: only after the next change. */
  readonly requeueAfterMs?: number | undefined;
  /** The priority of the run after `requeueAfterMs`. @defaultValue that of this run */
  readonly priority?: number | undefined;
}

/**
 * Brings the actual state closer to the state that the object of the key describes. It gets only the key, reads everything else
 * itself, and may run any number of times. If the object no longer exists, that is a success.
 */
export type Reconcile<K = string> = (
  request: ReconcileRequest<K>,
  context: ReconcileContext,
  // `void` allows an async function without a return statement.
  // oxlint-disable-next-line typescript/no-invalid-void-type
) => Promise<ReconcileResult | void>;

export interface ReconcileLoopOptions<K = string> {
  /** The source of the keys. The loop is its only consumer, and destroys it when it stops. */
  readonly queue: RateLimitingQueue<K>;
  readonly reconcile: Reconcile<K>;
  /** Called after every failed run. If it throws, the error is logged. @defaultValue the failure is logged */
  readonly onError?: ((error: ReconcileError) => void) | undefined;
  /**
   * Failures that are part of normal work, such as a conflict: the key is retried with back-off, and neither `onError` nor the log gets
   * them. @defaultValue none
   */
  readonly isExpected?: ((cause: unknown) => boolean) | undefined;
  /** The name of the loop in messages and metrics. @defaultValue the queue's name */
  readonly name?: string | undefined;
  /** Maximum number of concurrent runs, each for another key. @defaultValue 1 */
  readonly concurrency?: number | undefined;
  /**
   * Maximum number of retries of a key, as its rate limiter counts them. After that, the key is dropped until it is added
   * again. @defaultValue Infinity
   */
  readonly maxRetries?: number | undefined;
  /**
   * Longest run, in milliseconds. After that its signal aborts and the hook gets an error. A run that ignores the signal keeps its
   * key, because two runs of one key must not overlap; another worker takes the place of its own, up to 100 of them.
   * @defaultValue 300 000
   */
  readonly timeoutMs?: number | undefined;
  /** Longest wait at shutdown for runs in progress, in milliseconds. @defaultValue 30 000 */
  readonly shutdownTimeoutMs?: number | undefined;
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger: warnings and errors, on standard error */
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

const OPTIONS = optionsOf<ReconcileLoopOptions>()('ReconcileLoop', {
  // The queue may be of another copy of the package.
  queue: is.methods('a RateLimitingQueue', 'addRateLimited').required,
  reconcile: is.callback().required,
  onError: is.callback(),
  isExpected: is.callback(),
  name: is.text(),
  concurrency: is.integer({ min: 1, max: 10_000 }).default(1),
  maxRetries: is.integer({ min: 0 }).default(Infinity),
  timeoutMs: is.number({ min: 1 }).default(300_000),
  shutdownTimeoutMs: is.number({ min: 0 }).default(30_000),
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
  metrics: is.object(),
});
const REQUEUE_DELAY = is.number({ min: 0 }).default(0);
const RESULTS: readonly (keyof ReconcileResult)[] = ['requeueAfterMs', 'priority'];

/** Workers that take the place of those whose runs do not end. When so many do not end, the next ones hold their workers. */
const MOST_STAND_INS = 100;

/** The delay before a retry if the rate limiter throws, or returns something other than a number. */
const DELAY_WITHOUT_LIMITER_MS = 10_000;

export interface RunReconcilesOptions {
  /** Stops the loop. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The workers of a controller. Each takes a key, reconciles it, and decides by the outcome when the key runs again.
 *
 * | outcome | effect on the key |
 * |---|---|
 * | returns | the rate limiter forgets its failures |
 * | returns `requeueAfterMs` above 0 (below 0 is a failure) | the rate limiter forgets its failures; it runs again after that time |
 * | throws, or rejects | it runs again after the rate limiter's delay; the hook gets a `ReconcileError` |
 * | throws a `TerminalError`, or has used up `maxRetries` | the rate limiter forgets its failures; the hook gets a `ReconcileError` |
 *
 * Guarantees:
 * - No two runs of one key overlap.
 * - Each run is a task of its own, so a long queue does not delay input and output.
 * - A retry has the priority of the run that failed.
 * - A run that does not end holds its own key, and no other.
 * - An error of one run does not affect other keys. Nor does an error of the hook, the logger, the metrics or the rate limiter.
 */
export class ReconcileLoop<K = string> {
  readonly name: string;
  readonly #options: FilledOptions<
    ReconcileLoopOptions<K>,
    'concurrency' | 'maxRetries' | 'timeoutMs' | 'shutdownTimeoutMs'
  >;
  readonly #queue: RateLimitingQueue<K>;
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #metrics: ReconcileMetrics;
  readonly #running = new Map<K, ReconcileRun>();
  readonly #workers = new Set<Promise<void>>();
  /** Keys of runs that took too long: another worker has taken the place of theirs. */
  readonly #overdueKeys = new Set<K>();
  #gate: Latch | undefined;
  #started = false;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: ReconcileLoopOptions<K>) {
    const read = OPTIONS.read<ReconcileLoopOptions<K>>(options);
    const { queue, name = queue.name } = read;
    this.#options = read;
    this.name = name;
    this.#queue = queue;
    this.#runtime = read.runtime;
    this.#logger = guardedLogger(read.logger);
    this.#metrics = new ReconcileMetrics(this.name);
    if (read.metrics !== undefined) this.#reportTo(read.metrics);
  }

  /** Reports to these metrics from now on, in place of those of the options; so does its queue. */
  reportTo(metrics: Metrics): void {
    this.#reportTo(metrics);
    this.#queue.reportTo(metrics);
  }

  /** The keys that are being reconciled. */
  get running(): readonly K[] {
    return [...this.#running.keys()];
  }

  /**
   * Reconciles until the queue is closed and empty, or the signal aborts. On abort the queue is destroyed, the signals of running
   * reconciles abort, and the loop waits up to `shutdownTimeoutMs` for them.
   * @throws {ListwatchError} code TIMEOUT naming the runs that did not end; ALREADY_STARTED on a second call.
   */
  async run({ signal }: RunReconcilesOptions = {}): Promise<void> {
    if (this.#started) {
      throw new ListwatchError(
        'ALREADY_STARTED',
        `${this.name}: a reconcile loop runs once; make a new one`,
      );
    }
    this.#started = true;
    this.#metrics.allows(this.#options.concurrency);
    const stop = deriveAbort(signal);
    const stopped = new Latch(`${this.name} to be stopped`);
    const release = onAbort(stop.signal, () => {
      this.#queue.destroy();
      this.resume();
      stopped.open();
      this.#cutShort(stop.signal.reason);
    });
    for (let index = 0; index < this.#options.concurrency; index += 1) this.#hire(stop.signal);
    const workers = this.#allEnded();
    try {
      await Promise.race([workers, stopped.opened]);
      await withDeadline(this.#runtime, workers, {
        timeoutMs: this.#options.shutdownTimeoutMs,
        describe: () => `${this.name} to finish reconciling ${this.running.map(String).join(', ')}`,
      });
    } finally {
      release();
      this.#queue.destroy();
      stop.abort();
      this.#cutShort(stop.signal.reason);
    }
  }

  /**
   * Begins no further run (mode `all`: none but those that wait), and lets running ones end undisturbed; then `run` resolves. It waits for
   * at most `timeoutMs`, and not longer than option `shutdownTimeoutMs`. The signals of the remaining runs abort with that of `run`.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  async drain(options: DrainQueueOptions = {}): Promise<DrainReport<K>> {
    const { shutdownTimeoutMs } = this.#options;
    const { timeoutMs = shutdownTimeoutMs } = options;
    return await this.#queue.drain({
      ...options,
      timeoutMs: timeoutMs > shutdownTimeoutMs ? shutdownTimeoutMs : timeoutMs,
    });
  }

  /** No further run begins until `resume`; running ones end. Keys are taken on, each once. */
  pause(): void {
    this.#gate ??= new Latch(`${this.name} to be resumed`);
  }

  resume(): void {
    this.#gate?.open();
    this.#gate = undefined;
  }

  /** Aborts the signals of the runs of these keys. @internal */
  cutShort(covers: (key: K) => boolean, reason: unknown): void {
    for (const [key, run] of this.#running) if (covers(key)) run.abort(reason);
  }

  get paused(): boolean {
    return this.#gate !== undefined;
  }

  #reportTo(metrics: Metrics): void {
    this.#metrics.reportTo(guardedMetrics(metrics, logFailedMetrics(this.name, this.#logger)));
  }

  #hire(stopping: AbortSignal): void {
    const worker = this.#work(stopping).finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  async #allEnded(): Promise<void> {
    while (this.#workers.size > 0) await Promise.all(this.#workers);
  }

  async #work(stopping: AbortSignal): Promise<void> {
    for (;;) {
      await nextTask(this.#runtime);
      await this.#gate?.opened;
      const item = await this.#queue.take();
      if (item === undefined) return;
      if (this.#gate !== undefined) {
        // It was taken while the loop was paused.
        this.#queue.add(item.key, { priority: item.priority });
        item.done();
        continue;
      }
      try {
        await this.#reconcileOnce(item, stopping);
      } finally {
        this.#running.delete(item.key);
        item.done();
        this.#metrics.active(this.#running.size);
      }
      const replaced = this.#overdueKeys.delete(item.key);
      if (replaced && this.#workers.size > this.#options.concurrency) return;
    }
  }

  async #reconcileOnce({ key, priority }: WorkItem<K>, stopping: AbortSignal): Promise<void> {
    const startedAtMs = this.#runtime.monotonicMs();
    const failures = this.#queue.numRequeues(key);
    const run = this.#begin(key, failures, stopping);
    if (stopping.aborted) run.abort(stopping.reason);
    // An own property, so that a spread copies it.
    const context: ReconcileContext = {
      get signal(): AbortSignal {
        return run.signal;
      },
    };
    try {
      const result = await this.#options.reconcile({ key, failures, priority }, context);
      const requeueAfterMs = requeueDelay(result);
      const options = { priority: result?.priority ?? priority };
      if (requeueAfterMs !== 0) this.#queue.addAfter(key, requeueAfterMs, options);
      this.#queue.forget(key);
      this.#metrics.succeeded(requeueAfterMs > 0);
    } catch (error) {
      this.#fail({ key, priority, failures: failures + 1 }, error, stopping);
    } finally {
      run.end();
      this.#metrics.took(this.#runtime.monotonicMs() - startedAtMs);
    }
  }

  #begin(key: K, failures: number, stopping: AbortSignal): ReconcileRun {
    const run = new ReconcileRun({
      runtime: this.#runtime,
      timeoutMs: this.#options.timeoutMs,
      onOverdue: () => {
        this.#overdue(key, failures, stopping);
        return new ListwatchError('TIMEOUT', `not finished after ${this.#options.timeoutMs} ms`);
      },
    });
    this.#running.set(key, run);
    this.#metrics.active(this.#running.size);
    return run;
  }

  #cutShort(reason: unknown): void {
    for (const run of this.#running.values()) run.abort(reason);
  }

  #fail(
    { key, priority, failures }: ReconcileRequest<K>,
    cause: unknown,
    stopping: AbortSignal,
  ): void {
    // A run that the shutdown aborted is not a failure.
    if (stopping.aborted && isAbort(cause, stopping.reason)) return;
    const terminal = isListwatchError(cause, 'RECONCILE_TERMINAL');
    const retry = !terminal && failures <= this.#options.maxRetries;
    this.#metrics.failed(terminal);
    // A failure is one line of a log.
    const thrown = thrownMessage(cause).replaceAll(/\s*\n\s*/g, ' ');
    const delayMs = retry ? this.#retry(key, { priority, reason: thrown }) : undefined;
    const retryInMs = delayMs === undefined ? undefined : Math.round(delayMs);
    if (!retry) this.#queue.forget(key);
    else if (this.#options.isExpected?.(cause) ?? false) return;
    const what = retry ? thrown : `given up: ${thrown}`;
    this.#report('reconcile failed', what, { key, failures, retryInMs }, cause);
  }

  #retry(key: K, options: RetryOptions): number | undefined {
    try {
      return this.#queue.addRateLimited(key, options);
    } catch (error) {
      this.#logger.error('rate limiter failed', { controller: this.name, key: String(key), error });
      this.#queue.addAfter(key, DELAY_WITHOUT_LIMITER_MS, { priority: options.priority });
      return DELAY_WITHOUT_LIMITER_MS;
    }
  }

  /** Its worker may never come back, so another one is hired: the keys behind must not wait for it. */
  #overdue(key: K, failures: number, stopping: AbortSignal): void {
    if (this.#overdueKeys.size < MOST_STAND_INS && !stopping.aborted) {
      this.#overdueKeys.add(key);
      this.#hire(stopping);
    }
    const what = `not finished after ${this.#options.timeoutMs} ms; the key stays in work until the reconcile ends; pass its signal on, or raise timeoutMs`;
    this.#report('reconcile is overdue', what, { key, failures, retryInMs: undefined }, undefined);
  }

  #report(
    text: string,
    what: string,
    { key, ...rest }: { key: K; failures: number; retryInMs: number | undefined },
    cause: unknown,
  ): void {
    const failure = { controller: this.name, key: String(key), ...rest };
    const error = new ReconcileError(what, failure, cause);
    const { onError } = this.#options;
    const logger = this.#logger;
    if (onError === undefined) return logger.error(text, { ...failure, error });
    const about = { controller: this.name, during: error };
    runHook(logger, 'onError', () => onError(error), about);
  }
}

/** Whether an error is an abort for this reason; libraries report an abort with different errors. */
function isAbort(error: unknown, reason: unknown): boolean {
  if (error === reason || isListwatchError(error, 'ABORTED')) return true;
  if (!isError(error)) return false;
  return error.cause === reason || error.name === 'AbortError' || error.name === 'CanceledError';
}

/** A delay below 0 would make a loop without a pause, so it counts as a failure. */
function requeueDelay(result: ReconcileResult | void | null): number {
  if (result === undefined || result === null) return 0;
  checkResult('reconcile', result, RESULTS);
  return REQUEUE_DELAY.read('reconcile', 'requeueAfterMs', result.requeueAfterMs);
}
