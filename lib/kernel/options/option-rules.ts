import { ListwatchError } from '../failure/errors.ts';
import { plainText } from '../text/plain-text.ts';

/** The length of a value in a message, characters. */
const LONGEST_VALUE = 60;

interface RuleTraits {
  readonly isRequired?: boolean;
  /** Whether an error shows a text that is refused: not for an option that may be a secret. */
  readonly showsText?: boolean;
  /** The value in place of the one that is given. */
  readonly as?: (given: never) => unknown;
  /** Checks the options of a value that is an object. */
  readonly within?: (given: object, owner: string, path: string) => void;
}

/**
 * The rule of one option: the values that it accepts, and the value that it has when it is left out. `Accepted` are the values that
 * pass; `Default` is `undefined` for an option without a default, and `never` for a required one.
 */
export class OptionRule<in Accepted, out Default> {
  /** Only for the type. */
  declare readonly accepted: (value: Accepted) => void;
  /** Completes "must be", for example `a function`. */
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
  readonly fallback: Default;
  readonly isRequired: boolean;
  readonly #traits: RuleTraits;

  constructor(
    expected: string,
    accepts: (value: unknown) => boolean,
    fallback: Default,
    traits: RuleTraits,
  ) {
    this.expected = expected;
    this.accepts = accepts;
    this.fallback = fallback;
    this.isRequired = traits.isRequired === true;
    this.#traits = traits;
  }

  default<D extends Accepted>(fallback: D): OptionRule<Accepted, D> {
    return new OptionRule(this.expected, this.accepts, fallback, this.#traits);
  }

  /** The same rule; `turn` makes the value that is read. */
  as<A extends Accepted>(turn: (given: A) => A): OptionRule<A, Default> {
    return new OptionRule<A, Default>(this.expected, this.accepts, this.fallback, {
      ...this.#traits,
      as: turn,
    });
  }

  get required(): OptionRule<Accepted, never> {
    const traits = { ...this.#traits, isRequired: true };
    return new OptionRule(this.expected, this.accepts, undefined as never, traits);
  }

  /**
   * The value, or the default for one that was left out.
   * @throws {ListwatchError} code INVALID_OPTION naming option, rule and value.
   */
  read<V>(owner: string, name: string, given: V): Exclude<V, undefined> | Default {
    const { showsText, within, as } = this.#traits;
    if (given === undefined || (given === null && this.isRequired)) {
      if (this.isRequired) throw invalidOption(owner, `option "${name}" is required`);
      return this.fallback;
    }
    if (!this.accepts(given)) {
      const text = `must be ${this.expected}, not ${shown(given, showsText)}`;
      throw invalidOption(owner, `option "${name}" ${text}`);
    }
    if (typeof given === 'object' && given !== null) within?.(given, owner, `${name}.`);
    return (as === undefined ? given : as(given as never)) as Exclude<V, undefined>;
  }
}

type Optional<Accepted> = OptionRule<Accepted, undefined>;

/** A rule of its own: `expected` completes "must be". An error does not show a text that is refused. */
export function rule<Accepted>(
  expected: string,
  accepts: (value: unknown) => boolean,
): Optional<Accepted> {
  return new OptionRule<Accepted, undefined>(expected, accepts, undefined, {});
}

/** A rule of its own for an option that is no secret: an error shows the text that is refused. */
export function openRule<Accepted>(
  expected: string,
  accepts: (value: unknown) => boolean,
): Optional<Accepted> {
  return new OptionRule<Accepted, undefined>(expected, accepts, undefined, { showsText: true });
}

/** Bounds are included. */
export interface NumberRule {
  readonly min: number;
  /** @defaultValue Infinity */
  readonly max?: number | undefined;
}

export function number({ min, max = Infinity }: NumberRule): Optional<number> {
  return openRule(`a number ${range(min, max)}`, (given) => isWithin(given, min, max));
}

/** A whole number; without `max` also Infinity, which means "without limit". */
export function integer({ min, max = Infinity }: NumberRule): Optional<number> {
  return openRule(
    `a whole number ${range(min, max)}`,
    (given) => isWithin(given, min, max) && (Number.isInteger(given) || given === Infinity),
  );
}

function isWithin(given: unknown, min: number, max: number): given is number {
  return typeof given === 'number' && given >= min && given <= max;
}

function range(min: number, max: number): string {
  return max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
}

export function text(): Optional<string> {
  return TEXT;
}

/** A text that is not empty. */
export function filledText(): Optional<string> {
  return openRule('a text that is not empty', (given) => typeof given === 'string' && given !== '');
}

export function texts(): Optional<readonly string[]> {
  return TEXTS;
}

export function flag(): Optional<boolean> {
  return FLAG;
}

export function callback(): Optional<(...given: never[]) => unknown> {
  return CALLBACK;
}

/** An object; its members are not checked. */
export function object(): Optional<object> {
  return OBJECT;
}

/** An object with these methods. `expected` says where one comes from. */
export function methods(expected: string, ...names: readonly string[]): Optional<object> {
  return rule(expected, (given) => {
    return isObject(given) && names.every((name) => typeof Reflect.get(given, name) === 'function');
  });
}

/** Checks the shape and not the class: a test environment may have its own AbortSignal class. */
export function abortSignal(): Optional<AbortSignal> {
  return SIGNAL;
}

export function oneOf<const Choices extends readonly (string | boolean)[]>(
  ...choices: Choices
): Optional<Choices[number]> {
  const list = choices.map((choice) => (typeof choice === 'string' ? `'${choice}'` : `${choice}`));
  const last = list.pop() ?? '';
  const expected = list.length === 0 ? last : `${list.join(', ')} or ${last}`;
  return openRule(expected, (given) => choices.includes(given as string));
}

/** For an option that its owner checks, or that may have any value. */
export function anything(): Optional<unknown> {
  return ANYTHING;
}

const TEXT = rule<string>('a string', (given) => typeof given === 'string');
const TEXTS = rule<readonly string[]>(
  'an array of strings',
  (given) => Array.isArray(given) && given.every((one) => typeof one === 'string'),
);
const FLAG = openRule<boolean>('true or false', (given) => typeof given === 'boolean');
const CALLBACK = rule<(...given: never[]) => unknown>(
  'a function',
  (given) => typeof given === 'function',
);
const OBJECT = rule<object>('an object', (given) => isObject(given) && !Array.isArray(given));
const SIGNAL = rule<AbortSignal>('an AbortSignal', (given) => {
  return (
    isObject(given) &&
    typeof Reflect.get(given, 'aborted') === 'boolean' &&
    typeof Reflect.get(given, 'addEventListener') === 'function'
  );
});
const ANYTHING = rule<unknown>('a value', () => true);

function isObject(given: unknown): given is object {
  return (typeof given === 'object' && given !== null) || typeof given === 'function';
}

/** A value in a message. The content of an object, of bytes and of most texts may be a secret and is not shown. */
export function shown(given: unknown, showsText = false): string {
  if (Array.isArray(given)) {
    const words = showsText && given.every((one) => typeof one === 'string');
    return words ? plainText(JSON.stringify(given), LONGEST_VALUE) : 'an array';
  }
  if (typeof given === 'string') {
    return showsText ? JSON.stringify(plainText(given, LONGEST_VALUE)) : 'a string';
  }
  if (typeof given === 'function') return 'a function';
  return typeof given === 'object' && given !== null ? 'an object' : String(given);
}

export function invalidOption(owner: string, problem: string): ListwatchError {
  return new ListwatchError('INVALID_OPTION', `${owner}: ${problem}`);
}
