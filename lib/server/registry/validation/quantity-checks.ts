import { parseQuantity } from '../../../meta/quantity.ts';
import type { Check } from './check.ts';

const NANO = 1_000_000_000n;

/**
 * The amount in units of 10⁻⁹; 0 for what is no quantity, because typed reading has refused such a body. Plain whole numbers, the
 * most frequent ones, need no parser.
 */
export function nanosOf(value: unknown): bigint {
  if (typeof value !== 'string') return 0n;
  return /^\d{1,15}$/.test(value) ? BigInt(value) * NANO : parseQuantity(value).nanos;
}

/** Negative when `left` is less, 0 when both are equal, positive when it is greater. */
export function compareQuantities(left: unknown, right: unknown): number {
  const difference = nanosOf(left) - nanosOf(right);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The amount as a whole number, rounded up, as Go's `Quantity.Value` gives it. */
export function wholeOf(value: unknown): bigint {
  const nanos = nanosOf(value);
  const whole = nanos / NANO;
  return nanos > 0n && nanos % NANO !== 0n ? whole + 1n : whole;
}

/** Whether the amount is a multiple of 1. */
export function isWholeQuantity(value: unknown): boolean {
  return nanosOf(value) % NANO === 0n;
}

function quantityCheck(isRight: (value: string) => boolean, detail: string): Check {
  return (value, path, report) => {
    if (typeof value === 'string' && !isRight(value)) report.invalid(path, value, detail);
  };
}

export const nonNegativeQuantity: Check = quantityCheck(
  (value) => nanosOf(value) >= 0n,
  'must be greater than or equal to 0',
);

export const positiveQuantity: Check = quantityCheck(
  (value) => nanosOf(value) > 0n,
  'must be greater than zero',
);

/** Resources that are counted have no fractions. */
export const wholeQuantity: Check = quantityCheck(isWholeQuantity, 'must be an integer');
