import { isRecord, setOwn, type JsonRecord } from '../../../meta/json-value.ts';

/** Facts in the bytes of a body that a parsed value does not have: members that are there twice, and how whole numbers are written. */
export interface BodyFaults {
  /** In their order: `duplicate field "data.a"`. */
  readonly faults: readonly BodyFault[];
  /** The place of a member among all members of the body. */
  placeOf(path: string): number;
  /** By path, whole numbers with a point or an exponent, which Go does not take for whole ones: `3.0`. */
  readonly literals: ReadonlyMap<string, string>;
  /** The object as Go reads it: the members of repeated objects together. */
  readonly merged: unknown;
}

export interface BodyFault {
  readonly path: string;
  readonly text: string;
  readonly place: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

const POINT = 0x2e;
const SMALL_E = 0x65;
const LARGE_E = 0x45;

interface TextShape {
  /** Members, each of which has a colon outside of strings. */
  readonly members: number;
  /** Whether a number has a point or an exponent. */
  readonly hasFractions: boolean;
}

function shapeOf(text: Uint8Array): TextShape {
  let members = 0;
  let hasFractions = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) {
      for (at += 1; text[at] !== QUOTE && at < text.length; at += 1) {
        if (text[at] === BACKSLASH) at += 1;
      }
    } else if (byte === COLON) members += 1;
    else if (byte === POINT || byte === LARGE_E) hasFractions = true;
    else if (byte === SMALL_E) hasFractions ||= isDigit(text[at - 1]);
  }
  return { members, hasFractions };
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function membersOfValue(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) for (const item of value) members += membersOfValue(item);
  else {
    const names = Object.keys(value);
    members = names.length;
    for (const name of names) members += membersOfValue((value as JsonRecord)[name]);
  }
  return members;
}

/**
 * The faults of a JSON text that a parser has accepted as `value`; undefined when there is none, which is found by counting.
 * @param prefix of the texts
 */
export function bodyFaultsOf(
  text: Uint8Array,
  value: unknown,
  prefix = '',
): BodyFaults | undefined {
  const { members, hasFractions } = shapeOf(text);
  if (!hasFractions && members === membersOfValue(value)) return undefined;
  const scan = new MemberScan(new TextDecoder().decode(text), prefix);
  const merged = scan.value('');
  const { faults, places, literals } = scan;
  if (faults.length === 0 && literals.size === 0) return undefined;
  return { faults, merged, literals, placeOf: (path) => places.get(path) ?? Infinity };
}

/** Members of a JSON text that are there twice or more, by name, with the place of each repetition in the text. */
export function repeatedMembers(
  text: Uint8Array,
  value: unknown,
): readonly (readonly [name: string, place: number])[] {
  if (shapeOf(text).members === membersOfValue(value)) return [];
  const scan = new MemberScan(new TextDecoder().decode(text), '');
  scan.value('');
  return scan.repeated;
}

const SPACES = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^\s,\]}]+/y;

/** Reads JSON that is known to be right, once more, to find the places of its members. */
class MemberScan {
  readonly faults: BodyFault[] = [];
  readonly places = new Map<string, number>();
  readonly literals = new Map<string, string>();
  readonly repeated: [name: string, place: number][] = [];
  readonly #text: string;
  readonly #prefix: string;
  readonly #seen = new Set<string>();
  #at = 0;
  #members = 0;

  constructor(text: string, prefix: string) {
    this.#text = text;
    this.#prefix = prefix;
  }

  value(path: string): unknown {
    this.#take(SPACES);
    const first = this.#text[this.#at];
    if (first === '{') return this.#object(path);
    if (first === '[') return this.#list(path);
    const text = this.#take(first === '"' ? STRING : SCALAR);
    const value = JSON.parse(text) as unknown;
    if (Number.isInteger(value) && /[.eE]/.test(text)) this.literals.set(path, text);
    return value;
  }

  #object(path: string): JsonRecord {
    const record: JsonRecord = {};
    for (this.#at += 1; this.#next('}'); ) {
      const name = JSON.parse(this.#take(STRING)) as string;
      this.#take(SPACES);
      this.#at += 1;
      const member = path === '' ? name : `${path}.${name}`;
      this.#members += 1;
      const isRepeated = Object.hasOwn(record, name);
      if (isRepeated) {
        this.repeated.push([name, this.#at]);
        this.#repeated(member);
      } else this.places.set(member, this.#members);
      const before = record[name];
      const value = this.value(member);
      const isBoth = isRepeated && isRecord(before) && isRecord(value);
      setOwn(record, name, isBoth ? mergedRecords(before, value) : value);
    }
    return record;
  }

  #list(path: string): unknown[] {
    const items: unknown[] = [];
    for (this.#at += 1; this.#next(']'); ) items.push(this.value(`${path}[${items.length}]`));
    return items;
  }

  /** Whether another member or item follows; goes over what is between. */
  #next(end: string): boolean {
    this.#take(SPACES);
    if (this.#text[this.#at] === ',') {
      this.#at += 1;
      this.#take(SPACES);
    }
    if (this.#text[this.#at] !== end) return true;
    this.#at += 1;
    return false;
  }

  #repeated(path: string): void {
    if (this.#seen.has(path)) return;
    this.#seen.add(path);
    const text = `${this.#prefix}duplicate field ${JSON.stringify(path)}`;
    this.faults.push({ path, text, place: this.#members });
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }
}

function mergedRecords(one: JsonRecord, other: JsonRecord): JsonRecord {
  const result = { ...one };
  for (const name of Object.keys(other)) {
    const [before, after] = [Object.hasOwn(one, name) ? one[name] : undefined, other[name]];
    const isBoth = isRecord(before) && isRecord(after);
    setOwn(result, name, isBoth ? mergedRecords(before, after) : after);
  }
  return result;
}

const NO_LITERALS: ReadonlyMap<string, string> = new Map();

/** The repeated members of a YAML text by their places: it is read before the types are known, so that they come first. */
export function yamlFaults(
  text: Uint8Array,
  repeated: readonly (readonly [name: string, place: number])[],
): BodyFaults | undefined {
  if (repeated.length === 0) return undefined;
  const document = new TextDecoder().decode(text);
  const faults = repeated
    .toSorted(([, one], [, other]) => one - other)
    .map(([name, place]) => {
      const line = document.slice(0, place).split('\n').length;
      return {
        path: '',
        place,
        text: `line ${line}: key ${JSON.stringify(name)} already set in map`,
      };
    });
  return { faults, merged: undefined, literals: NO_LITERALS, placeOf: () => Infinity };
}

/** As an error names the faults of a YAML text. */
export function yamlError({ faults }: BodyFaults): string {
  return `yaml: unmarshal errors:\n  ${faults.map(({ text }) => text).join('\n  ')}`;
}

/** The texts for repeated and for unknown members of a body, in the order of the body. */
export function strictTexts(
  unknownFields: readonly string[],
  faults: BodyFaults | undefined,
  asError = false,
): readonly string[] {
  const unknown = unknownFields.map((path) => ({
    text: `unknown field ${JSON.stringify(path)}`,
    place: faults?.placeOf(path) ?? 0,
  }));
  if (faults === undefined) return unknown.map(({ text }) => text);
  if (asError && faults.faults[0]?.path === '') {
    return [yamlError(faults), ...unknown.map(({ text }) => text)];
  }
  // Nothing is read below an unknown member.
  const isBelow = (path: string): boolean =>
    unknownFields.some(
      (one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`),
    );
  const repeated = faults.faults.filter(({ path }) => !isBelow(path));
  return [...repeated, ...unknown]
    .toSorted((one, other) => one.place - other.place)
    .map(({ text }) => text);
}
