import type { Check } from './check.ts';
import { percent } from './formats.ts';
import { format, nonNegative } from './values.ts';

/** A number that is not negative, or a text such as `50%`. @see pkg/apis/apps/validation/validation.go @ v1.36.3 */
export const intOrPercent: Check = (value, path, report) => {
  const check = typeof value === 'string' ? percentText : nonNegative;
  check(value, path, report);
};

const percentText = format(percent);

export const atMostAllPercent: Check = (value, path, report) => {
  if (isPercent(value) && intOrPercentValue(value) > 100) {
    report.invalid(path, value, 'must not be greater than 100%');
  }
};

function isPercent(value: unknown): boolean {
  return typeof value === 'string' && percent(value).length === 0;
}

/** The number of percents, or the number; 0 for a text without a number. */
export function intOrPercentValue(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^[+-]?\d+%?$/.test(value)) return 0;
  return isPercent(value) || !value.endsWith('%') ? Number.parseInt(value, 10) : 0;
}
