import { ambientSource } from './ambient-run.ts';
import { replaceFunction, replaceProperty, type Callable } from './replace-property.ts';

const now = (): number => ambientSource().runtime.monotonicMs();
const NANOSECONDS = 1_000_000_000;

/** Replaces `performance` and the clocks of `process`. */
export function replaceClocks(performance: object, process: NodeJS.Process): void {
  const prototype: object = Object.getPrototypeOf(performance) as object;
  for (const target of [performance, prototype]) {
    if (Object.hasOwn(target, 'now')) replaceProperty(target, 'now', now);
    if (!Object.hasOwn(target, 'timeOrigin')) continue;
    Object.defineProperty(target, 'timeOrigin', { configurable: true, get: origin });
  }
  replaceMarks(performance);
  Object.defineProperty(Event.prototype, 'timeStamp', { configurable: true, get: now });
  const nanoseconds = (): bigint => BigInt(Math.round(now() * 1e6));
  const hrtime = (since?: [number, number]): [number, number] => {
    const passed = Number(nanoseconds()) - nanosecondsOf(since);
    return [Math.floor(passed / NANOSECONDS), passed % NANOSECONDS];
  };
  replaceProperty(process, 'hrtime', Object.assign(hrtime, { bigint: nanoseconds }));
  replaceProperty(process, 'uptime', () => now() / 1000);
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
    return real.call(performance, name, { startTime: now(), ...given });
  });
  replaceFunction(performance, 'measure', (real) => (name, start, end) => {
    if (typeof start === 'object' && start !== null)
      return measureWith(real, performance, name, start);
    const from = start === undefined ? {} : { start };
    return real.call(performance, name, { start: 0, ...from, end: end ?? now() });
  });
}

function measureWith(real: Callable, performance: object, name: unknown, given: object): unknown {
  const isBounded = 'end' in given || 'duration' in given;
  return real.call(performance, name, isBounded ? given : { ...given, end: now() });
}
