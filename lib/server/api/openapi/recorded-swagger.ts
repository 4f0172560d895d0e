/** Members by their names, each as JSON in UTF-8. */
export type EncodedMembers = ReadonlyMap<string, Uint8Array>;

/** The paths and definitions of resources that were not recorded. */
export interface AddedContent {
  readonly paths: EncodedMembers;
  readonly definitions: EncodedMembers;
}

/** A member of an object: where its name begins, its value begins, and both end. */
interface MemberPlace {
  readonly name: string;
  readonly start: number;
  readonly value: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = Buffer.from(',');

/**
 * The recorded document of version 2, of which the places of paths and definitions are known, so that more of them are put between without
 * parsing and writing all of it again. It has no spaces between its members.
 */
export class RecordedSwagger {
  readonly #bytes: Buffer;
  readonly #members: readonly MemberPlace[];
  readonly #paths: readonly MemberPlace[];
  readonly #definitions: readonly MemberPlace[];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#members = membersAt(bytes, 0);
    const inside = (name: string): readonly MemberPlace[] =>
      membersAt(bytes, this.#members.find((one) => one.name === name)?.value ?? bytes.length);
    this.#paths = inside('paths');
    this.#definitions = inside('definitions');
  }

  /** The document with more paths and definitions, in the order of their names. Recorded ones are never replaced. */
  with(added: readonly AddedContent[]): Uint8Array {
    const paths = this.#between(this.#paths, union(added.map((one) => one.paths)));
    const definitions = this.#between(
      this.#definitions,
      union(added.map((one) => one.definitions)),
    );
    const members = this.#members.map(({ name, start, end }) => {
      if (name === 'paths') return object(name, paths);
      if (name === 'definitions') return object(name, definitions);
      return [this.#bytes.subarray(start, end)];
    });
    return Buffer.concat([Buffer.from('{'), ...separated(members).flat(), Buffer.from('}')]);
  }

  /** Recorded members and added ones in the order of their names; recorded ones that follow each other are one piece. */
  #between(recorded: readonly MemberPlace[], added: EncodedMembers): Uint8Array[] {
    const known = new Set(recorded.map(({ name }) => name));
    const names = [...added.keys()].filter((name) => !known.has(name)).toSorted();
    const pieces: Uint8Array[][] = [];
    let at = 0;
    const recordedUntil = (end: number): void => {
      const [first, last] = [recorded[at], recorded[end - 1]];
      if (end > at && first !== undefined && last !== undefined) {
        pieces.push([this.#bytes.subarray(first.start, last.end)]);
      }
      at = end;
    };
    for (const name of names) {
      let end = at;
      while (end < recorded.length && (recorded[end] as MemberPlace).name < name) end += 1;
      recordedUntil(end);
      pieces.push([Buffer.from(`${JSON.stringify(name)}:`), added.get(name) as Uint8Array]);
    }
    recordedUntil(recorded.length);
    return separated(pieces).flat();
  }
}

function object(name: string, members: readonly Uint8Array[]): Uint8Array[] {
  return [Buffer.from(`${JSON.stringify(name)}:{`), ...members, Buffer.from('}')];
}

function separated(members: readonly Uint8Array[][]): Uint8Array[][] {
  return members.map((pieces, index) => (index === 0 ? pieces : [COMMA, ...pieces]));
}

function union(all: readonly EncodedMembers[]): EncodedMembers {
  const members = new Map<string, Uint8Array>();
  for (const one of all) {
    for (const [name, value] of one) if (!members.has(name)) members.set(name, value);
  }
  return members;
}

/** The members of the object at an offset; none if there is no object. */
function membersAt(bytes: Buffer, offset: number): MemberPlace[] {
  const members: MemberPlace[] = [];
  if (bytes[offset] !== OPEN_BRACE) return members;
  for (let at = offset + 1; bytes[at] === QUOTE; at += 1) {
    const start = at;
    const nameEnd = stringEnd(bytes, start);
    const name = JSON.parse(bytes.toString('utf8', start, nameEnd)) as string;
    const value = nameEnd + 1;
    at = valueEnd(bytes, value);
    members.push({ name, start, value, end: at });
  }
  return members;
}

function valueEnd(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at) - 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    // A number or a word at the end of an object ends before its brace.
    if (depth < 0) return at;
    if (depth === 0 && isEnd(bytes[at + 1])) return at + 1;
  }
  return bytes.length;
}

function isEnd(byte: number | undefined): boolean {
  return byte === 0x2c || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte === undefined;
}

/** The offset after the string whose opening quote is at `start`. */
function stringEnd(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}
