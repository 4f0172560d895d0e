import { randomBytes, randomInt, randomUUID, webcrypto } from 'node:crypto';
import { EventEmitter, on, once } from 'node:events';
import { createRequire } from 'node:module';
import { performance as hooked } from 'node:perf_hooks';
import { hrtime } from 'node:process';
import { Readable } from 'node:stream';
import timersDefault from 'node:timers';
import { setTimeout as colonTimeout } from 'node:timers';
import { scheduler, setInterval as ticks, setTimeout as wait } from 'node:timers/promises';
import { setTimeout as plainTimeout } from 'timers';
import { promisify } from 'node:util';
import type { Runtime } from '../../../../lib/kernel/time/runtime.ts';
import { cached, Started } from './cached-globals.ts';

const required = createRequire(import.meta.url)('timers') as typeof timersDefault;

/** Returns what it has read, or how long it has waited. */
type Trick = (runtime: Runtime) => unknown;

type Start = (callback: () => void, delayMs: number) => unknown;

const through = (start: Start) => () =>
  new Promise<void>((resolve) => {
    start(resolve, 250);
  });

/** How far the wall clock of the run and a date are apart, milliseconds. */
const isNow = (ms: number, runtime: Runtime): boolean => ms === Math.floor(runtime.wallMs());

/** Waits that take 250 ms of virtual time, and of no other. */
export const WAITS: Readonly<Record<string, Trick>> = {
  'global setTimeout': through(setTimeout),
  'setTimeout of timers': through(plainTimeout),
  'setTimeout of node:timers': through(colonTimeout),
  'setTimeout of the default export of node:timers': through(timersDefault.setTimeout),
  'require of timers': through(required.setTimeout),
  'setTimeout that another module has kept': through(cached.cachedSetTimeout),
  'util.promisify(setTimeout)': () => promisify(setTimeout)(250),
  'setTimeout of node:timers/promises': () => wait(250),
  'scheduler.wait': () => scheduler.wait(250),
  'setInterval of node:timers/promises': async () => {
    for await (const _ of ticks(125)) if ((counted += 1) % 2 === 0) return;
  },
  setInterval: () =>
    new Promise<void>((resolve) => {
      let count = 0;
      const timer = setInterval(() => {
        count += 1;
        if (count < 5) return;
        clearInterval(timer);
        resolve();
      }, 50);
    }),
  'AbortSignal.timeout': () => once(AbortSignal.timeout(250), 'abort'),
  'AbortSignal.any with a timeout': () =>
    once(AbortSignal.any([new AbortController().signal, AbortSignal.timeout(250)]), 'abort'),
  'events.once and a timer': async () => {
    const emitter = new EventEmitter();
    setTimeout(() => emitter.emit('ready'), 250);
    await once(emitter, 'ready');
  },
  'events.on with a signal': async () => {
    const events = on(new EventEmitter(), 'never', { signal: AbortSignal.timeout(250) });
    await events.next().catch(() => {});
  },
  'a timer that is refreshed': async () => {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 150);
      setTimeout(() => timer.refresh(), 100);
    });
  },
  'a timer that is cleared by its number': async () => {
    const number = Number(setTimeout(() => (counted += 1_000_000), 100));
    clearTimeout(number);
    await wait(250);
    if (counted >= 1_000_000) throw new Error('it has fired');
  },
  'a delay that is too long for Node, which then takes the shortest': async () => {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 2 ** 31);
    });
    await wait(249);
  },
};

let counted = 0;

/** True if the value read is that of the run. */
export const CLOCKS: Readonly<Record<string, Trick>> = {
  'Date.now': (runtime) => isNow(Date.now(), runtime),
  'new Date': (runtime) => isNow(new Date().getTime(), runtime),
  'Date as a function': (runtime) => Date() === new Date(runtime.wallMs()).toString(),
  'a class that extends Date': (runtime) => {
    class Moment extends Date {}
    const moment = new Moment();
    return isNow(moment.getTime(), runtime) && moment instanceof Moment && moment instanceof Date;
  },
  'the constructor of a date': (runtime) => {
    const { constructor } = Object.getPrototypeOf(new Date(0)) as { constructor: DateConstructor };
    return isNow(new constructor().getTime(), runtime);
  },
  'Date that another module has kept': (runtime) => isNow(cached.CachedDate.now(), runtime),
  'a date of a static initialiser is the fixed time before all runs': () =>
    Started.at === Date.UTC(2024, 0, 1),
  'structuredClone of a date': (runtime) => {
    const clone = structuredClone(new Date());
    return isNow(clone.getTime(), runtime) && clone instanceof Date;
  },
  'Intl.DateTimeFormat without a date': (runtime) => {
    const format = new Intl.DateTimeFormat('en', { timeStyle: 'medium', timeZone: 'UTC' });
    return format.format() === format.format(runtime.wallMs());
  },
  'performance.now': (runtime) => performance.now() === runtime.monotonicMs(),
  'performance of node:perf_hooks': (runtime) => hooked.now() === runtime.monotonicMs(),
  'performance.timeOrigin': (runtime) =>
    Math.abs(performance.timeOrigin + performance.now() - runtime.wallMs()) < 0.001,
  'performance.mark': (runtime) => performance.mark('one').startTime === runtime.monotonicMs(),
  'process.hrtime': (runtime) => {
    const [seconds, nanoseconds] = process.hrtime();
    return Math.abs(seconds * 1e3 + nanoseconds / 1e6 - runtime.monotonicMs()) < 0.001;
  },
  'hrtime.bigint of node:process': (runtime) =>
    Math.abs(Number(hrtime.bigint()) / 1e6 - runtime.monotonicMs()) < 0.001,
  'process.uptime': (runtime) => process.uptime() * 1000 === runtime.monotonicMs(),
  'the time of an event': (runtime) => new Event('one').timeStamp === runtime.monotonicMs(),
  'setImmediate, scheduler.yield, nextTick and streams take no time': async (runtime) => {
    const startMs = runtime.monotonicMs();
    await new Promise((resolve) => setImmediate(resolve));
    await promisify(setImmediate)();
    await scheduler.yield();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    await Readable.from(['a', 'b']).toArray();
    return runtime.monotonicMs() === startMs;
  },
};

/** The drawn value is the same in each run of a plan. */
export const DRAWS: Readonly<Record<string, Trick>> = {
  'Math.random': () => Math.random(),
  'Math.random that another module has kept': () => cached.random(),
  'crypto.randomUUID': () => crypto.randomUUID(),
  'crypto.getRandomValues': () => String(crypto.getRandomValues(new Uint32Array(2))),
  'webcrypto.getRandomValues': () => String(webcrypto.getRandomValues(new Uint8Array(4))),
  'randomUUID of node:crypto': () => randomUUID(),
  'randomBytes of node:crypto': () => randomBytes(4).toString('hex'),
  'randomBytes with a callback': async () => (await promisify(randomBytes)(4)).toString('hex'),
  'randomInt of node:crypto': () => randomInt(1_000_000),
};
