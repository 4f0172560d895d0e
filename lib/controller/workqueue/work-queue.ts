import { onAbort } from '../../kernel/abort.ts';
import { Latch } from '../../kernel/latch.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { numberOption, rejectUnknownOptions } from '../../kernel/options.ts';
import { realRuntime } from '../../kernel/real-runtime.ts';
import { RingBuffer } from '../../kernel/ring-buffer.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { untilOpen } from '../../kernel/wait.ts';
import { QueueMetrics } from './queue-metrics.ts';
import { WorkItem } from './work-item.ts';

export interface WorkQueueOptions {
  /** Names the queue in messages and metrics. @defaultValue 'queue' */
  readonly name?: string | undefined;
  readonly runtime?: Runtime | undefined;
  /** Receives depth, adds, retries, and how long keys wait and are worked on. */
  readonly metrics?: Metrics | undefined;
  /** Hears when the metrics fail. @defaultValue `consoleLogger` */
  readonly logger?: Logger | undefined;
}

/** @internal */
export const workQueueOptionNames: readonly (keyof WorkQueueOptions)[] = [
  'name',
  'runtime',
  'metrics',
  'logger',
];

export interface TakeOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface CloseQueueOptions {
  /** Longest wait for the work that is left, in milliseconds. @defaultValue 30 000 */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How many keys a message lists before it only counts. */
const KEYS_IN_MESSAGE = 5;

/**
 * Keys that need work, each at most once. Keys are compared as `Map` does, so use strings or other primitives.
 *
 * Guarantees:
 * - A key is in the hands of at most one worker at a time.
 * - Any number of adds of a key while it waits lead to one hand-out; any number while it is worked on lead to one more.
 * - Keys come out in the order in which they were first added.
 * - No key added before `close` is lost.
 * - Memory: one entry for each distinct key that waits or is worked on, nothing per add.
 *
 * Not guaranteed: that a key comes out again when its worker never calls `done`.
 * @see client-go util/workqueue/queue.go @ 32ce75a7
 */
export class WorkQueue<K = string> implements Disposable, AsyncDisposable {
  readonly name: string;
  readonly #runtime: Runtime;
  readonly #metrics: QueueMetrics;
  readonly #waiting = new RingBuffer<K>();
  /** Keys that need work, with the time they were added: those in `#waiting`, and those added while worked on. */
  readonly #dirty = new Map<K, number>();
  /** Keys in workers' hands, with the time they were taken. */
  readonly #processing = new Map<K, number>();
  readonly #takers = new Set<() => void>();
  readonly #idle: Latch;
  #closing = false;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: WorkQueueOptions = {}) {
    rejectUnknownOptions('WorkQueue', options, workQueueOptionNames);
    this.name = options.name ?? 'queue';
    this.#runtime = options.runtime ?? realRuntime;
    this.#metrics = new QueueMetrics(this.name, options);
    this.#idle = new Latch(`${this.name} to drain`);
  }

  /** Keys waiting for a worker; those in workers' hands are not counted. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Keys in workers' hands. */
  get processing(): number {
    return this.#processing.size;
  }

  /** Whether `close` or `destroy` was called. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Milliseconds since the longest running worker took its key; 0 when nothing is worked on. */
  get longestRunningMs(): number {
    for (const takenAtMs of this.#processing.values()) {
      return this.#runtime.monotonicMs() - takenAtMs;
    }
    return 0;
  }

  /** Notes that the key needs work. Ignored once the queue is closing. */
  add(key: K): void {
    if (this.#closing || this.#dirty.has(key)) return;
    this.#metrics.added();
    this.#dirty.set(key, this.#runtime.monotonicMs());
    if (!this.#processing.has(key)) this.#enqueue(key);
  }

  /**
   * Waits for the next key. Resolves with undefined once the queue is closed and nothing waits any more.
   * Adds of one burst are collapsed before a waiting worker sees the key. Rejects with the signal's reason when it aborts.
   */
  async take({ signal }: TakeOptions = {}): Promise<WorkItem<K> | undefined> {
    for (;;) {
      if (signal?.aborted === true) {
        // This taker may have been woken for a key that another one can still have.
        if (this.#waiting.size > 0) this.#wakeOne();
        throw signal.reason;
      }
      if (this.#waiting.size > 0) return this.#handOut(this.#waiting.shift() as K);
      if (this.#closing) return undefined;
      await this.#change(signal);
    }
  }

  /**
   * Refuses new keys and waits until all that was added is done.
   * @throws {ListwatchError} code TIMEOUT naming what is left; the queue stays closed, and `destroy` drops the rest.
   */
  async close({ timeoutMs, signal }: CloseQueueOptions = {}): Promise<void> {
    const limitMs = numberOption('WorkQueue.close', 'timeoutMs', timeoutMs, 30_000, { min: 0 });
    this.refuseKeys();
    await untilOpen(this.#runtime, [this.#idle], {
      timeoutMs: limitMs,
      signal,
      describe: () => `${this.name} to drain: ${this.#describeRest()}`,
    });
  }

  /** Refuses new keys and drops those that wait, which are returned. Work in progress goes on. */
  destroy(): readonly K[] {
    const dropped = this.#waiting.drain();
    this.#dirty.clear();
    this.#metrics.depth(0);
    this.refuseKeys();
    this.#idle.open();
    return dropped;
  }

  [Symbol.dispose](): void {
    this.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #enqueue(key: K): void {
    this.#waiting.push(key);
    this.#metrics.depth(this.#waiting.size);
    this.#wakeOne();
  }

  #handOut(key: K): WorkItem<K> {
    const nowMs = this.#runtime.monotonicMs();
    this.#metrics.depth(this.#waiting.size);
    this.#metrics.handedOut(nowMs - (this.#dirty.get(key) ?? nowMs));
    this.#dirty.delete(key);
    this.#processing.set(key, nowMs);
    return new WorkItem(key, this.#finish);
  }

  readonly #finish = (key: K): void => {
    const takenAtMs = this.#processing.get(key) ?? 0;
    this.#processing.delete(key);
    this.#metrics.finished(this.#runtime.monotonicMs() - takenAtMs);
    if (this.#dirty.has(key)) this.#enqueue(key);
    else this.#openWhenIdle();
  };

  /** The first step of closing. */
  protected refuseKeys(): void {
    this.#closing = true;
    for (const wake of this.#takers) wake();
    this.#takers.clear();
    this.#openWhenIdle();
  }

  #openWhenIdle(): void {
    if (this.#closing && this.#dirty.size === 0 && this.#processing.size === 0) this.#idle.open();
  }

  #wakeOne(): void {
    for (const wake of this.#takers) {
      this.#takers.delete(wake);
      wake();
      return;
    }
  }

  /** Resolves when there may be something for this taker: a key, the end of the queue, or its signal's abort. */
  #change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      let release = (): void => {};
      const wake = (): void => {
        release();
        resolve();
      };
      this.#takers.add(wake);
      release = onAbort(signal, () => {
        this.#takers.delete(wake);
        resolve();
      });
    });
  }

  #describeRest(): string {
    const keys = [...this.#processing.keys()];
    const named = keys.slice(0, KEYS_IN_MESSAGE).map(String).join(', ');
    const inWork = keys.length > KEYS_IN_MESSAGE ? `${named}, …` : named;
    return `${this.#waiting.size} keys wait, ${keys.length} are worked on${named === '' ? '' : ` (${inWork})`}`;
  }
}
