import type { KubernetesObject } from '../object.ts';
import { DecodedView, type ObjectView } from '../object-view.ts';
import { JsonScanner } from './json-scanner.ts';
import { JsonView } from './json-view.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';

/** The kept part of a value. */
type FieldTree = 'all' | 'nothing' | FieldNode;

/** The kept part of an object, and of each object in an array. */
interface FieldNode {
  /** By name. */
  readonly fields: ReadonlyMap<string, FieldTree>;
  /** The rule for fields that are not named. */
  readonly others: 'all' | 'nothing';
}

interface Growing {
  readonly fields: Map<string, FieldTree>;
  readonly others: 'nothing';
}

/** Managed fields are left out: they are half of the metadata of many objects. */
const METADATA: FieldNode = { fields: new Map([['managedFields', 'nothing']]), others: 'all' };
/** Field names separated by dots; no name is empty. */
const PATH = /^[^.]+(?:\.[^.]+)*$/;
const ALWAYS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * The kept part of an object: its type, its metadata without `managedFields`, and the fields at the paths.
 * @throws {ListwatchError} code INVALID_OPTION for a text that is not a path.
 */
function fieldTree(paths: readonly string[]): FieldNode {
  const root: Growing = { fields: new Map(), others: 'nothing' };
  root.fields.set('apiVersion', 'all').set('kind', 'all').set('metadata', METADATA);
  for (const path of paths) {
    if (typeof path !== 'string' || !PATH.test(path)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `${JSON.stringify(path)} is not the path of a field, such as "spec.nodeName"`,
      );
    }
    const names = path.split('.');
    if (!ALWAYS.has(names[0] as string)) grow(root, names);
  }
  return root;
}

function grow(root: Growing, names: readonly string[]): void {
  let node = root;
  for (const [depth, name] of names.entries()) {
    const known = node.fields.get(name);
    if (known === 'all') return;
    if (depth === names.length - 1) {
      node.fields.set(name, 'all');
      return;
    }
    const next: Growing = (known as Growing | undefined) ?? {
      fields: new Map(),
      others: 'nothing',
    };
    node.fields.set(name, next);
    node = next;
  }
}

const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const SMALLEST = 4096;

/**
 * Keeps some fields of objects: apiVersion, kind, metadata without `managedFields`, and the fields at the given paths.
 *
 * Guarantees:
 * - On bytes, it copies ranges and decodes nothing. The result equals that of decoding the object and picking the fields.
 * - A path through an array applies to its items. If a path leads through a value without fields, such as null, that value is
 *   kept as it is. An object without a kept field becomes an empty object.
 */
export class JsonProjection {
  /** Equal for equal projections. */
  readonly paths: readonly string[];
  readonly #root: FieldNode;
  readonly #json = new JsonScanner();
  #bytes: Buffer = Buffer.alloc(0);
  #out: Buffer = Buffer.allocUnsafeSlow(SMALLEST);
  #length = 0;

  /**
   * `paths`: names of fields, separated by dots, such as `spec.nodeName`.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  constructor(paths: readonly string[]) {
    this.#root = fieldTree(paths);
    this.paths = [...new Set(paths)].toSorted();
  }

  /** A view of the projected object. */
  view<T extends KubernetesObject>(view: ObjectView<T>): ObjectView<T> {
    if (!(view instanceof JsonView)) {
      const { object, sizeBytes } = view;
      return new DecodedView(pick(object, this.#root) as T, sizeBytes);
    }
    const { source, start, sizeBytes, type } = view as JsonView<T>;
    const bytes =
      source.codec === undefined
        ? this.bytes(source.bytes, start, start + sizeBytes)
        : this.#whole(view.json);
    return new JsonView<T>({ bytes }, 0, bytes.length, view, type);
  }

  /** The projected JSON of an object between `start` and `end`, which must be valid. */
  bytes(json: Buffer, start: number, end: number): Buffer {
    this.#json.load(json, end);
    this.#bytes = json;
    this.#length = 0;
    this.#copyValue(this.#json.skipSpace(start), this.#root);
    return Buffer.from(this.#out.subarray(0, this.#length));
  }

  #whole(json: Buffer): Buffer {
    return this.bytes(json, 0, json.length);
  }

  /** Copies the kept part of the value at `at`, and returns the position after the value. */
  #copyValue(at: number, tree: FieldTree): number {
    if (typeof tree === 'object') {
      const byte = this.#bytes[at];
      if (byte === OPEN_BRACE) return this.#copyObject(at, tree);
      if (byte === OPEN_BRACKET) return this.#copyArray(at, tree);
    }
    const end = this.#json.skipValue(at);
    this.#copy(at, end);
    return end;
  }

  #copyObject(start: number, { fields, others }: FieldNode): number {
    const json = this.#json;
    let copied = 0;
    this.#write(OPEN_BRACE);
    let at = json.enterObject(start);
    while (!json.closed) {
      const keyEnd = json.skipString(at);
      const value = json.skipColon(keyEnd);
      const tree = fields.get(this.#key(at, keyEnd)) ?? others;
      let end: number;
      if (tree === 'nothing') {
        end = json.skipValue(value);
      } else {
        if (copied > 0) this.#write(COMMA);
        copied += 1;
        this.#copy(at, value);
        end = this.#copyValue(value, tree);
      }
      at = json.skipToNextKey(end);
    }
    this.#write(CLOSE_BRACE);
    return at;
  }

  #copyArray(start: number, tree: FieldNode): number {
    const json = this.#json;
    this.#write(OPEN_BRACKET);
    let at = json.skipSpace(start + 1);
    while (this.#bytes[at] !== CLOSE_BRACKET) {
      if (this.#bytes[at] === COMMA) {
        this.#write(COMMA);
        at = json.skipSpace(at + 1);
      }
      at = json.skipSpace(this.#copyValue(at, tree));
    }
    this.#write(CLOSE_BRACKET);
    return at + 1;
  }

  #key(start: number, end: number): string {
    const bytes = this.#bytes;
    for (let at = start + 1; at < end - 1; at += 1) {
      // A key that is written with escapes has to be decoded before it is compared.
      if (bytes[at] === BACKSLASH) return JSON.parse(bytes.toString('utf8', start, end)) as string;
    }
    return bytes.toString('utf8', start + 1, end - 1);
  }

  #copy(from: number, to: number): void {
    this.#reserve(to - from);
    this.#bytes.copy(this.#out, this.#length, from, to);
    this.#length += to - from;
  }

  #write(byte: number): void {
    this.#reserve(1);
    this.#out[this.#length] = byte;
    this.#length += 1;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#out.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#length + more));
    this.#out.copy(larger, 0, 0, this.#length);
    this.#out = larger;
  }
}

/** The projection of a decoded value. Parts that are kept whole are shared with it, not copied. */
function pick(value: unknown, tree: FieldTree): unknown {
  if (typeof tree !== 'object' || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => pick(item, tree));
  const { fields, others } = tree;
  const kept: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const below = fields.get(name) ?? others;
    if (below !== 'nothing') kept.push([name, pick(field, below)]);
  }
  return Object.fromEntries(kept);
}
