import type { Document, isNode, LineCounter } from 'yaml';
import { errorMessage, ListwatchError } from '../../../kernel/errors.ts';

interface YamlFile {
  readonly isNode: typeof isNode;
  readonly name: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

/** Larger files are refused. */
const LARGEST_FILE_BYTES = 16 * 1024 * 1024;

/** Maximum number of aliases; nested aliases could expand a small file to a huge one. */
const MOST_ALIASES = 100;

type Key = string | number;

/**
 * A place in a YAML file with its path and line, so that an error can name it.
 * Messages never show values, which may be credentials.
 */
export class YamlField {
  readonly #file: YamlFile;
  readonly #path: readonly Key[];
  readonly #value: unknown;

  private constructor(file: YamlFile, path: readonly Key[], value: unknown) {
    this.#file = file;
    this.#path = path;
    this.#value = value;
  }

  /**
   * The root of a file.
   * @throws {ListwatchError} code CONFIG_INVALID with the line, if it is not YAML.
   */
  static async parse(name: string, text: string): Promise<YamlField> {
    if (text.length > LARGEST_FILE_BYTES) {
      throw invalid(name, `it is larger than ${LARGEST_FILE_BYTES} bytes`);
    }
    // Loaded here, because most programs run in a cluster and read no kubeconfig.
    const { isNode, LineCounter, parseDocument } = await import('yaml');
    const lines = new LineCounter();
    // The `prettyErrors` of the parser quote the file, which may contain credentials.
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'silent',
    });
    const [error] = document.errors;
    if (error !== undefined) {
      const { line } = lines.linePos(error.pos[0]);
      throw invalid(
        `${name}:${line}`,
        `it is not YAML: ${error.code.toLowerCase().replaceAll('_', ' ')}`,
      );
    }
    const file = { name, document, lines, isNode };
    try {
      return new YamlField(file, [], document.toJS({ maxAliasCount: MOST_ALIASES }));
    } catch (error) {
      throw invalid(name, `it cannot be read: ${errorMessage(error)}`);
    }
  }

  /** The name of the file. */
  get file(): string {
    return this.#file.name;
  }

  /** File, line and path, for messages. */
  get place(): string {
    const line = this.#line();
    const at = line === undefined ? this.file : `${this.file}:${line}`;
    const path = this.#path.reduce<string>(
      (text, key) =>
        typeof key === 'number' ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`,
      '',
    );
    return path === '' ? at : `${at}: ${path}`;
  }

  /** Whether there is a value other than null. */
  get present(): boolean {
    return this.#value !== undefined && this.#value !== null;
  }

  field(name: string): YamlField {
    if (this.present && (typeof this.#value !== 'object' || Array.isArray(this.#value))) {
      this.fail('expected a mapping of fields');
    }
    const value =
      this.present && Object.hasOwn(this.#value as object, name)
        ? (this.#value as Record<string, unknown>)[name]
        : undefined;
    return new YamlField(this.#file, [...this.#path, name], value);
  }

  /** The entries of a list; an absent list has none. */
  items(): YamlField[] {
    if (!this.present) return [];
    if (!Array.isArray(this.#value)) return this.fail('expected a list');
    return this.#value.map(
      (value, index) => new YamlField(this.#file, [...this.#path, index], value),
    );
  }

  /** A text; undefined if absent or empty. */
  optionalText(): string | undefined {
    if (!this.present || this.#value === '') return undefined;
    if (typeof this.#value !== 'string') return this.fail('expected a text');
    return this.#value;
  }

  text(): string {
    return this.optionalText() ?? this.fail('it is missing');
  }

  /** A boolean; false if absent. */
  flag(): boolean {
    if (!this.present) return false;
    if (typeof this.#value !== 'boolean') return this.fail('expected true or false');
    return this.#value;
  }

  /** @throws {ListwatchError} code CONFIG_INVALID naming file, line and field. */
  fail(problem: string): never {
    throw invalid(this.place, problem);
  }

  /** @throws {ListwatchError} code CONFIG_UNSUPPORTED naming file, line and field. */
  unsupported(problem: string): never {
    throw new ListwatchError('CONFIG_UNSUPPORTED', `${this.place}: ${problem}`);
  }

  /** The line of the field; for a missing field, the line of its nearest existing parent. */
  #line(): number | undefined {
    for (let length = this.#path.length; length >= 0; length -= 1) {
      const node: unknown = this.#file.document.getIn(this.#path.slice(0, length), true);
      if (this.#file.isNode(node) && node.range)
        return this.#file.lines.linePos(node.range[0]).line;
    }
    return undefined;
  }
}

function invalid(place: string, problem: string): ListwatchError {
  return new ListwatchError('CONFIG_INVALID', `${place}: ${problem}`);
}
