import { ambientSource } from './ambient-run.ts';
import { MachineDate } from './real-sources.ts';
import { replaceFunction, replaceProperty } from './replace-property.ts';

const now = (): number => Math.floor(ambientSource().runtime.wallMs());

/**
 * Dates are those of the machine, so that `instanceof` and `structuredClone` do not change. Only what reads the clock is replaced.
 */
export function replaceDate(): void {
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
