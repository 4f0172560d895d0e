import { INCOMPLETE, INVALID, JsonScanner } from './json-scanner.ts';
import type { KnownValue, KnownValueOf } from './known-values.ts';
import { EVENT_TYPES, type ObjectScan, type ScannedEventType } from './object-scan.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const COMMA = 0x2c;
const ASCII_END = 0x80;
const NOWHERE = -1;

const [ADDED, MODIFIED, DELETED] = EVENT_TYPES.map((type) => Buffer.from(type)) as [
  Buffer,
  Buffer,
  Buffer,
];
const TYPE = Buffer.from('type');
const OBJECT = Buffer.from('object');
const KIND = Buffer.from('kind');
const API_VERSION = Buffer.from('apiVersion');
const METADATA = Buffer.from('metadata');
const NAME = Buffer.from('name');
const NAMESPACE = Buffer.from('namespace');
const UID = Buffer.from('uid');
const RESOURCE_VERSION = Buffer.from('resourceVersion');
const MANAGED_FIELDS = Buffer.from('managedFields');

/**
 * Reads from the bytes of an object only the parts that the pipeline needs: its end, its identity, and the place of its metadata.
 *
 * Guarantees:
 * - It accepts exactly the values that `JSON.parse` accepts (see `JsonScanner`), and finds the same values as `JSON.parse`.
 * - An object is not `plain` if a relevant key occurs twice or is written with escapes, if an identity field is not a simple
 *   string, or if the metadata is not an object. The caller then has to parse the whole object.
 *
 * A scan is one synchronous step; its results are valid until the next one.
 */
export class ObjectScanner implements ObjectScan {
  readonly #json = new JsonScanner();
  plain = false;
  name: string | undefined;
  namespace: string | undefined;
  uid: string | undefined;
  resourceVersion: string | undefined;
  hasKind = false;
  hasApiVersion = false;
  metadataStart: number = NOWHERE;
  metadataEnd: number = NOWHERE;
  managedFieldsStart: number = NOWHERE;
  managedFieldsEnd: number = NOWHERE;
  longestStart: number = NOWHERE;
  longestEnd: number = NOWHERE;
  eventType: ScannedEventType = 'ADDED';
  objectStart: number = NOWHERE;
  objectEnd: number = NOWHERE;
  #bytes: Buffer = METADATA;
  #knownValueOf: KnownValueOf | undefined;
  #known: KnownValue | undefined;

  /** Returns the position after the object that starts at `start`, or `INCOMPLETE` or `INVALID` (below zero). */
  scanObject(bytes: Buffer, start: number, end: number): number {
    this.#begin(bytes, end);
    return this.#object(start);
  }

  /** Finds the metadata of an object that is known to be plain. The rest of the object is not scanned. */
  scanMetadata(bytes: Buffer, start: number, end: number): void {
    this.#begin(bytes, end);
    const json = this.#json;
    let at = json.enterObject(start);
    while (at >= 0 && !json.closed && this.metadataStart === NOWHERE) {
      const key = at;
      const keyEnd = json.skipString(at) - 1;
      at = json.skipToNextKey(this.#field(key, keyEnd, json.skipColon(keyEnd + 1)));
    }
  }

  /**
   * Whether the whole range is one event with a plain object. If not, the caller has to parse it. If `knownValueOf` returns a
   * member, its bytes are compared instead of scanned.
   */
  scanEvent(bytes: Buffer, start: number, end: number, knownValueOf?: KnownValueOf): boolean {
    this.#begin(bytes, end);
    this.#knownValueOf = knownValueOf;
    this.objectStart = NOWHERE;
    const json = this.#json;
    let typed = false;
    let at = json.enterObject(json.skipSpace(start));
    while (at >= 0 && !json.closed) {
      const key = at;
      at = this.#keyBehind(at);
      if (at < 0) return false;
      const keyEnd = at - 1;
      at = json.skipColon(at);
      if (at < 0) return false;
      if (this.#is(TYPE, key, keyEnd)) {
        if (typed || !this.#readType(at)) return false;
        typed = true;
        at = json.skipString(at);
      } else if (this.#is(OBJECT, key, keyEnd)) {
        if (this.objectStart !== NOWHERE) return false;
        this.objectStart = at;
        at = this.#object(at);
        this.objectEnd = at;
      } else {
        if (this.#isEscaped(key, keyEnd)) return false;
        at = json.skipValue(at);
      }
      if (at < 0) return false;
      at = json.skipToNextKey(at);
    }
    return (
      at >= 0 &&
      this.plain &&
      typed &&
      this.objectStart !== NOWHERE &&
      (at === end || json.skipSpace(at) === end)
    );
  }

  #begin(bytes: Buffer, end: number): void {
    this.#bytes = bytes;
    this.#json.load(bytes, end);
    this.plain = true;
    this.name = undefined;
    this.namespace = undefined;
    this.uid = undefined;
    this.resourceVersion = undefined;
    this.hasKind = false;
    this.hasApiVersion = false;
    this.metadataStart = NOWHERE;
    this.managedFieldsStart = NOWHERE;
    this.longestStart = NOWHERE;
    this.longestEnd = NOWHERE;
    this.#knownValueOf = undefined;
    this.#known = undefined;
  }

  #readType(at: number): boolean {
    const bytes = this.#bytes;
    if (bytes[at] !== QUOTE) return false;
    if (matches(bytes, at + 1, MODIFIED)) this.eventType = 'MODIFIED';
    else if (matches(bytes, at + 1, ADDED)) this.eventType = 'ADDED';
    else if (matches(bytes, at + 1, DELETED)) this.eventType = 'DELETED';
    else return false;
    return bytes[at + 1 + this.eventType.length] === QUOTE;
  }

  #object(start: number): number {
    const json = this.#json;
    let at = json.enterObject(start);
    while (at >= 0 && !json.closed) {
      const key = at;
      at = this.#keyBehind(at);
      if (at < 0) return at;
      const keyEnd = at - 1;
      at = json.skipColon(at);
      if (at < 0) return at;
      at = this.#field(key, keyEnd, at);
      if (at < 0) return at;
      at = json.skipToNextKey(at);
    }
    return at;
  }

  /** Returns the position after the key whose opening quote should be at `at`. */
  #keyBehind(at: number): number {
    const json = this.#json;
    if (at >= json.end) return INCOMPLETE;
    return this.#bytes[at] === QUOTE ? json.skipString(at) : INVALID;
  }

  #field(key: number, keyEnd: number, at: number): number {
    const json = this.#json;
    if (this.#is(METADATA, key, keyEnd)) {
      if (this.metadataStart !== NOWHERE || this.#bytes[at] !== OPEN_BRACE) {
        this.plain = false;
        return json.skipValue(at);
      }
      this.metadataStart = at;
      this.metadataEnd = this.#metadata(at);
      return this.metadataEnd;
    }
    if (this.#is(KIND, key, keyEnd)) {
      if (this.hasKind || this.#bytes[at] !== QUOTE) this.plain = false;
      this.hasKind = true;
    } else if (this.#is(API_VERSION, key, keyEnd)) {
      if (this.hasApiVersion || this.#bytes[at] !== QUOTE) this.plain = false;
      this.hasApiVersion = true;
    } else if (this.#isEscaped(key, keyEnd)) {
      this.plain = false;
    }
    return this.#member(at);
  }

  #member(at: number): number {
    const byte = this.#bytes[at];
    const isLong = byte === OPEN_BRACE || byte === OPEN_BRACKET;
    if (!isLong) return this.#json.skipValue(at);
    const known = this.#knownEnd(at);
    const end = known < 0 ? this.#json.skipValue(at) : known;
    if (end - at > this.longestEnd - this.longestStart) {
      this.longestStart = at;
      this.longestEnd = end;
    }
    return end;
  }

  /**
   * Returns the position after the known value if its bytes are at `at`. An object or array is complete at its closing bracket,
   * so what follows does not matter.
   */
  #knownEnd(at: number): number {
    const { name } = this;
    if (this.#knownValueOf !== undefined && name !== undefined) {
      this.#known = this.#knownValueOf(name, this.namespace);
      this.#knownValueOf = undefined;
    }
    if (this.#known === undefined) return NOWHERE;
    const { bytes, start, end } = this.#known;
    const behind = at + end - start;
    if (behind > this.#json.end) return NOWHERE;
    // A different member usually differs in this byte already.
    if (this.#bytes[behind - 1] !== bytes[end - 1]) return NOWHERE;
    return this.#bytes.compare(bytes, start, end, at, behind) === 0 ? behind : NOWHERE;
  }

  #metadata(start: number): number {
    const json = this.#json;
    let at = json.enterObject(start);
    while (at >= 0 && !json.closed) {
      const key = at;
      at = this.#keyBehind(at);
      if (at < 0) return at;
      const keyEnd = at - 1;
      const value = json.skipColon(at);
      if (value < 0) return value;
      at = json.skipValue(value);
      if (at < 0) return at;
      this.#metadataField(start, key, keyEnd, value, at);
      at = json.skipToNextKey(at);
    }
    return at;
  }

  #metadataField(open: number, key: number, keyEnd: number, value: number, end: number): void {
    if (this.#is(NAME, key, keyEnd)) this.name = this.#text(this.name, value, end);
    else if (this.#is(NAMESPACE, key, keyEnd)) {
      this.namespace = this.#text(this.namespace, value, end);
    } else if (this.#is(UID, key, keyEnd)) this.uid = this.#text(this.uid, value, end);
    else if (this.#is(RESOURCE_VERSION, key, keyEnd)) {
      this.resourceVersion = this.#text(this.resourceVersion, value, end);
    } else if (this.#is(MANAGED_FIELDS, key, keyEnd)) this.#leaveOut(open, key, end);
    else if (this.#isEscaped(key, keyEnd)) this.plain = false;
  }

  /** Leaves out the member with the comma before it; the first member, with the comma after it. */
  #leaveOut(open: number, key: number, end: number): void {
    if (this.managedFieldsStart !== NOWHERE) {
      this.plain = false;
      return;
    }
    const bytes = this.#bytes;
    let start = key - 1;
    while (start > open && bytes[start] !== COMMA) start -= 1;
    this.managedFieldsStart = start === open ? key : start;
    this.managedFieldsEnd = end;
    if (start > open) return;
    const behind = this.#json.skipSpace(end);
    if (bytes[behind] === COMMA) this.managedFieldsEnd = behind + 1;
  }

  /** The text of a string without escapes; any other value makes the object not plain. */
  #text(before: string | undefined, value: number, end: number): string | undefined {
    const bytes = this.#bytes;
    if (before !== undefined || bytes[value] !== QUOTE) {
      this.plain = false;
      return undefined;
    }
    for (let at = value + 1; at < end - 1; at += 1) {
      const byte = bytes[at] as number;
      if (byte === BACKSLASH || byte >= ASCII_END) {
        this.plain = false;
        return undefined;
      }
    }
    return bytes.toString('latin1', value + 1, end - 1);
  }

  /** Whether the key between the quotes at `key` and `keyEnd` is this one. */
  #is(word: Buffer, key: number, keyEnd: number): boolean {
    return keyEnd - key - 1 === word.length && matches(this.#bytes, key + 1, word);
  }

  #isEscaped(key: number, keyEnd: number): boolean {
    const bytes = this.#bytes;
    for (let at = key + 1; at < keyEnd; at += 1) {
      if (bytes[at] === BACKSLASH) return true;
    }
    return false;
  }
}

function matches(bytes: Buffer, at: number, word: Buffer): boolean {
  for (let index = 0; index < word.length; index += 1) {
    if (bytes[at + index] !== word[index]) return false;
  }
  return true;
}
