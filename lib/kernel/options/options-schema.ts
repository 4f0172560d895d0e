import { nearName } from '../text/near-name.ts';
import { plainText } from '../text/plain-text.ts';
import { invalidOption, OptionRule, shown } from './option-rules.ts';

export { invalidOption, type OptionRule } from './option-rules.ts';
/** The rules of options: `is.integer({ min: 1 })`. */
export * as is from './option-rules.ts';

const LONGEST_NAME = 60;
/** The length of a list of options in a message, characters. */
const LONGEST_LIST = 250;

/** One rule for each option of `O`. The options `D` have a default. */
export type OptionRules<O, D extends keyof O = never> = {
  readonly [K in keyof O]-?: undefined extends O[K]
    ? OptionRule<
        Exclude<O[K], undefined>,
        K extends D ? Exclude<O[K], undefined> : O[K] | undefined
      >
    : OptionRule<O[K], never>;
};

/** Names of the options whose rule has a default. */
type Defaulted<R> = {
  [K in keyof R]: R[K] extends OptionRule<never, infer D>
    ? [D] extends [never]
      ? never
      : undefined extends D
        ? never
        : K
    : never;
}[keyof R];

/** The options `G` as they were given, with the defaults of `D` filled in. */
export type FilledOptions<G, D> = Readonly<G> & {
  readonly [K in D & keyof G]-?: Exclude<G[K], undefined>;
};

/**
 * The options of one part of the package: their names, rules and defaults. `optionsOf` makes it once, when its module is loaded;
 * `read` is called for each use of the part.
 */
export class OptionsSchema<O extends object, D extends keyof O = never> {
  /** For a part that has these options and others. */
  readonly rules: OptionRules<O, D>;
  readonly names: readonly string[];
  readonly #owner: string;
  readonly #rules: readonly (readonly [name: string, rule: OptionRule<never, unknown>])[];

  constructor(owner: string, rules: OptionRules<O, D>) {
    this.rules = rules;
    this.names = Object.keys(rules);
    this.#owner = owner;
    this.#rules = Object.entries(rules);
  }

  /**
   * The options with their defaults. `owner` and `path` are for messages: the path `backoff.` for options within the option "backoff".
   * A polluted `Object.prototype` has no effect.
   * @throws {ListwatchError} code INVALID_OPTION for a name that does not exist, a value that breaks its rule, or a required option
   * that is missing.
   */
  read(given: O, owner?: string, path?: string): FilledOptions<O, D>;
  /** Of options with type parameters. */
  read<G extends Partial<Record<keyof O, unknown>>>(
    given: G,
    owner?: string,
    path?: string,
  ): FilledOptions<G, D>;
  read(given: O, owner: string = this.#owner, path = ''): FilledOptions<O, D> {
    this.checkNames(given, owner, path);
    const options: Record<string, unknown> = {};
    for (const [name, rule] of this.#rules) {
      const value = valueOf(given, name);
      const isLeftOut = value === undefined && !rule.isRequired;
      options[name] = isLeftOut ? rule.fallback : rule.read(owner, path + name, value);
    }
    return options as FilledOptions<O, D>;
  }

  /** The rule of an option whose value is an object with these options. Defaults are not filled in. */
  get nested(): OptionRule<O, undefined> {
    return this.#nested('an object', []);
  }

  /** The rule of an option that may also be one of some words. */
  nestedOr<const Choices extends readonly (string | boolean)[]>(
    expected: string,
    ...choices: Choices
  ): OptionRule<O | Choices[number], undefined> {
    return this.#nested(expected, choices);
  }

  #nested<Accepted>(
    expected: string,
    choices: readonly unknown[],
  ): OptionRule<Accepted, undefined> {
    return new OptionRule<Accepted, undefined>(
      expected,
      (given) => choices.includes(given) || (typeof given === 'object' && given !== null),
      undefined,
      {
        showsText: choices.length > 0,
        within: (given, owner, path) => void this.read(given as O, owner, path),
      },
    );
  }

  /**
   * Checks the names alone, for options that another part reads.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  checkNames(given: unknown, owner: string = this.#owner, path = ''): void {
    rejectUnknownOptions(owner, given, this.names, path);
  }
}

/**
 * Refuses a name that is not known, so that a misspelled option is not silently ignored.
 * @throws {ListwatchError} code INVALID_OPTION naming the option and the known ones.
 */
export function rejectUnknownOptions(
  owner: string,
  given: unknown,
  known: readonly string[],
  path = '',
): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const what = path === '' ? 'the options' : `option "${path.slice(0, -1)}"`;
    throw invalidOption(owner, `${what} must be an object, not ${shown(given)}`);
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const unknown = plainText(path + name, LONGEST_NAME);
    throw invalidOption(owner, `unknown option "${unknown}"; ${suggestion(path, name, known)}`);
  }
}

/** The option that was probably meant; otherwise the known ones, as many as a line takes. */
function suggestion(path: string, name: string, known: readonly string[]): string {
  const near = nearName(name, known);
  if (near !== undefined) return `did you mean "${path}${near}"?`;
  const list = known.join(', ');
  return `known are ${list.length > LONGEST_LIST ? plainText(list, LONGEST_LIST) : list}`;
}

/** The value of an option, also one that a class of options defines; but not one that every object inherits. */
function valueOf(given: object, name: string): unknown {
  const value = (given as Readonly<Record<string, unknown>>)[name];
  if (value === undefined || Object.hasOwn(given, name)) return value;
  return name in Object.prototype ? undefined : value;
}

/**
 * Declares the options of an interface: `optionsOf<PumpOptions>()('Pump', { strokes: is.integer({ min: 1 }).default(7) })`. An option of the
 * interface without a rule, and a rule without an option, do not compile.
 */
export function optionsOf<O extends object>(): <R extends OptionRules<O>>(
  owner: string,
  rules: R & Readonly<Record<Exclude<keyof R, keyof O>, never>>,
) => OptionsSchema<O, Defaulted<R> & keyof O> {
  return (owner, rules) => new OptionsSchema(owner, rules);
}
