import { promisify } from 'node:util';
import { errorMessage } from '../../kernel/failure/errors.ts';
import type { Timer } from '../../kernel/time/runtime.ts';
import { ambientSource, timerStack, type AmbientSource, type StartedTimer } from './ambient-run.ts';
import { machineTimers } from './real-sources.ts';
import { promisedImmediate, promisedTimeout } from './simulated-timer-promises.ts';

type Callback = (...parameters: unknown[]) => void;

/** As Node has it: a longer delay counts as the shortest one. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

let nextId = 1;
/** Those whose number was asked for: `clearTimeout` takes a number too. */
const numbered = new Map<number, SimulatedTimeout>();

/** The common part of the handles of all timers. */
abstract class SimulatedHandle implements StartedTimer {
  readonly what: string;
  readonly stack: string | undefined = timerStack();
  #hasRef = true;

  constructor(what: string) {
    this.what = what;
  }

  ref(): this {
    this.#hasRef = true;
    return this;
  }

  unref(): this {
    this.#hasRef = false;
    return this;
  }

  hasRef(): boolean {
    return this.#hasRef;
  }

  abstract close(): void;

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The handle of a timer, as Node's `Timeout`. */
class SimulatedTimeout extends SimulatedHandle {
  readonly #source: AmbientSource;
  readonly #callback: () => void;
  readonly #delayMs: number;
  readonly #repeats: boolean;
  readonly #id: number;
  #timer: Timer | undefined;

  constructor(what: string, callback: () => void, delayMs: number, repeats: boolean) {
    super(what);
    this.#source = ambientSource();
    this.#callback = callback;
    this.#delayMs = delayMs;
    this.#repeats = repeats;
    this.#id = nextId;
    nextId += 1;
    this.#arm();
  }

  refresh(): this {
    this.#timer?.cancel();
    this.#arm();
    return this;
  }

  close(): this {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#source.timers.delete(this);
    numbered.delete(this.#id);
    return this;
  }

  [Symbol.toPrimitive](): number {
    numbered.set(this.#id, this);
    return this.#id;
  }

  #arm(): void {
    this.#source.timers.add(this);
    this.#timer = this.#source.runtime.setTimer(this.#delayMs, () => {
      if (this.#repeats) this.#arm();
      else this.close();
      guarded(this.#source, this.#callback);
    });
  }
}

/** The handle of `setImmediate`. */
class SimulatedImmediate extends SimulatedHandle {
  readonly #source: AmbientSource = ambientSource();
  #waits = true;

  constructor(callback: () => void) {
    super('setImmediate');
    this.#source.timers.add(this);
    this.#source.runtime.queueTask(() => {
      if (!this.#waits) return;
      this.close();
      guarded(this.#source, callback);
    });
  }

  close(): void {
    this.#waits = false;
    this.#source.timers.delete(this);
  }
}

/** An error that a callback throws ends its process. */
function guarded({ exit }: AmbientSource, callback: () => void): void {
  if (exit === undefined) {
    callback();
    return;
  }
  try {
    callback();
  } catch (error) {
    exit(`a timer has thrown: ${errorMessage(error)}`);
  }
}

function delayOf(given: unknown): number {
  const delayMs = Number(given);
  return delayMs >= 1 && delayMs <= LONGEST_DELAY_MS ? Math.trunc(delayMs) : 1;
}

function callbackOf(given: unknown, parameters: unknown[]): () => void {
  if (typeof given !== 'function') {
    const error = new TypeError('The "callback" argument must be of type function');
    throw Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' });
  }
  return () => {
    (given as Callback)(...parameters);
  };
}

function setTimeout(callback: unknown, delayMs?: unknown, ...parameters: unknown[]): object {
  const call = callbackOf(callback, parameters);
  return new SimulatedTimeout('setTimeout', call, delayOf(delayMs), false);
}

function setInterval(callback: unknown, delayMs?: unknown, ...parameters: unknown[]): object {
  const call = callbackOf(callback, parameters);
  return new SimulatedTimeout('setInterval', call, delayOf(delayMs), true);
}

function setImmediate(callback: unknown, ...parameters: unknown[]): object {
  return new SimulatedImmediate(callbackOf(callback, parameters));
}

function clearTimeout(handle: unknown): void {
  if (handle instanceof SimulatedTimeout) handle.close();
  else if (typeof handle === 'number' || typeof handle === 'string') {
    numbered.get(Number(handle))?.close();
  } else {
    // One that Node's own code has started.
    machineTimers.clearTimeout(handle as Parameters<typeof machineTimers.clearTimeout>[0]);
  }
}

function clearImmediate(handle: unknown): void {
  if (handle instanceof SimulatedImmediate) handle.close();
  else machineTimers.clearImmediate(handle as Parameters<typeof machineTimers.clearImmediate>[0]);
}

Object.defineProperty(setTimeout, promisify.custom, { value: promisedTimeout, enumerable: true });
Object.defineProperty(setImmediate, promisify.custom, {
  value: promisedImmediate,
  enumerable: true,
});

/** The replacements of the functions of `node:timers`, which are global too. */
export const simulatedTimers: Readonly<Record<string, Function>> = {
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval: clearTimeout,
  clearImmediate,
};
