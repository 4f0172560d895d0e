import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { ListPage } from '../../../cache/reflector/contract/lister-watcher.ts';
import { ApiError } from '../../../meta/failure/api-error.ts';
import { JsonScanner, INCOMPLETE, INVALID } from '../../../meta/json/json-scanner.ts';
import { JsonView, type ByteSource, type TypeMeta } from '../../../meta/json/json-view.ts';
import { FastScanner } from '../../../meta/json/wasm/fast-scanner.ts';
import { DecodedView, type ObjectView } from '../../../meta/object-view.ts';
import type { KubernetesObject, ListMeta } from '../../../meta/object.ts';
import { isStatus } from '../../../meta/failure/status.ts';
import { HTML_ANSWER } from '../request/html-answer.ts';
import { malformedResponse, parseJson } from './json-record.ts';
import { PieceJoiner } from './piece-joiner.ts';

/** Decodes one page of a list while it arrives. */
export interface ListDecoder<T extends KubernetesObject> {
  /**
   * Takes the next piece; its bytes must not change any more.
   * @throws {ListwatchError} code MALFORMED_RESPONSE; the message shows none of the content.
   */
  push(piece: Buffer): void;
  /** The complete items that were not taken yet. Items that get their type from the list are held back until it is known. */
  takeItems(): ObjectView<T>[];
  /**
   * The page, with the items that were not taken. Call it once, after the last piece.
   * @throws {ListwatchError} code MALFORMED_RESPONSE, or CONNECTION_FAILED when the end is missing. {ApiError} when it is a Status.
   */
  end(): ListPage<ObjectView<T>>;
}

type Place =
  | 'list'
  | 'first key'
  | 'key'
  | 'value'
  | 'behind a value'
  | 'first item'
  | 'item'
  | 'behind an item'
  | 'end';

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

const QUOTE = 0x22;
const COMMA = 0x2c;
const LESS_THAN = 0x3c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * Splits a list into its items while it arrives. The items stay in the bytes they came in.
 *
 * Guarantees:
 * - The page and its items equal the result of `JSON.parse` of the whole text, and the same texts are accepted.
 * - Time is linear in the size of the page, independent of the size of the pieces. An item that spans several pieces is copied
 *   into one buffer once; other items are not copied.
 *
 * Not guaranteed: a page that repeats `items`, or the type of its items, after items were taken. It is refused.
 */
export class JsonListDecoder<T extends KubernetesObject> implements ListDecoder<T> {
  readonly #json = new JsonScanner();
  readonly #scanner: FastScanner;
  readonly #pieces = new PieceJoiner((bytes, start, end) => this.#consume(bytes, start, end));
  #place: Place = 'list';
  /** Bytes before the present ones. */
  #consumedBytes = 0;
  #key = '';
  #items: ObjectView<T>[] = [];
  /** Items of this page so far, taken or not. */
  #count = 0;
  #taken = false;
  #skipped = 0;
  #hasItems = false;
  /** The error of `items`, unless a later `items` replaces it. */
  #problem: string | undefined;
  #metadata: unknown;
  /** The fields of a Status that came in place of a list. */
  readonly #status: Record<string, unknown> = { metadata: {} };
  /** Shared with the views of items that lack a type. It is complete at the end of the page at the latest. */
  readonly #type: Mutable<TypeMeta> = { apiVersion: undefined, kind: undefined };
  readonly #typeKeys = new Set<string>();
  /** Whether some of the items lack a type. */
  #untyped = false;
  #tookUntyped = false;
  /** The number of items that are decoded already. */
  #incomplete: Mutable<KubernetesObject>[] = [];

  constructor(scanner: FastScanner = new FastScanner()) {
    this.#scanner = scanner;
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece);
  }

  takeItems(): ObjectView<T>[] {
    const items = this.#items;
    if (items.length === 0 || (this.#untyped && this.#typeKeys.size < 2)) return [];
    this.#items = [];
    this.#taken = true;
    this.#tookUntyped ||= this.#untyped;
    this.#completeTypes();
    return items;
  }

  end(): ListPage<ObjectView<T>> {
    this.#pieces.end();
    if (this.#place !== 'end') {
      const problem = `it ends too early: from byte ${this.#consumedBytes} on it is incomplete`;
      throw new ListwatchError('CONNECTION_FAILED', problem);
    }
    if (!this.#hasItems) {
      const status: unknown = this.#status;
      if (isStatus(status) && status.status === 'Failure') throw new ApiError(status);
      throw malformedResponse('it is not a list');
    }
    if (this.#problem !== undefined) throw malformedResponse(this.#problem);
    this.#completeTypes();
    const { kind } = this.#type;
    const metadata = this.#metadata as ListMeta | null | undefined;
    const { resourceVersion, continue: continueToken, remainingItemCount } = metadata ?? {};
    const { shardInfo } = metadata ?? {};
    return {
      items: this.#items,
      resourceVersion: resourceVersion ?? '',
      ...(continueToken === undefined || continueToken === '' ? {} : { continueToken }),
      ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
      ...(shardInfo === undefined ? {} : { shardInfo }),
      ...(this.#skipped === 0 ? {} : { skippedItems: this.#skipped }),
      ...(this.#count > 0 || kind === undefined ? {} : { itemKind: kind }),
    };
  }

  /** Takes the complete parts; returns the start of the rest. */
  #consume(bytes: Buffer, start: number, end: number): number {
    const source: ByteSource = { bytes };
    this.#json.load(bytes, end);
    this.#scanner.load(bytes, start, end);
    let at = start;
    for (;;) {
      at = this.#json.skipSpace(at);
      if (at >= end) break;
      const next = this.#step(source, at);
      if (next === INVALID) throw this.#invalid(at - start);
      if (next === INCOMPLETE) break;
      at = next;
    }
    this.#consumedBytes += at - start;
    return at;
  }

  /** Returns the offset after the token or value at `at`. */
  #step(source: ByteSource, at: number): number {
    const byte = source.bytes[at];
    switch (this.#place) {
      case 'list':
        if (byte === LESS_THAN) throw malformedResponse(HTML_ANSWER);
        if (byte !== OPEN_BRACE) throw malformedResponse('it is not a list');
        return this.#go('first key', at);
      case 'first key':
        return byte === CLOSE_BRACE ? this.#go('end', at) : this.#readKey(source.bytes, at);
      case 'key':
        return this.#readKey(source.bytes, at);
      case 'value':
        if (this.#key !== 'items') return this.#readValue(source.bytes, at);
        this.#beginItems();
        if (byte === OPEN_BRACKET) return this.#go('first item', at);
        return this.#readValue(source.bytes, at);
      case 'behind a value':
        if (byte === COMMA) return this.#go('key', at);
        return byte === CLOSE_BRACE ? this.#go('end', at) : INVALID;
      case 'first item':
        if (byte === CLOSE_BRACKET) return this.#go('behind a value', at);
        return this.#readItem(source, at);
      case 'item':
        return this.#readItem(source, at);
      case 'behind an item':
        if (byte === COMMA) return this.#go('item', at);
        return byte === CLOSE_BRACKET ? this.#go('behind a value', at) : INVALID;
      case 'end':
        return INVALID;
    }
  }

  #go(place: Place, at: number): number {
    this.#place = place;
    return at + 1;
  }

  #readKey(bytes: Buffer, at: number): number {
    if (bytes[at] !== QUOTE) return INVALID;
    const keyEnd = this.#json.skipString(at);
    if (keyEnd < 0) return keyEnd;
    const value = this.#json.skipColon(keyEnd);
    if (value < 0) return value;
    this.#key = parseJson(bytes.subarray(at, keyEnd), malformedResponse) as string;
    this.#place = 'value';
    return value;
  }

  /** Reads a value other than the items. */
  #readValue(bytes: Buffer, at: number): number {
    const end = this.#json.skipValue(at);
    if (end < 0) return end;
    this.#place = 'behind a value';
    const read = (): unknown => parseJson(bytes.subarray(at, end), malformedResponse);
    switch (this.#key) {
      case 'metadata':
        this.#metadata = read();
        break;
      case 'apiVersion':
      case 'kind':
        this.#setType(this.#key, read());
        if (!this.#hasItems) this.#status[this.#key] = read();
        break;
      case 'items':
        // Go writes a nil slice as null.
        if (read() !== null) this.#problem = 'its items are no array';
        break;
      case 'status':
      case 'message':
      case 'reason':
      case 'details':
      case 'code':
        // A list has none of these.
        this.#status[this.#key] = read();
        break;
      default:
    }
    return end;
  }

  #setType(key: 'apiVersion' | 'kind', value: unknown): void {
    const known = this.#type[key];
    this.#type[key] = key === 'kind' ? itemKindOf(value) : (value as string | undefined);
    this.#typeKeys.add(key);
    if (this.#tookUntyped && this.#type[key] !== known) {
      throw malformedResponse(`it names its ${key} twice, before its items and after them`);
    }
  }

  /** If `items` is repeated, the last one counts. */
  #beginItems(): void {
    if (this.#taken) throw malformedResponse('it names its items twice');
    this.#items = [];
    this.#incomplete = [];
    this.#untyped = false;
    this.#count = 0;
    this.#skipped = 0;
    this.#hasItems = true;
    this.#problem = undefined;
  }

  #readItem(source: ByteSource, at: number): number {
    const { bytes } = source;
    const isObject = bytes[at] === OPEN_BRACE;
    const itemEnd = isObject ? this.#scanner.scanObject(at) : this.#json.skipValue(at);
    if (itemEnd < 0) return itemEnd;
    this.#place = 'behind an item';
    this.#count += 1;
    this.#pieces.partBytes = itemEnd - at;
    // One null among the items must not make the whole list fail every time.
    if (!isObject) this.#skipped += 1;
    else this.#items.push(this.#viewOf(source, at, itemEnd));
    return itemEnd;
  }

  #viewOf(source: ByteSource, start: number, end: number): ObjectView<T> {
    const { scan } = this.#scanner;
    const { plain, hasKind, hasApiVersion } = scan;
    if (plain) {
      const typed = hasKind && hasApiVersion;
      this.#untyped ||= !typed;
      return new JsonView<T>(source, start, end, scan, typed ? undefined : this.#type);
    }
    const object = parseJson(source.bytes.subarray(start, end), malformedResponse) as T;
    if (isUntyped(object)) {
      this.#untyped = true;
      this.#incomplete.push(object);
    }
    return new DecodedView(object, end - start);
  }

  #completeTypes(): void {
    const { apiVersion, kind } = this.#type;
    if (kind !== undefined) {
      for (const object of this.#incomplete) {
        object.apiVersion ??= apiVersion;
        object.kind ??= kind;
      }
    }
    this.#incomplete = [];
    this.#untyped = false;
  }

  #invalid(offset: number): Error {
    const from = this.#consumedBytes + offset;
    const within = this.#place.endsWith('item') ? `, in its item ${this.#count}` : '';
    return malformedResponse(`it is not JSON from byte ${from} on${within}`);
  }
}

function isUntyped({ kind, apiVersion }: KubernetesObject): boolean {
  return (kind ?? undefined) === undefined || (apiVersion ?? undefined) === undefined;
}

/** `PodList` holds Pods; a plain `List` is mixed, and its items name their own kinds. */
function itemKindOf(listKind: unknown): string | undefined {
  if (typeof listKind !== 'string' || !listKind.endsWith('List')) return undefined;
  const kind = listKind.slice(0, -'List'.length);
  return kind === '' ? undefined : kind;
}
