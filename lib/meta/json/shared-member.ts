import type { KnownValue } from './known-values.ts';

/** A member of an object whose value is decoded already, since another object has the same member with the same bytes. */
export interface SharedMember {
  readonly name: string;
  readonly value: unknown;
  /** The range of the value, from the start of the object. */
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const BACKSLASH = 0x5c;

/**
 * The name of the member that has this value, if it is written as servers write it: no space around it, no escapes.
 * Undefined for others, and for `__proto__`, which cannot be assigned.
 */
export function nameBefore({ bytes, start }: KnownValue, objectStart: number): string | undefined {
  const end = start - 2;
  if (bytes[start - 1] !== COLON || bytes[end] !== QUOTE) return undefined;
  let at = end - 1;
  while (at > objectStart && bytes[at] !== QUOTE) {
    if (bytes[at] === BACKSLASH) return undefined;
    at -= 1;
  }
  // A quote in the name has a backslash before it.
  const before = bytes[at - 1];
  if (before !== COMMA && before !== OPEN_BRACE) return undefined;
  const name = bytes.toString('utf8', at + 1, end);
  return name === '__proto__' ? undefined : name;
}

/** Whether both ranges have the same bytes. */
export function sameBytes(one: KnownValue, other: KnownValue): boolean {
  const length = one.end - one.start;
  if (other.end - other.start !== length) return false;
  return one.bytes.compare(other.bytes, other.start, other.end, one.start, one.end) === 0;
}
