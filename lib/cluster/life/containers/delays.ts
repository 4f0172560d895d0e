import type { Runtime } from '../../../kernel/time/runtime.ts';

/** Milliseconds: a number, a range in which each value is as likely, or a function of a random number in [0, 1). */
export type Delay =
  | number
  | { readonly min: number; readonly max: number }
  | ((random: number) => number);

/** A delay, drawn. A value that is no time counts as 0. */
export function drawn(delay: Delay, runtime: Pick<Runtime, 'random'>): number {
  const ms =
    typeof delay === 'number'
      ? delay
      : typeof delay === 'function'
        ? delay(runtime.random())
        : delay.min + runtime.random() * (delay.max - delay.min);
  return Number.isNaN(ms) ? 0 : Math.max(0, Math.round(ms));
}
