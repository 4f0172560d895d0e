import { Latch } from '../../kernel/time/latch.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import { ItemsInWork } from './keys/items-in-work.ts';
import {
  IDLE,
  IN_WORK,
  IN_WORK_AND_ADDED,
  KeyTable,
  WAITING,
  type KeyState,
} from './keys/key-table.ts';
import type {
  DrainQueueOptions,
  DrainReport,
  InspectQueueOptions,
  QueueInspection,
} from './queue-inspection.ts';
import { KEYS_IN_REPORT, listOf, runningKeys, waitingKeys } from './listed-keys.ts';
import { QueueMetrics } from './queue-metrics.ts';
import { announceQueue } from './queue-part.ts';
import { TakenItem } from './keys/taken-item.ts';
import { TaskClock } from './keys/task-clock.ts';
import { WaitingSlots } from './keys/waiting-slots.ts';
import { WaitingTakers, type TakeLimit } from './keys/waiting-takers.ts';
import type { NoteWriter } from './keys/key-note.ts';
import type { WorkItem } from './keys/work-item.ts';
import { WorkGauges } from './work-gauges.ts';
import {
  CLOSE_QUEUE,
  priorityOf,
  WORK_QUEUE,
  type AddOptions,
  type CloseQueueOptions,
  type TakeOptions,
  type WorkQueueOptions,
} from './work-queue-options.ts';

const NO_OPTIONS: AddOptions = {};

/** Maximum number of keys that a message lists. */
const KEYS_IN_MESSAGE = 5;
const LONGEST_LIST = 1000;

const DRAIN = optionsOf<DrainQueueOptions>()('WorkQueue.drain', {
  ...CLOSE_QUEUE.rules,
  mode: is.oneOf('running', 'all').default('running'),
});
const LIMIT = is.integer({ min: 0, max: LONGEST_LIST }).default(KEYS_IN_REPORT);

/** Minimum number of idle keys that are kept in the table: finding a key that is added again is cheaper than inserting it. */
const SPARE = 64;
/** Number of idle keys for which a table is replaced when no key waits or is in work: a process may have hundreds of queues. */
const SPARE_AT_REST = 16;

/** Beyond the spare keys, the table is replaced when it has this many keys for each key that waits or is worked on. */
const MOST_KNOWN = 16;

/**
 * Keys that need work, each at most once. Keys are compared as in a `Map`, so use strings or other primitives.
 *
 * Guarantees:
 * - At most one worker has a key at a time.
 * - Any number of adds of a waiting key lead to one run; any number of adds while it is worked on lead to one more.
 * - Keys of the highest priority are taken first, those of one priority in the order in which they were first added.
 * - No key starves: one that has waited for `ageingMs`, with n others that have waited longer, is taken after at most 10 × (n + 1)
 *   further keys, whatever their priorities.
 * - No key added before `close` is lost.
 * - Memory: one slot for each distinct key that waits or is worked on, 20 bytes more once priorities are used; further adds take none.
 *   Finished keys may stay in the table for a while, because removing each one separately is expensive: 15 while no key waits or is
 *   worked on, else 64, and at most 15 for each key that does.
 *
 * Not guaranteed: that a key is taken again when its worker never calls `done`.
 * @see client-go util/workqueue/queue.go @ 32ce75a7
 */
export class WorkQueue<K = string> implements Disposable, AsyncDisposable {
  readonly name: string;
  readonly #runtime: Runtime;
  readonly #metrics: QueueMetrics;
  /** Every key that waits or is in work, and some idle ones. */
  #keys = new KeyTable<K>();
  /** Maximum number of keys in the table: the spare keys, and the largest number of needed keys since `#keys` was created. */
  #room = SPARE;
  /** Slots in `#keys`. */
  readonly #waiting: WaitingSlots;
  readonly #inWork = new ItemsInWork<K>();
  readonly #gauges: WorkGauges<K>;
  /** For times that no metrics report. */
  readonly #clock: TaskClock;
  readonly #takers = new WaitingTakers();
  readonly #idle: Latch;
  #closing = false;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: WorkQueueOptions = {}) {
    const { name, ageingMs, runtime } = WORK_QUEUE.read(options);
    this.name = name;
    this.#runtime = runtime;
    this.#metrics = new QueueMetrics(this.name, options);
    this.#clock = new TaskClock(this.#runtime);
    this.#waiting = new WaitingSlots(this.#clock, ageingMs);
    this.#gauges = new WorkGauges(this.#runtime, this.#metrics, this.#inWork);
    announceQueue(this.#runtime, this, () => this.size > 0 && this.#takers.size > 0 && !this.limit);
    this.#idle = new Latch(`${this.name} to drain`);
  }

  /** Reports to these metrics from now on, in place of those of the options. */
  reportTo(metrics: Metrics): void {
    this.#metrics.reportTo(metrics);
  }

  /** Number of keys that wait for a worker; keys in work are not counted. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Number of keys in work. */
  get processing(): number {
    return this.#inWork.size;
  }

  /** Whether `close` or `destroy` was called. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Milliseconds since the longest-running worker took its key, accurate to one turn of the event loop; 0 when no key is in work. */
  get longestRunningMs(): number {
    if (this.#inWork.size === 0) return 0;
    return this.#runtime.monotonicMs() - this.#inWork.earliestMs;
  }

  /**
   * Adds a key that needs work. Ignored once the queue is closing.
   * @throws {ListwatchError} code INVALID_OPTION for a priority that is no whole number in its range.
   */
  add(key: K, options: AddOptions = NO_OPTIONS): void {
    this.enter(key, options === NO_OPTIONS ? 0 : priorityOf(options));
  }

  /** Adds a key with a note, such as why it needs work. `priority`: as in `AddOptions`; it is not checked. @internal */
  addNoted(key: K, priority: number, writer: NoteWriter): void {
    this.enter(key, priority, writer);
  }

  /** For a worker: returns and forgets what was noted of its key; undefined without a note. @internal */
  takeNote(key: K): unknown {
    const slot = this.#keys.slotOf(key);
    return slot === undefined ? undefined : this.#keys.takeNote(slot);
  }

  /** Whether the key waits for a worker, so that a further add changes nothing but its priority. @internal */
  protected waits(key: K): boolean {
    const slot = this.#keys.slotOf(key);
    return slot !== undefined && this.#keys.stateAt(slot) === WAITING;
  }

  /** Adds a key now. @internal */
  protected enter(key: K, priority: number, writer?: NoteWriter): void {
    if (this.#closing) return;
    const keys = this.#keys;
    const slot = keys.slotOf(key, writer?.keyNumber) ?? this.#insert(key, writer?.keyNumber);
    const state = keys.stateAt(slot);
    if (writer !== undefined) {
      const earlier = keys.noteAt(slot);
      const note = writer.write(earlier);
      if (note !== earlier) keys.setNote(slot, note);
    }
    if (state !== IDLE && state !== IN_WORK) {
      if (priority > this.#waiting.priorityOf(slot)) this.#raise(slot, state, priority);
      return;
    }
    if (this.#metrics.wanted) keys.noteAdded(slot, this.#runtime.monotonicMs());
    keys.setState(slot, state === IDLE ? WAITING : IN_WORK_AND_ADDED);
    if (state === IDLE) this.#waiting.push(slot, priority);
    else this.#waiting.note(slot, priority);
    this.#metrics.added();
    if (state === IDLE) this.#announce(priority);
  }

  /**
   * Waits for the next key. Resolves with undefined once the queue is closed and no key waits.
   * Adds of one burst are collapsed before a waiting worker gets the key. Rejects with the signal's reason when it aborts.
   */
  take({ signal }: TakeOptions = {}): Promise<WorkItem<K> | undefined> {
    if (this.size === 0 || signal?.aborted === true || this.limit !== undefined) {
      return this.#takeLater(signal);
    }
    return Promise.resolve(this.#handOut(this.#waiting.shift()));
  }

  /**
   * The next key, or undefined if none waits or may be taken. Like `take`, for a worker that does not wait, or that empties the queue in
   * one step.
   */
  takeNow(): WorkItem<K> | undefined {
    return this.size === 0 ? undefined : this.#next();
  }

  /** The next key that the limit lets pass. */
  #next(): WorkItem<K> | undefined {
    const { limit } = this;
    if (limit === undefined) return this.#handOut(this.#waiting.shift());
    while (this.size > 0 && limit.ready()) {
      const slot = this.#waiting.shift();
      if (this.#closing || limit.passes(this.#keys.keyAt(slot), this.#waiting.priorityOf(slot))) {
        limit.spend();
        const item = this.#handOut(slot);
        // The other workers wait for the limit; one of them has to ask when the next key may be taken.
        if (this.size > 0) this.wakeOne();
        else if (this.#closing) this.#takers.wakeAll();
        return item;
      }
      this.#keys.setState(slot, IDLE);
      const note = this.#keys.takeNote(slot);
      if (note !== undefined) this.keepNote(this.#keys.keyAt(slot), note);
      this.#tidy(slot);
    }
    return undefined;
  }

  /** Called with the note of a key that the limit holds back. @internal */
  protected keepNote(_key: K, _note: unknown): void {}

  async #takeLater(signal: AbortSignal | undefined): Promise<WorkItem<K> | undefined> {
    for (;;) {
      if (signal?.aborted === true) {
        // This taker may have been woken for a key that another taker can have instead.
        if (this.size > 0) this.wakeOne();
        throw signal.reason;
      }
      const next = this.takeNow();
      if (next !== undefined) return next;
      if (this.#closing && this.size === 0) return undefined;
      await this.#takers.change(signal);
    }
  }

  /**
   * Refuses new keys and waits until all added keys are done.
   * @throws {ListwatchError} code TIMEOUT naming the remaining work; the queue stays closed, and `destroy` drops the rest.
   */
  async close(options: CloseQueueOptions = {}): Promise<void> {
    const { timeoutMs, signal } = CLOSE_QUEUE.read(options);
    this.refuseKeys();
    await untilOpen(this.#runtime, [this.#idle], {
      timeoutMs,
      signal,
      describe: () => `${this.name} to drain: ${this.#describeRest()}`,
    });
  }

  /**
   * Refuses new keys and waits for the work that remains. It always ends: at the latest after `timeoutMs`, or when the signal aborts.
   * Then all that is left is dropped and reported. A worker that still has a key keeps it.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  async drain(options: DrainQueueOptions = {}): Promise<DrainReport<K>> {
    const { mode, timeoutMs, signal } = DRAIN.read(options);
    const delayed = this.dropDelayed();
    const dropped = mode === 'running' ? this.dropWaiting() : [];
    this.refuseKeys();
    const describe = (): string => `${this.name} to drain`;
    const wait = untilOpen(this.#runtime, [this.#idle], { timeoutMs, signal, describe });
    await wait.catch(() => {});
    const waiting = [...dropped, ...this.destroy()];
    const running = this.#inWork.slice(Infinity).map(({ key }) => key);
    return {
      drained: running.length === 0 && waiting.length === dropped.length,
      running: listOf(running),
      waiting: listOf(waiting),
      delayed: listOf(delayed),
    };
  }

  /**
   * The keys that wait, are in work, are delayed or fail, and why.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  inspect({ limit }: InspectQueueOptions = {}): QueueInspection<K> {
    const most = LIMIT.read('WorkQueue.inspect', 'limit', limit);
    const nowMs = this.#runtime.monotonicMs();
    return {
      name: this.name,
      closing: this.#closing,
      waiting: { count: this.size, keys: waitingKeys(this.#keys, this.#waiting, most, nowMs) },
      running: {
        count: this.#inWork.size,
        keys: runningKeys(this.#keys, this.#inWork, most, nowMs),
      },
      ...this.heldBack(most, nowMs),
    };
  }

  /** Refuses new keys, and drops and returns those that wait. Work in progress continues. */
  destroy(): readonly K[] {
    const dropped = this.dropWaiting();
    this.dropDelayed();
    this.refuseKeys();
    this.#gauges.end();
    this.#idle.open();
    return dropped;
  }

  /** Drops and returns the keys that would be taken, and those that are held back a moment. @internal */
  protected dropWaiting(): readonly K[] {
    const dropped = this.#waiting.drain().map((slot) => this.#keys.keyAt(slot));
    for (const { slot } of this.#inWork.slice(Infinity)) this.#keys.setState(slot, IN_WORK);
    this.#forgetIdle();
    this.#metrics.emptied();
    return dropped;
  }

  /** Drops and returns the keys that were added for later. @internal */
  protected dropDelayed(): readonly K[] {
    return [];
  }

  /** The parts of `inspect` that a queue without delays has not. @internal */
  protected heldBack(
    _limit: number,
    _nowMs: number,
  ): Pick<QueueInspection<K>, 'delayed' | 'failing'> {
    return { delayed: { count: 0, keys: [] }, failing: { count: 0, keys: [] } };
  }

  [Symbol.dispose](): void {
    this.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #insert(key: K, number?: number): number {
    this.#room = Math.max(this.#room, this.#wanted + SPARE);
    return this.#keys.insert(key, number);
  }

  /** Reports one more waiting key to the metrics and to a waiting taker. */
  #announce(priority: number): void {
    this.#reportDepth(priority);
    if (this.#takers.size > 0) this.wakeOne();
  }

  #reportDepth(priority: number): void {
    if (!this.#metrics.wanted) return;
    this.#metrics.depth(this.#waiting.sizeOf(priority), priority);
  }

  #raise(slot: number, state: KeyState, priority: number): void {
    if (state === WAITING) {
      const before = this.#waiting.priorityOf(slot);
      this.#waiting.raise(slot, priority);
      this.#reportDepth(before);
      this.#reportDepth(priority);
    } else {
      this.#waiting.note(slot, priority);
    }
  }

  #handOut(slot: number): WorkItem<K> {
    const observed = this.#metrics.wanted;
    const nowMs = observed ? this.#runtime.monotonicMs() : this.#clock.nowMs;
    const keys = this.#keys;
    const priority = this.#waiting.priorityOf(slot);
    const item = new TakenItem(keys.keyAt(slot), priority, slot, this.#finish);
    keys.setState(slot, IN_WORK);
    this.#inWork.add(item, nowMs);
    if (observed) {
      const waitedMs = nowMs - (keys.addedAtMs(slot) ?? nowMs);
      this.#reportDepth(priority);
      this.#metrics.handedOut(waitedMs);
      this.#gauges.begin();
    }
    return item;
  }

  readonly #finish = (item: TakenItem<K>): void => {
    const takenAtMs = this.#inWork.remove(item);
    const { slot } = item;
    const keys = this.#keys;
    const addedAgain = keys.stateAt(slot) === IN_WORK_AND_ADDED;
    keys.setState(slot, addedAgain ? WAITING : IDLE);
    const priority = this.#waiting.priorityOf(slot);
    if (addedAgain) this.#waiting.push(slot, priority);
    else this.#tidy(slot);
    if (this.#metrics.wanted) this.#metrics.finished(this.#runtime.monotonicMs() - takenAtMs);
    if (addedAgain) this.#announce(priority);
    else if (this.#wanted === 0) this.#rest();
  };

  /** Number of keys that wait or are in work. */
  get #wanted(): number {
    return this.size + this.#inWork.size;
  }

  /**
   * Limits the number of idle keys in the table after one more became idle. While a backlog is worked off, all idle keys are
   * removed at once when few keys are left. Otherwise only this key is removed.
   */
  #tidy(slot: number): void {
    const keys = this.#keys;
    if (keys.size > SPARE + MOST_KNOWN * this.#wanted) this.#forgetIdle();
    else if (keys.size > this.#room) keys.forget(slot);
  }

  /** Moves the needed keys to a new table. */
  #forgetIdle(): void {
    const known = this.#keys;
    const wanted = new KeyTable<K>();
    const inWork = this.#inWork.slice(Infinity);
    const priorities = inWork.map(({ slot }) => this.#waiting.priorityOf(slot));
    this.#waiting.renumber((slot) => wanted.copy(known, slot));
    for (const [place, item] of inWork.entries()) {
      item.slot = wanted.copy(known, item.slot);
      this.#waiting.note(item.slot, priorities[place] ?? 0);
    }
    this.#keys = wanted;
    this.#room = this.#wanted + SPARE;
  }

  /** Limits the rate of what is taken; set by the constructor of a queue that has limits. @internal */
  protected limit: TakeLimit<K> | undefined;

  /** The first step of closing: refuses new keys. @internal */
  protected refuseKeys(): void {
    this.#closing = true;
    this.#takers.wakeAll();
    if (this.#wanted === 0) this.#rest();
  }

  /** Nothing waits or is in work. */
  #rest(): void {
    this.#waiting.rest();
    if (this.#keys.size >= SPARE_AT_REST) this.#forgetIdle();
    if (this.#closing) this.#idle.open();
  }

  /** @internal */
  protected countRetry(): void {
    this.#metrics.retried();
  }

  /** @internal */
  protected wakeOne(): void {
    this.#takers.wakeOne();
  }

  #describeRest(): string {
    const { size } = this.#inWork;
    const keys = this.#inWork.slice(KEYS_IN_MESSAGE).map(({ key }) => String(key));
    const more = size > KEYS_IN_MESSAGE ? ', …' : '';
    const named = size === 0 ? '' : ` (${keys.join(', ')}${more})`;
    return `${this.size} keys wait, ${size} are worked on${named}`;
  }
}
