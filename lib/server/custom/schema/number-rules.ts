import { goFloat, goNumber, isInt64, toInt64 } from '../../registry/rules/go-number.ts';
import type { SchemaNode } from './schema-node.ts';

const LARGEST_INT32 = 2 ** 31;
const LARGEST_FLOAT = 3.402_823_466_385_288_6e38;

/** A rule that a number breaks, and the number that the message shows; none for a problem of the rule itself. */
export type NumberProblem = (text: string, shown?: number) => void;

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
    problem(`${what} value must be of type ${type} ${kind} in ${name}`);
    return false;
  };
  inRange(value, 'Checked');
  const { multipleOf, minimum, maximum, exclusiveMaximum, exclusiveMinimum } = limits;
  const whole = isInt64(value);
  const limitOf = (limit: number, what: string): Limit =>
    inRange(limit, what) && whole ? wholeLimit(limit) : { value: limit, text: goFloat(limit) };
  if (multipleOf !== undefined) {
    checkMultiple(value, limitOf(multipleOf, 'MultipleOf'), name, problem);
  }
  if (minimum !== undefined) {
    const { value: limit, text } = limitOf(minimum, 'Minimum boundary');
    if (exclusiveMinimum ? value <= limit : value < limit) {
      problem(`should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${text}`, value);
    }
  }
  if (maximum !== undefined) {
    const { value: limit, text } = limitOf(maximum, 'Maximum boundary');
    if (exclusiveMaximum ? value >= limit : value > limit) {
      problem(`should be less than ${exclusiveMaximum ? '' : 'or equal to '}${text}`, value);
    }
  }
}

/** A limit, and how a message shows it. */
interface Limit {
  readonly value: number;
  readonly text: string;
}

/** A limit for an integer is one, too. */
function wholeLimit(limit: number): Limit {
  const value = toInt64(limit);
  return { value, text: goNumber(value) };
}

function isOfType(value: number, type: string, format: string): boolean {
  if (type === 'integer') {
    if (format !== 'int32') return isInt64(value);
    return Number.isInteger(value) && value >= -LARGEST_INT32 && value < LARGEST_INT32;
  }
  return format !== 'float' || Math.abs(value) <= LARGEST_FLOAT;
}

function checkMultiple(
  value: number,
  { value: factor, text }: Limit,
  name: string,
  problem: NumberProblem,
): void {
  if (factor <= 0) {
    problem(`factor MultipleOf declared for ${name} must be positive: ${text}`, factor);
    return;
  }
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  const isMultiple =
    isInt64(value) && Number.isInteger(factor) ? value % factor === 0 : isNearlyWhole(times);
  if (!isMultiple) problem(`should be a multiple of ${text}`, value);
}

/**
 * As go-openapi decides whether a double is a whole number: a little above one counts, a little below does not, nor does a negative
 * one with a fraction.
 */
export function isNearlyWhole(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  if (value === whole) return true;
  return whole > 0 && (value - whole) / (value + whole) < 1e-9;
}
