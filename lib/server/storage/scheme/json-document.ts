import { isUtf8 } from 'node:buffer';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import { malformed, quoted, type SchemeError } from './scheme-error.ts';

export interface DocumentLimits {
  /** @defaultValue 1 000 */
  readonly deepestLevel?: number | undefined;
  /** Refuses a field that occurs twice in an object; otherwise the last one counts. @defaultValue false */
  readonly strict?: boolean | undefined;
  /** Called for each field of a YAML document that occurs again in an object, with its place in the text. */
  readonly onRepeated?: ((name: string, place: number) => void) | undefined;
}

/** Deeper documents are refused before recursive code reads them; `JSON.stringify` fails at about 4 000 levels. */
export const DEEPEST_DOCUMENT = 1_000;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws {SchemeError} MALFORMED_OBJECT. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw malformed('the bytes are not valid UTF-8', error);
  }
}

/** In a text with a character for each byte: a character of UTF-8, or a byte that belongs to none. @see RFC 3629, section 4 */
const UTF8 =
  /[^\x80-\xff]+|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|([^])/g;
const REPLACEMENT = '\xef\xbf\xbd';

/** Each byte that belongs to no character becomes U+FFFD. A `TextDecoder` puts one in the place of a character that is cut off. */
function replaceInvalid(bytes: Uint8Array): Buffer {
  const text = Buffer.from(bytes).toString('latin1');
  const valid = text.replace(UTF8, (character, byte?: string) =>
    byte === undefined ? character : REPLACEMENT,
  );
  return Buffer.from(valid, 'latin1');
}

/** A pair of escaped surrogates, one without its pair, or another escape. */
const ESCAPES =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|[^])/g;

/** The text of a JSON document. As for Go's decoder, what is no character is U+FFFD. */
function jsonText(bytes: Uint8Array): string {
  const text = decoder.decode(isUtf8(bytes) ? bytes : replaceInvalid(bytes));
  if (!text.includes('\\ud') && !text.includes('\\uD')) return text;
  return text.replace(ESCAPES, (escape, lone?: string) =>
    lone === undefined ? escape : '\\ufffd',
  );
}

/**
 * Parses a JSON document. Numbers become doubles: whole numbers beyond 2^53 lose digits. Bytes that are no UTF-8, and surrogates without
 * their pair, become U+FFFD.
 * @throws {SchemeError} MALFORMED_OBJECT when it is malformed or nested too deeply, or has a number that is too large for a double.
 */
export function parseJsonDocument(
  bytes: Uint8Array,
  { deepestLevel = DEEPEST_DOCUMENT, strict = false }: DocumentLimits = {},
): unknown {
  const text = jsonText(bytes);
  const isShort = bytes.length <= 2 * deepestLevel;
  const hasExponent = isShort && !MAY_BE_LARGE.test(text) ? false : scan(bytes, deepestLevel);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(`the bytes are not valid JSON: ${errorMessage(error)}`, error);
  }
  if (hasExponent) checkTree(value, deepestLevel);
  if (strict) {
    const twice = duplicateField(text);
    if (twice !== undefined)
      throw malformed(`the field ${quoted(twice)} occurs twice in an object`);
  }
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LONGEST_SAFE_DIGITS = 300;
/** A document without this has no number that is too large for a double. Each level of a document takes two bytes. */
const MAY_BE_LARGE = /[0-9][eE]|[0-9]{301}/;

/**
 * Counts brackets outside of strings, in one pass over the bytes without recursion. Returns whether there may be a number that
 * is too large for a double.
 */
function scan(bytes: Uint8Array, deepestLevel: number): boolean {
  let depth = 0;
  let digits = 0;
  let large = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number;
    if (byte === QUOTE) {
      index = endOfString(bytes, index);
      digits = 0;
    } else if (byte >= 0x30 && byte <= 0x39) {
      digits += 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > deepestLevel) throw tooDeep(deepestLevel);
    } else {
      if (byte === 0x7d || byte === 0x5d) depth -= 1;
      // The e of an exponent follows a digit.
      large ||= digits > LONGEST_SAFE_DIGITS || (digits > 0 && (byte | 0x20) === 0x65);
      digits = 0;
    }
  }
  return large;
}

/** The position of the closing quote of the string at `start`, or of the end. */
function endOfString(bytes: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== QUOTE) {
    index += bytes[index] === BACKSLASH ? 2 : 1;
  }
  return index;
}

export function tooDeep(deepestLevel: number): SchemeError {
  return malformed(`the object is nested deeper than ${deepestLevel} levels`);
}

/** Refuses too deep nesting, and numbers that JSON cannot express. Iterative; visits each shared part once. */
export function checkTree(root: unknown, deepestLevel: number): void {
  const seen = new Set<object>();
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepestLevel) throw tooDeep(deepestLevel);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'number' && !Number.isFinite(value)) {
        throw malformed('a number in the object is not finite');
      }
      if (typeof value !== 'object' || value === null || seen.has(value)) continue;
      seen.add(value);
      for (const item of Object.values(value)) next.push(item);
    }
    level = next;
  }
}

/** A string, with the colon if it is the name of a field; or a bracket. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"[ \t\r\n]*(:?)|[{}[\]]/g;

/** The first field that occurs twice in an object of a valid JSON document. */
function duplicateField(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, colon] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') {
      open.push(new Set());
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (colon === ':') {
      const name = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1)) as string;
      const names = open.at(-1);
      if (names?.has(name) === true) return name;
      names?.add(name);
    }
  }
  return undefined;
}
