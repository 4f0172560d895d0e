import { goNumber } from './go-values.ts';
import type { SchemaNode } from './schema-node.ts';

const LARGEST_INT32 = 2 ** 31;
const LARGEST_INT64 = 2 ** 63;
const LARGEST_FLOAT = 3.402_823_466_385_288_6e38;

/** A rule that a number breaks; one about the rule itself has no place. */
export type NumberProblem = (text: string, hasPlace: boolean) => void;

/**
 * Checks a number. A limit that is no number of the type is a problem of its own.
 * @see kube-openapi pkg/validation/validate/validator.go numberValidator @ 43fb72c5454a
 */
export function checkNumber(
  value: number,
  { types, format, limits }: SchemaNode,
  name: string,
  problem: NumberProblem,
): void {
  const type = types.length === 1 ? (types[0] as string) : '';
  const inRange = (number: number, what: string): boolean => {
    if (isOfType(number, type, format)) return true;
    const kind = format === '' ? '(default format)' : `with format ${format}`;
    problem(`${what} value must be of type ${type} ${kind} in ${name}`, false);
    return false;
  };
  inRange(value, 'Checked');
  const { multipleOf, minimum, maximum, exclusiveMaximum, exclusiveMinimum } = limits;
  const whole = isInt64(value);
  const shown = (limit: number): string => goNumber(whole ? Math.trunc(limit) : limit);
  if (multipleOf !== undefined) {
    const plain = !inRange(multipleOf, 'MultipleOf');
    checkMultiple(value, plain || !whole ? multipleOf : Math.trunc(multipleOf), name, problem);
  }
  if (minimum !== undefined) {
    const plain = !inRange(minimum, 'Minimum boundary');
    const limit = plain || !whole ? minimum : Math.trunc(minimum);
    const text = plain ? goNumber(minimum) : shown(minimum);
    if (exclusiveMinimum ? value <= limit : value < limit) {
      problem(`should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${text}`, true);
    }
  }
  if (maximum !== undefined) {
    const plain = !inRange(maximum, 'Maximum boundary');
    const limit = plain || !whole ? maximum : Math.trunc(maximum);
    const text = plain ? goNumber(maximum) : shown(maximum);
    if (exclusiveMaximum ? value >= limit : value > limit) {
      problem(`should be less than ${exclusiveMaximum ? '' : 'or equal to '}${text}`, true);
    }
  }
}

/** Whether Go reads a number as an integer. The largest, 2^63 - 1, is 2^63 here, as the nearest double. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -LARGEST_INT64 && value <= LARGEST_INT64;
}

function isOfType(value: number, type: string, format: string): boolean {
  if (type === 'integer') {
    if (format !== 'int32') return isInt64(value);
    return Number.isInteger(value) && value >= -LARGEST_INT32 && value < LARGEST_INT32;
  }
  return format !== 'float' || Math.abs(value) <= LARGEST_FLOAT;
}

function checkMultiple(value: number, factor: number, name: string, problem: NumberProblem): void {
  if (factor <= 0) {
    problem(`factor MultipleOf declared for ${name} must be positive: ${goNumber(factor)}`, true);
    return;
  }
  if (Number.isInteger(value) && Number.isInteger(factor)) {
    if (value % factor !== 0) problem(`should be a multiple of ${goNumber(factor)}`, true);
    return;
  }
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  if (!isNearlyWhole(times)) problem(`should be a multiple of ${goNumber(factor)}`, true);
}

/** As go-openapi decides whether a double is a whole number. */
export function isNearlyWhole(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const rounded = Math.abs(value - Math.trunc(value));
  const gap = rounded === 0 ? 0 : Math.abs(value - Math.round(value));
  if (gap === 0) return true;
  if (value === 0 || Math.trunc(value) === 0) return gap < Number.EPSILON;
  return gap / (Math.abs(value) + Math.abs(Math.trunc(value))) < 1e-9;
}
