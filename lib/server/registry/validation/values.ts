import type { Check } from './check.ts';
import { isChanged } from './combine.ts';
import type { Format } from './formats.ts';

/** A text that has to have the form. */
export function format(problemsOf: Format): Check {
  return (value, path, report) => {
    if (typeof value !== 'string') return;
    for (const problem of problemsOf(value)) report.invalid(path, value, problem);
  };
}

/** One of these values, which the message names in this order. */
export function oneOf(values: readonly unknown[]): Check {
  return (value, path, report) => {
    if (value === undefined || values.includes(value)) return;
    report.notSupported(path, value, values);
  };
}

/** A number of at least this. */
export function atLeast(
  least: number,
  detail = `must be greater than or equal to ${least}`,
): Check {
  return (value, path, report) => {
    if (typeof value === 'number' && value < least) report.invalid(path, value, detail);
  };
}

export const nonNegative: Check = atLeast(0);

export const positive: Check = atLeast(1, 'must be greater than 0');

/** A number from `least` to `most`, both included. */
export function between(least: number, most: number): Check {
  const detail = `must be between ${least} and ${most}, inclusive`;
  return (value, path, report) => {
    if (typeof value === 'number' && (value < least || value > most)) {
      report.invalid(path, value, detail);
    }
  };
}

export const portNumber: Check = between(1, 65_535);

/** An update must not change it. */
export const immutable: Check = (value, path, report, old) => {
  if (isChanged(value, report, old)) report.immutable(path, value ?? null);
};
