import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
} from 'yaml';
import { ListwatchError } from '../../../../kernel/failure/errors.ts';

interface ConfigFile {
  readonly name: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

/** Larger files are refused. */
const LARGEST_FILE_BYTES = 1024 * 1024;
/** Maximum number of aliases; nested aliases could expand a small file to a huge one. */
const MOST_ALIASES = 100;
/** Messages show only names of this form: a secret may be in the place of a field name. */
const SHOWN_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,19}$/;

/**
 * A place in a YAML or JSON file with its path and line, so that an error can name it. Messages never show values, which may be
 * keys.
 */
export class ConfigField {
  readonly #file: ConfigFile;
  readonly #path: string;
  readonly #node: Node | undefined;
  readonly #line: number;

  private constructor(file: ConfigFile, path: string, node: unknown, lineOfParent: number) {
    const resolved = isAlias(node)
      ? node.resolve(file.document)
      : (node as Node | null | undefined);
    this.#file = file;
    this.#path = path;
    this.#node =
      resolved == null || (isScalar(resolved) && resolved.value === null) ? undefined : resolved;
    const offset = (node as Node | null | undefined)?.range?.[0];
    this.#line = offset === undefined ? lineOfParent : file.lines.linePos(offset).line;
  }

  /** The root of a file. @throws {ListwatchError} CONFIG_INVALID with the line, if it is not YAML. */
  static parse(name: string, text: string): ConfigField {
    if (Buffer.byteLength(text) > LARGEST_FILE_BYTES) {
      throw invalid(name, `it is larger than ${LARGEST_FILE_BYTES} bytes`);
    }
    const lines = new LineCounter();
    // The `prettyErrors` of the parser quote the file, which may contain keys.
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'error',
    });
    const [error] = document.errors;
    if (error !== undefined) {
      const place = `${name}:${lines.linePos(error.pos[0]).line}`;
      throw invalid(place, `it is not YAML: ${error.code.toLowerCase().replaceAll('_', ' ')}`);
    }
    let aliases = 0;
    visit(document, {
      Alias: () => {
        aliases += 1;
      },
    });
    if (aliases > MOST_ALIASES) throw invalid(name, `it has more than ${MOST_ALIASES} aliases`);
    return new ConfigField({ name, document, lines }, '', document.contents, 1);
  }

  /** Whether there is a value other than null. */
  get present(): boolean {
    return this.#node !== undefined;
  }

  /** The fields of a mapping, present or not. @throws {ListwatchError} CONFIG_INVALID for a field that is not in `known`. */
  fields<Name extends string>(known: readonly Name[]): Readonly<Record<Name, ConfigField>> {
    const values = new Map<string, unknown>();
    if (this.#node !== undefined) {
      if (!isMap(this.#node)) this.fail('expected a mapping of fields');
      for (const { key, value } of this.#node.items) {
        const name = isScalar(key) ? String(key.value) : '';
        if (!(known as readonly string[]).includes(name)) this.#failUnknown(key, name, known);
        values.set(name, value);
      }
    }
    const prefix = this.#path === '' ? '' : `${this.#path}.`;
    const fields = known.map((name): [Name, ConfigField] => [
      name,
      new ConfigField(this.#file, prefix + name, values.get(name), this.#line),
    ]);
    return Object.fromEntries(fields) as Readonly<Record<Name, ConfigField>>;
  }

  /** The entries of a list; an absent list has none. */
  items(): ConfigField[] {
    if (this.#node === undefined) return [];
    if (!isSeq(this.#node)) return this.fail('expected a list');
    return this.#node.items.map(
      (item, index) => new ConfigField(this.#file, `${this.#path}[${index}]`, item, this.#line),
    );
  }

  /** The entries of a list; an empty one is refused. */
  someItems(): ConfigField[] {
    const items = this.items();
    return items.length > 0 ? items : this.fail('at least one is needed');
  }

  /** A text; undefined if absent or empty. */
  optionalText(): string | undefined {
    const value = this.#scalar();
    if (value === undefined || value === '') return undefined;
    return typeof value === 'string' ? value : this.fail('expected a text; put it in quotes');
  }

  text(): string {
    return this.optionalText() ?? this.fail('it is missing');
  }

  /** A whole number; undefined if absent. */
  optionalInteger(): number | undefined {
    const value = this.#scalar();
    if (value === undefined || Number.isSafeInteger(value)) return value as number | undefined;
    return this.fail('expected a whole number');
  }

  /** @throws {ListwatchError} CONFIG_INVALID naming file, line and field. */
  fail(problem: string): never {
    const at = `${this.#file.name}:${this.#line}`;
    throw invalid(this.#path === '' ? at : `${at}: ${this.#path}`, problem);
  }

  #scalar(): unknown {
    if (this.#node === undefined) return undefined;
    return isScalar(this.#node) ? this.#node.value : this.fail('expected a single value');
  }

  #failUnknown(key: unknown, name: string, known: readonly string[]): never {
    const shown = SHOWN_NAME.test(name) ? `"${name}"` : 'there';
    const place = new ConfigField(this.#file, this.#path, key, this.#line);
    return place.fail(`unknown field ${shown}; known are ${known.join(', ')}`);
  }
}

function invalid(place: string, problem: string): ListwatchError {
  return new ListwatchError('CONFIG_INVALID', `${place}: ${problem}`);
}
