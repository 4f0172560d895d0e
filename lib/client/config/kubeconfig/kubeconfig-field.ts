import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { plainText } from '../../../kernel/text/plain-text.ts';

/** The keys and indices that lead from the root of a configuration to a value. */
export type ConfigPath = readonly (string | number)[];

/** Where a configuration comes from. */
export interface ConfigOrigin {
  /** For messages: the path of a file, or what it was passed as, e.g. `the option "kubeconfig"`. */
  readonly name: string;
  /** Relative paths are resolved against it. Undefined: against the working directory. */
  readonly directory: string | undefined;
  /** Whether the program passed the content, instead of the name of a file. */
  readonly isData: boolean;
  /** The line of a field; for a missing field, that of its nearest parent. Left out: there are no lines. */
  readonly lineOf?: ((path: ConfigPath) => number | undefined) | undefined;
}

/** Maximum number of characters of a key in a message. */
const LONGEST_KEY = 100;

/**
 * A value in a configuration with its place, so that an error can name it.
 * Messages never show values, which may be credentials.
 */
export class KubeconfigField {
  readonly #origin: ConfigOrigin;
  readonly #path: ConfigPath;
  readonly #value: unknown;

  constructor(origin: ConfigOrigin, path: ConfigPath, value: unknown) {
    this.#origin = origin;
    this.#path = path;
    this.#value = value;
  }

  get origin(): ConfigOrigin {
    return this.#origin;
  }

  /** File and line, for the source of a credential: `/home/me/.kube/config:12`. */
  get location(): string {
    const line = this.#origin.lineOf?.(this.#path);
    return line === undefined ? this.#origin.name : `${this.#origin.name}:${line}`;
  }

  /** File, line and path, for messages: `/home/me/.kube/config:12: users[0].user.token`. */
  get place(): string {
    const path = this.#path.reduce<string>(
      (text, key) =>
        typeof key === 'number'
          ? `${text}[${key}]`
          : `${text === '' ? '' : `${text}.`}${plainText(key, LONGEST_KEY)}`,
      '',
    );
    return path === '' ? this.location : `${this.location}: ${path}`;
  }

  /** Whether there is a value other than null. */
  get present(): boolean {
    return this.#value !== undefined && this.#value !== null;
  }

  /** The value as it is. */
  get value(): unknown {
    return this.#value;
  }

  field(name: string): KubeconfigField {
    const { present } = this;
    if (present && !isMapping(this.#value)) this.#wrongType('a mapping of fields');
    const value =
      present && Object.hasOwn(this.#value as object, name)
        ? (this.#value as Record<string, unknown>)[name]
        : undefined;
    return new KubeconfigField(this.#origin, [...this.#path, name], value);
  }

  /** The names of the fields of a mapping; an absent mapping has none. */
  names(): string[] {
    if (!this.present) return [];
    if (!isMapping(this.#value)) this.#wrongType('a mapping of fields');
    return Object.keys(this.#value as object);
  }

  /** The entries of a list; an absent list has none. */
  items(): KubeconfigField[] {
    if (!this.present) return [];
    if (!Array.isArray(this.#value)) return this.#wrongType('a list');
    return this.#value.map(
      (value: unknown, index) => new KubeconfigField(this.#origin, [...this.#path, index], value),
    );
  }

  /** A text; undefined if absent or empty. */
  optionalText(): string | undefined {
    if (!this.present || this.#value === '') return undefined;
    if (typeof this.#value !== 'string') {
      const scalar = typeof this.#value === 'number' || typeof this.#value === 'boolean';
      return this.#wrongType('a text', scalar ? '; put it in quotes' : '');
    }
    return this.#value;
  }

  text(): string {
    return this.optionalText() ?? this.fail('it is missing; add it');
  }

  /** A list of texts, of which some may be empty; an absent list has none. */
  texts(): string[] {
    return this.items().map((item) => (item.value === '' ? '' : item.text()));
  }

  /** A boolean; false if absent. */
  flag(): boolean {
    if (!this.present) return false;
    if (typeof this.#value !== 'boolean') return this.#wrongType('true or false');
    return this.#value;
  }

  /** @throws {ListwatchError} code CONFIG_INVALID naming file, line and field. */
  fail(problem: string, options: { readonly cause?: unknown } = {}): never {
    throw new ListwatchError('CONFIG_INVALID', `${this.place}: ${problem}`, options);
  }

  /** @throws {ListwatchError} code CONFIG_UNSUPPORTED naming file, line and field. */
  unsupported(problem: string): never {
    throw new ListwatchError('CONFIG_UNSUPPORTED', `${this.place}: ${problem}`);
  }

  #wrongType(expected: string, remedy = ''): never {
    return this.fail(`expected ${expected}, found ${typeName(this.#value)}${remedy}`);
  }
}

function isMapping(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value) &&
    !(value instanceof Map)
  );
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'number' || typeof value === 'bigint') return 'a number';
  if (typeof value === 'boolean') return 'a boolean';
  if (ArrayBuffer.isView(value)) return 'bytes';
  if (value instanceof Map) return 'a Map';
  return typeof value === 'object' ? 'a mapping of fields' : `a ${typeof value}`;
}
