import { ListwatchError } from '../failure/errors.ts';
import { nearName } from '../text/near-name.ts';
import { plainText } from '../text/plain-text.ts';

const LONGEST_NAME = 60;
/** The length of a list of options in a message, characters. */
const LONGEST_LIST = 250;

/**
 * Refuses option names that do not exist, so that a misspelled option is not silently ignored.
 * @throws {ListwatchError} code INVALID_OPTION naming the option and the known ones.
 */
export function rejectUnknownOptions(
  owner: string,
  options: object,
  known: readonly string[],
): void {
  if (typeof options !== 'object' || options === null) {
    throw new ListwatchError(
      'INVALID_OPTION',
      `${owner}: the options must be an object, not ${typeof options === 'object' ? 'null' : typeof options}`,
    );
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `${owner}: unknown option "${plainText(name, LONGEST_NAME)}"; ${suggestion(name, known)}`,
      );
    }
  }
}

/** The option that was probably meant; otherwise the known ones, as many as a line takes. */
function suggestion(name: string, known: readonly string[]): string {
  const near = nearName(name, known);
  if (near !== undefined) return `did you mean "${near}"?`;
  const list = known.join(', ');
  return `known are ${list.length > LONGEST_LIST ? plainText(list, LONGEST_LIST) : list}`;
}

/**
 * Refuses options that lack a required one.
 * @throws {ListwatchError} code INVALID_OPTION naming the option.
 */
export function requireOptions<O extends object>(
  owner: string,
  options: O,
  required: readonly (keyof O & string)[],
): void {
  for (const name of required) {
    if (options?.[name] === undefined || options[name] === null) {
      throw new ListwatchError('INVALID_OPTION', `${owner}: option "${name}" is required`);
    }
  }
}

export interface NumberRule {
  readonly min: number;
  readonly max?: number | undefined;
  readonly integer?: boolean | undefined;
}

/**
 * Reads a number option: the default when left out, otherwise the value if it obeys the rule (bounds included).
 * @throws {ListwatchError} code INVALID_OPTION naming option, rule and value.
 */
export function numberOption(
  owner: string,
  name: string,
  value: number | undefined,
  fallback: number,
  { min, max = Infinity, integer = false }: NumberRule,
): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && value >= min && value <= max) {
    if (!integer || Number.isInteger(value) || value === Infinity) return value;
  }
  const kind = integer ? 'a whole number' : 'a number';
  const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new ListwatchError(
    'INVALID_OPTION',
    `${owner}: option "${name}" must be ${kind} ${range}, not ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`,
  );
}
