import { ListwatchError } from '../failure/errors.ts';
import { is, optionsOf } from '../options/options-schema.ts';
import { seededRandom } from './random.ts';
import type { Runtime, Timer } from './runtime.ts';

export interface VirtualRuntimeOptions {
  /** Decides every random number and, with `order: 'random'`, which ready task runs next. @defaultValue 1 */
  readonly seed?: number | string | undefined;
  /** Wall-clock time at the start, in milliseconds since 1970. @defaultValue 2024-01-01T00:00:00Z */
  readonly startWallMs?: number | undefined;
  /**
   * `fifo` runs ready tasks in the order they were queued; `random` draws the next one from the seed, which explores
   * interleavings. Timers due at the same instant follow the same rule. @defaultValue 'fifo'
   */
  readonly order?: 'fifo' | 'random' | undefined;
  /** Maximum number of tasks at one instant of virtual time; beyond it the run fails as hung. @defaultValue 1 000 000 */
  readonly maxTasksAtOneInstant?: number | undefined;
}

export interface RunOptions {
  /** Maximum virtual time of the run; beyond it the run fails as hung. @defaultValue 3 600 000 (one hour) */
  readonly limitMs?: number | undefined;
}

interface Entry {
  readonly atMs: number;
  readonly sequence: number;
  callback: () => void;
  readonly background: boolean;
  /** The entry is in the heap and is neither cancelled nor run. */
  waiting: boolean;
}

const OWNER = 'VirtualRuntime';
const OPTIONS = optionsOf<VirtualRuntimeOptions>()(OWNER, {
  seed: is.anything().default(1),
  startWallMs: is
    .number({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })
    .default(Date.UTC(2024, 0, 1)),
  order: is.oneOf('fifo', 'random').default('fifo'),
  maxTasksAtOneInstant: is.number({ min: 1 }).default(1_000_000),
});
const DELTA = is.number({ min: 0, max: Number.MAX_SAFE_INTEGER }).required;
const LIMIT = is.number({ min: 0 }).default(3_600_000);
/** The heap is swept only when it has at least this many cancelled timers. */
const SMALLEST_SWEEP = 1000;

const nothing = (): void => {};
/** Those of Node, also where a simulation replaces it for the code that it runs. */
const setRealImmediate = setImmediate;
const clearRealImmediate = clearImmediate;

/**
 * A clock that moves only when it is advanced, and a scheduler that is a function of its seed.
 *
 * Guarantees:
 * - Before the next task starts, all promise continuations of the previous one have run.
 * - Time jumps straight to the next timer. A run with an hour of waiting takes only the time of its work.
 * - Two runs of one program with the same seed have the same random numbers, times and order.
 *
 * Not guaranteed: the timing of work outside the runtime, such as sockets, files or worker threads.
 */
export class VirtualRuntime implements Runtime {
  readonly #random: () => number;
  readonly #startWallMs: number;
  readonly #order: 'fifo' | 'random';
  readonly #maxTasksAtOneInstant: number;
  #elapsedMs = 0;
  #sequence = 0;
  #tasks: (() => void)[] = [];
  /** Tasks before this index have run. */
  #nextTask = 0;
  /** A heap. A cancelled timer stays in it until it is due, or until more than half of the timers are cancelled. */
  #timers: Entry[] = [];
  #cancelledTimers = 0;
  #foregroundTimers = 0;
  /** Calls of `run` under way. */
  #runs = 0;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: VirtualRuntimeOptions = {}) {
    const { seed, order, startWallMs, maxTasksAtOneInstant } = OPTIONS.read(options);
    this.#random = seededRandom(seed);
    this.#order = order;
    this.#startWallMs = startWallMs;
    this.#maxTasksAtOneInstant = maxTasksAtOneInstant;
  }

  wallMs(): number {
    return this.#startWallMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  random(): number {
    return this.#random();
  }

  setTimer(delayMs: number, callback: () => void, options?: { background?: boolean }): Timer {
    const entry: Entry = {
      atMs: delayMs > 0 ? later(this.#elapsedMs, delayMs) : this.#elapsedMs,
      sequence: (this.#sequence += 1),
      callback,
      background: options?.background ?? false,
      waiting: true,
    };
    this.#timers.push(entry);
    siftUp(this.#timers, this.#timers.length - 1);
    if (!entry.background) this.#foregroundTimers += 1;
    return {
      cancel: (): void => {
        this.#cancel(entry);
      },
    };
  }

  queueTask(task: () => void): void {
    this.#tasks.push(task);
  }

  /** Number of timers and tasks that are still to run, without background timers. */
  get pending(): number {
    return this.#tasks.length - this.#nextTask + this.#foregroundTimers;
  }

  /**
   * Runs everything that is ready now, without moving the clock.
   * @throws {ListwatchError} code VIRTUAL_TIME_LIMIT when tasks keep queuing tasks without end; VIRTUAL_NESTED when it is called
   * inside `run`, which moves the clock itself.
   */
  async settle(): Promise<void> {
    await this.#settle('settle');
  }

  /**
   * Moves the clock by `deltaMs`, at least 0, and runs the timers and tasks that become due, in order.
   * @throws {ListwatchError} code INVALID_OPTION for another number; the errors of `settle`.
   */
  async advance(deltaMs: number): Promise<void> {
    DELTA.read(OWNER, 'deltaMs', deltaMs);
    const targetMs = this.#elapsedMs + deltaMs;
    await this.#settle('advance');
    while (this.#nextDue() <= targetMs) {
      this.#elapsedMs = Math.max(this.#elapsedMs, this.#nextDue());
      await this.#settle('advance');
    }
    this.#elapsedMs = Math.max(this.#elapsedMs, targetMs);
  }

  /**
   * Moves the clock until `work` has settled, and returns its result.
   * @throws {ListwatchError} code VIRTUAL_DEADLOCK when no timer or task is left that could settle it, or VIRTUAL_TIME_LIMIT when
   * `limitMs` of virtual time have passed.
   */
  async run<R>(work: Promise<R> | (() => Promise<R>), options: RunOptions = {}): Promise<R> {
    const limitMs = this.#elapsedMs + LIMIT.read(OWNER, 'limitMs', options.limitMs);
    this.#runs += 1;
    try {
      return await this.#drive(typeof work === 'function' ? work() : work, limitMs);
    } finally {
      this.#runs -= 1;
    }
  }

  async #drive<R>(work: Promise<R>, limitMs: number): Promise<R> {
    let settled = false;
    const mark = (): void => {
      settled = true;
    };
    work.then(mark, mark);
    let ran = 0;
    await turns(() => {
      if (!this.#isReady()) {
        if (settled) return false;
        const nextMs = this.#nextDue();
        if (nextMs === Infinity) throw deadlock(this.#elapsedMs);
        if (nextMs > limitMs) throw tooLong(limitMs);
        this.#elapsedMs = Math.max(this.#elapsedMs, nextMs);
        ran = 0;
      }
      this.#runCounted((ran += 1));
      return true;
    });
    return await work;
  }

  /** `caller`: the public method that was called, which must not wait while `run` moves the clock. */
  async #settle(caller: 'settle' | 'advance'): Promise<void> {
    const check = (): void => {
      if (this.#runs > 0) throw nested(caller);
    };
    check();
    let ran = 0;
    await turns(() => {
      if (!this.#isReady()) return false;
      check();
      this.#runCounted((ran += 1));
      return true;
    });
  }

  /** Runs the next task; `count`: of the tasks at this instant. */
  #runCounted(count: number): void {
    if (count > this.#maxTasksAtOneInstant) throw busyLoop(this.#elapsedMs, count - 1);
    this.#runOne();
  }

  #nextDue(): number {
    while (this.#timers[0]?.waiting === false) {
      removeFirst(this.#timers);
      this.#cancelledTimers -= 1;
    }
    return this.#timers[0]?.atMs ?? Infinity;
  }

  #takeNextDue(): Entry {
    const due = removeFirst(this.#timers) as Entry;
    this.#leave(due);
    return due;
  }

  #cancel(entry: Entry): void {
    entry.callback = nothing;
    if (!entry.waiting) return;
    this.#leave(entry);
    this.#cancelledTimers += 1;
    if (this.#cancelledTimers < SMALLEST_SWEEP) return;
    if (this.#cancelledTimers * 2 < this.#timers.length) return;
    // A sorted array is a heap.
    this.#timers = this.#timers
      .filter(({ waiting }) => waiting)
      .toSorted((left, right) => (before(left, right) ? -1 : 1));
    this.#cancelledTimers = 0;
  }

  #leave(entry: Entry): void {
    entry.waiting = false;
    if (!entry.background) this.#foregroundTimers -= 1;
  }

  #runOne(): void {
    if (this.#order === 'random') {
      this.#queueDueTimers();
      const index = Math.floor(this.#random() * this.#tasks.length);
      const task = this.#tasks[index];
      const last = this.#tasks.pop();
      if (last !== task && last !== undefined) this.#tasks[index] = last;
      task?.();
    } else if (this.#nextTask < this.#tasks.length) {
      this.#takeOldestTask()?.();
    } else {
      this.#takeNextDue().callback();
    }
  }

  #isReady(): boolean {
    return this.#nextTask < this.#tasks.length || this.#nextDue() <= this.#elapsedMs;
  }

  #takeOldestTask(): (() => void) | undefined {
    const task = this.#tasks[this.#nextTask];
    this.#nextTask += 1;
    if (this.#nextTask * 2 > this.#tasks.length) {
      this.#tasks = this.#tasks.slice(this.#nextTask);
      this.#nextTask = 0;
    }
    return task;
  }

  /**
   * Queues the due timers as tasks, so that the order option applies to them. A timer that is cancelled before its task runs
   * does nothing.
   */
  #queueDueTimers(): void {
    while (this.#nextDue() <= this.#elapsedMs) {
      const due = this.#takeNextDue();
      this.#tasks.push(() => {
        due.callback();
      });
    }
  }
}

/** After `delayMs` above 0. A delay that is lost in rounding still moves the clock, so who waits for a rest of time does not wait for ever. */
function later(nowMs: number, delayMs: number): number {
  const atMs = nowMs + delayMs;
  return atMs > nowMs ? atMs : nowMs * (1 + Number.EPSILON);
}

function deadlock(atMs: number): ListwatchError {
  return new ListwatchError(
    'VIRTUAL_DEADLOCK',
    `the virtual run stopped at ${atMs} ms: no task or timer is left, yet the awaited work has not settled. ` +
      'Something waits outside the Runtime (a socket, a file) or for an event that will never come.',
  );
}

function tooLong(limitMs: number): ListwatchError {
  return new ListwatchError(
    'VIRTUAL_TIME_LIMIT',
    `the virtual run has not settled after ${limitMs} ms of virtual time; raise limitMs if it needs longer`,
  );
}

function nested(method: string): ListwatchError {
  return new ListwatchError(
    'VIRTUAL_NESTED',
    `${OWNER}: ${method}() cannot be called while run() moves the clock. ` +
      `In the work of run(), await sleep(runtime, ms) or what you wait for; or call ${method}() outside run().`,
  );
}

function busyLoop(atMs: number, tasks: number): ListwatchError {
  return new ListwatchError(
    'VIRTUAL_TIME_LIMIT',
    `the virtual run is stuck at ${atMs} ms: ${tasks} tasks ran and the clock never moved. ` +
      'Something queues itself again without a delay.',
  );
}

/** Turns that are queued at once: with one at a time, each task would cost a turn of the event loop. */
const MOST_TURNS = 64;

/**
 * Calls `turn` until it returns false, each time in a macrotask of its own: when it is called, every promise continuation of the call
 * before, and everything it gave to `process.nextTick`, has run. Rejects with what it throws.
 */
function turns(turn: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let queued: NodeJS.Immediate[] = [];
    let next = 0;
    const end = (settle: () => void): void => {
      for (const one of queued.slice(next)) clearRealImmediate(one);
      settle();
    };
    const take = (): void => {
      next += 1;
      try {
        if (!turn()) end(resolve);
        else if (next === queued.length) queue(Math.min(next * 2, MOST_TURNS));
      } catch (error) {
        end(() => reject(error));
      }
    };
    const queue = (count: number): void => {
      next = 0;
      queued = [];
      while (queued.length < count) queued.push(setRealImmediate(take));
    };
    queue(1);
  });
}

function before(left: Entry, right: Entry): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.sequence < right.sequence);
}

function siftUp(heap: Entry[], start: number): void {
  let index = start;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!before(heap[index] as Entry, heap[parent] as Entry)) return;
    swap(heap, index, parent);
    index = parent;
  }
}

function removeFirst(heap: Entry[]): Entry | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (last === undefined || first === last) return first;
  heap[0] = last;
  for (let index = 0; ; ) {
    let least = index;
    for (const child of [2 * index + 1, 2 * index + 2]) {
      const entry = heap[child];
      if (entry !== undefined && before(entry, heap[least] as Entry)) least = child;
    }
    if (least === index) return first;
    swap(heap, index, least);
    index = least;
  }
}

function swap(heap: Entry[], left: number, right: number): void {
  const entry = heap[left] as Entry;
  heap[left] = heap[right] as Entry;
  heap[right] = entry;
}
