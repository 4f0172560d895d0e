import { syncBuiltinESMExports } from 'node:module';
import { ambientSource, startAmbient } from './ambient-run.ts';
import { trackScopes } from './ambient-scope.ts';
import { builtinModule } from './builtin-module.ts';
import { replaceEscapes } from './escape-table.ts';
import type { LoadingClock } from './loading-clock.ts';
import { replaceFunction, replaceProperty, type Callable } from './replace-property.ts';
import { replaceRandom } from './simulated-random.ts';
import {
  promisedImmediate,
  promisedInterval,
  promisedTimeout,
  simulatedAbortTimeout,
  simulatedScheduler,
} from './simulated-timer-promises.ts';
import { simulatedTimers } from './simulated-timers.ts';
import { MachineDate } from './real-sources.ts';

/** The end of a process that a controller has asked for: nothing that it would do after that matters. */
class ProcessEnd extends Error {}

/**
 * Replaces the sources of time and chance of this process by those of the runs, for good, and lets everything real be reported that
 * cannot be simulated. Modules that are loaded later see nothing else; those of the simulator have taken what they need before.
 * @returns the clock of the modules that are loaded next
 */
export function installAmbient(): LoadingClock {
  const loading = startAmbient();
  trackScopes();
  replaceEscapes();
  const process = builtinModule('node:process') as object as NodeJS.Process;
  const timers = builtinModule('node:timers');
  for (const [name, replacement] of Object.entries(simulatedTimers)) {
    replaceProperty(globalThis, name, replacement);
    replaceProperty(timers, name, replacement);
  }
  const promises = builtinModule('node:timers/promises') as object as {
    readonly scheduler: object;
  };
  replaceProperty(promises, 'setTimeout', promisedTimeout);
  replaceProperty(promises, 'setImmediate', promisedImmediate);
  replaceProperty(promises, 'setInterval', promisedInterval);
  for (const [name, replacement] of Object.entries(simulatedScheduler)) {
    replaceProperty(promises.scheduler, name, replacement);
  }
  replaceProperty(AbortSignal, 'timeout', simulatedAbortTimeout);
  replaceDate();
  replaceClocks(
    (builtinModule('node:perf_hooks') as { readonly performance: object }).performance,
    process,
  );
  replaceRandom(builtinModule('node:crypto'));
  replaceEnd(process);
  syncBuiltinESMExports();
  return loading;
}

/** `process.exit` ends the process of the controller. */
function replaceEnd(process: NodeJS.Process): void {
  for (const name of ['exit', 'abort', 'reallyExit']) {
    replaceFunction(process, name, (real) => (code) => {
      const { exit } = ambientSource();
      if (exit === undefined) return real.call(process, code);
      exit(`process.${name}(${typeof code === 'number' ? code : ''})`);
      throw new ProcessEnd('the process has ended');
    });
  }
}

const now = (): number => Math.floor(ambientSource().runtime.wallMs());

/**
 * Dates are those of the machine, so that `instanceof` and `structuredClone` do not change. Only what reads the clock is replaced.
 */
function replaceDate(): void {
  const simulated: DateConstructor = new Proxy(MachineDate, {
    construct(target, given: unknown[], newTarget: Function): Date {
      const parameters = given.length === 0 ? [now()] : given;
      return Reflect.construct(target, parameters, newTarget === simulated ? target : newTarget);
    },
    apply: () => new MachineDate(now()).toString(),
    get: (target, key): unknown => (key === 'now' ? now : Reflect.get(target, key)),
  });
  replaceProperty(globalThis, 'Date', simulated);
  replaceProperty(MachineDate.prototype, 'constructor', simulated);
  replaceFormats();
}

/** A format without a date formats the time of now. */
function replaceFormats(): void {
  const { prototype } = Intl.DateTimeFormat;
  const format = Object.getOwnPropertyDescriptor(prototype, 'format');
  Object.defineProperty(prototype, 'format', {
    ...format,
    get(this: Intl.DateTimeFormat) {
      const real = format?.get?.call(this) as Intl.DateTimeFormat['format'];
      return (date?: Date | number) => real(date ?? now());
    },
  });
  replaceFunction(
    prototype,
    'formatToParts',
    (real) =>
      function (this: unknown, date) {
        return real.call(this, date ?? now());
      },
  );
}

const monotonicNow = (): number => ambientSource().runtime.monotonicMs();
const NANOSECONDS = 1_000_000_000;

/** Replaces `performance` and the clocks of `process`. */
function replaceClocks(performance: object, process: NodeJS.Process): void {
  const prototype: object = Object.getPrototypeOf(performance) as object;
  for (const target of [performance, prototype]) {
    if (Object.hasOwn(target, 'now')) replaceProperty(target, 'now', monotonicNow);
    if (!Object.hasOwn(target, 'timeOrigin')) continue;
    Object.defineProperty(target, 'timeOrigin', { configurable: true, get: origin });
  }
  replaceMarks(performance);
  Object.defineProperty(Event.prototype, 'timeStamp', { configurable: true, get: monotonicNow });
  const nanoseconds = (): bigint => BigInt(Math.round(monotonicNow() * 1e6));
  const hrtime = (since?: [number, number]): [number, number] => {
    const passed = Number(nanoseconds()) - nanosecondsOf(since);
    return [Math.floor(passed / NANOSECONDS), passed % NANOSECONDS];
  };
  replaceProperty(process, 'hrtime', Object.assign(hrtime, { bigint: nanoseconds }));
  replaceProperty(process, 'uptime', () => monotonicNow() / 1000);
}

function origin(): number {
  const { runtime } = ambientSource();
  return runtime.wallMs() - runtime.monotonicMs();
}

function nanosecondsOf(time: [number, number] | undefined): number {
  return time === undefined ? 0 : time[0] * NANOSECONDS + time[1];
}

/** Marks and measures get their times from the simulated clock. */
function replaceMarks(performance: object): void {
  replaceFunction(performance, 'mark', (real) => (name, options) => {
    const given = typeof options === 'object' ? options : {};
    return real.call(performance, name, { startTime: monotonicNow(), ...given });
  });
  replaceFunction(performance, 'measure', (real) => (name, start, end) => {
    if (typeof start === 'object' && start !== null)
      return measureWith(real, performance, name, start);
    const from = start === undefined ? {} : { start };
    return real.call(performance, name, { start: 0, ...from, end: end ?? monotonicNow() });
  });
}

function measureWith(real: Callable, performance: object, name: unknown, given: object): unknown {
  const isBounded = 'end' in given || 'duration' in given;
  return real.call(performance, name, isBounded ? given : { ...given, end: monotonicNow() });
}
