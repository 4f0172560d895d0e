import type { Runtime } from '../../../kernel/time/runtime.ts';

/** Milliseconds: a number, a range in which each value is as likely, or a function of a random number in [0, 1). */
export type Delay =
  | number
  | { readonly min: number; readonly max: number }
  | ((random: number) => number);

/** Whether an option is a delay; what a function returns is not known yet. */
export function isDelay(given: unknown): given is Delay {
  if (typeof given === 'number') return !Number.isNaN(given);
  if (typeof given === 'function') return true;
  const { min, max } = Object(given) as { readonly min?: unknown; readonly max?: unknown };
  return typeof min === 'number' && typeof max === 'number' && min <= max;
}

/** A delay, drawn. A value that is no time counts as 0. */
export function drawn(delay: Delay, runtime: Pick<Runtime, 'random'>): number {
  const ms =
    typeof delay === 'number'
      ? delay
      : typeof delay === 'function'
        ? delay(runtime.random())
        : delay.min + runtime.random() * (delay.max - delay.min);
  // A function may return anything.
  return ms > 0 ? Math.round(ms) : 0;
}
