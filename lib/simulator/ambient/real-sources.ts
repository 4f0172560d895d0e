import { performance as clock } from 'node:perf_hooks';
// The default export, as in real-process.ts.
import process from 'node:process';
import type { Runtime } from '../../kernel/time/runtime.ts';

// Taken when this module is loaded, which is before anything is replaced: the simulator itself goes on with the machine's own.

const RealDate = Date;
const setRealTimeout = setTimeout;
const clearRealTimeout = clearTimeout;
const setRealImmediate = setImmediate;
const clearRealImmediate = clearImmediate;
const setRealInterval = setInterval;
const realNow = clock.now.bind(clock);
const realDateNow = Date.now;
const realRandom = Math.random;

/** The machine's clock, timers and random numbers, also where they are replaced for controllers. */
export const machineRuntime: Runtime = {
  wallMs: realDateNow,
  monotonicMs: realNow,
  random: realRandom,
  setTimer(delayMs, callback, options) {
    const handle = setRealTimeout(callback, delayMs);
    if (options?.background === true) handle.unref();
    return { cancel: () => clearRealTimeout(handle) };
  },
  queueTask: (task) => {
    setRealImmediate(task);
  },
};

/** The working directory of this process. */
export const machineFolder: () => string = process.cwd.bind(process);

/** The class of dates of the machine. */
export const MachineDate: DateConstructor = RealDate;

/** Node's timer functions. Handles that they gave may reach code that has the replaced ones. */
export const machineTimers: {
  readonly clearTimeout: typeof clearTimeout;
  readonly clearImmediate: typeof clearImmediate;
  readonly setInterval: typeof setInterval;
} = {
  clearTimeout: clearRealTimeout,
  clearImmediate: clearRealImmediate,
  setInterval: setRealInterval,
};
