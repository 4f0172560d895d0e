/** The bytes end within the value; more bytes may complete it. */
export const INCOMPLETE = -1;
/** No JSON value starts here, or its beginning is invalid, so that no further bytes can complete it. */
export const INVALID = -2;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;
const SPACE = 0x20;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const LETTER_U = 0x75;

/** The class of a byte within a string: plain text, or a byte that needs a check. */
const TEXT = 1;
const IN_STRING: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH ? TEXT : 0,
);
/** The same byte four times, for comparing four bytes at once. */
const ONES = 0x01010101;
const SPACES = 0x20202020;
const QUOTES = 0x22222222;
const BACKSLASHES = 0x5c5c5c5c;
const HIGH_BITS = 0x80808080;

/** Bytes that may follow a backslash, without `u`. */
const ESCAPED: Uint8Array = table('"\\/bfnrt');
const HEX: Uint8Array = table('0123456789abcdefABCDEF');
const DIGIT: Uint8Array = table('0123456789');
const WHITESPACE: Uint8Array = table(' \t\n\r');

const TRUE: Uint8Array = Buffer.from('true');
const FALSE: Uint8Array = Buffer.from('false');
const NULL: Uint8Array = Buffer.from('null');

/** The distance in ASCII from `[` to `]`, and from `{` to `}`. */
const TO_CLOSING = 2;

const SMALLEST_STACK = 64;

/**
 * Finds the ends of JSON values in bytes, without making strings or objects of them.
 *
 * Guarantees:
 * - It accepts a value exactly when `JSON.parse` accepts its text: numbers, escapes, literals and commas are checked on the way.
 *   Bytes that are not valid UTF-8 count as text, because decoding replaces them.
 * - Time is linear in the number of scanned bytes; memory is one byte for each level of nesting.
 * - A result below zero is `INCOMPLETE` or `INVALID`; the position that a method takes must not be negative.
 */
export class JsonScanner {
  #bytes: Uint8Array = NULL;
  #view: DataView = new DataView(NULL.buffer);
  #end = 0;
  #stack: Uint8Array = new Uint8Array(SMALLEST_STACK);
  /** Whether the last `skipToNextKey` or `enterObject` found the end of the object. */
  closed = false;

  /** Sets the bytes to scan; bytes from `end` on are not read. */
  load(bytes: Uint8Array, end: number): void {
    this.#end = end;
    if (bytes === this.#bytes) return;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get end(): number {
    return this.#end;
  }

  /** Returns the position after the whitespace at `position`. */
  skipSpace(position: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = position;
    while (at < end && WHITESPACE[bytes[at] as number] === 1) at += 1;
    return at;
  }

  /** Returns the position after the string whose opening quote is at `position`. */
  skipString(position: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = position + 1;
    for (;;) {
      at = skipText(bytes, this.#view, at, end);
      if (at >= end) return INCOMPLETE;
      const byte = bytes[at];
      at += 1;
      if (byte === QUOTE) return at;
      if (byte !== BACKSLASH) return INVALID;
      at = this.#skipEscape(at);
      if (at < 0) return at;
    }
  }

  /** Takes the position after a key, and returns that of its value. */
  skipColon(position: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = position;
    if (at < end && bytes[at] !== COLON) at = this.skipSpace(at);
    if (at >= end) return INCOMPLETE;
    if (bytes[at] !== COLON) return INVALID;
    at += 1;
    if (at < end && (bytes[at] as number) <= SPACE) at = this.skipSpace(at);
    return at;
  }

  /**
   * Returns the position after the value that starts at `position`, of any kind and depth. One loop without calls, because
   * most of the time is spent here.
   */
  skipValue(position: number): number {
    const bytes = this.#bytes;
    const view = this.#view;
    const end = this.#end;
    let depth = 0;
    // The innermost open bracket; the outer ones are on the stack.
    let open = 0;
    let isKey = false;
    let at = position;
    for (;;) {
      if (at >= end) return INCOMPLETE;
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        at += 1;
        for (;;) {
          at = skipText(bytes, view, at, end);
          if (at >= end) return INCOMPLETE;
          const stop = bytes[at];
          at += 1;
          if (stop === QUOTE) break;
          if (stop !== BACKSLASH) return INVALID;
          at = this.#skipEscape(at);
          if (at < 0) return at;
        }
        if (isKey) {
          at = this.skipColon(at);
          if (at < 0) return at;
          isKey = false;
          continue;
        }
      } else if (isKey) {
        return INVALID;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        at += 1;
        if (at < end && (bytes[at] as number) <= SPACE) at = this.skipSpace(at);
        if (at >= end) return INCOMPLETE;
        if (bytes[at] !== byte + TO_CLOSING) {
          if (depth === this.#stack.length) this.#growStack();
          this.#stack[depth] = open;
          depth += 1;
          open = byte;
          isKey = byte === OPEN_BRACE;
          continue;
        }
        at += 1;
      } else {
        at = this.#skipScalar(at, byte);
        if (at < 0) return at;
      }
      // After a value, the enclosing array or object continues, or ends as well.
      for (;;) {
        if (depth === 0) return at;
        if (at < end && (bytes[at] as number) <= SPACE) at = this.skipSpace(at);
        if (at >= end) return INCOMPLETE;
        const next = bytes[at] as number;
        at += 1;
        if (next === COMMA) {
          if (at < end && (bytes[at] as number) <= SPACE) at = this.skipSpace(at);
          isKey = open === OPEN_BRACE;
          break;
        }
        if (next !== open + TO_CLOSING) return INVALID;
        depth -= 1;
        open = this.#stack[depth] as number;
      }
    }
  }

  /**
   * Takes the position after a value of an object. Returns the position of the quote of the next key, or, with `closed` set,
   * after the closing brace.
   */
  skipToNextKey(position: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = position;
    if (at < end && (bytes[at] as number) <= SPACE) at = this.skipSpace(at);
    if (at >= end) return INCOMPLETE;
    const byte = bytes[at];
    if (byte === CLOSE_BRACE) {
      this.closed = true;
      return at + 1;
    }
    if (byte !== COMMA) return INVALID;
    this.closed = false;
    at += 1;
    if (at < end && (bytes[at] as number) <= SPACE) at = this.skipSpace(at);
    return at;
  }

  /**
   * Takes the position of the opening brace. Returns that of the quote of the first key, or, with `closed` set, the one after
   * the closing brace.
   */
  enterObject(position: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    if (position >= end) return INCOMPLETE;
    if (bytes[position] !== OPEN_BRACE) return INVALID;
    let at = position + 1;
    if (at < end && (bytes[at] as number) <= SPACE) at = this.skipSpace(at);
    if (at >= end) return INCOMPLETE;
    this.closed = bytes[at] === CLOSE_BRACE;
    return this.closed ? at + 1 : at;
  }

  #skipEscape(position: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    if (position >= end) return INCOMPLETE;
    const byte = bytes[position] as number;
    if (ESCAPED[byte] === 1) return position + 1;
    if (byte !== LETTER_U) return INVALID;
    for (let at = position + 1; at < position + 5; at += 1) {
      if (at >= end) return INCOMPLETE;
      if (HEX[bytes[at] as number] !== 1) return INVALID;
    }
    return position + 5;
  }

  #skipScalar(position: number, byte: number): number {
    if (byte === MINUS || DIGIT[byte] === 1) return this.#skipNumber(position);
    if (byte === TRUE[0]) return this.#skipWord(position, TRUE);
    if (byte === FALSE[0]) return this.#skipWord(position, FALSE);
    if (byte === NULL[0]) return this.#skipWord(position, NULL);
    return INVALID;
  }

  #skipWord(position: number, word: Uint8Array): number {
    const bytes = this.#bytes;
    const end = this.#end;
    for (let index = 1; index < word.length; index += 1) {
      if (position + index >= end) return INCOMPLETE;
      if (bytes[position + index] !== word[index]) return INVALID;
    }
    return position + word.length;
  }

  /** A number at the end of the bytes is incomplete, because more digits may follow; a frame never ends with a number. */
  #skipNumber(position: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = bytes[position] === MINUS ? position + 1 : position;
    if (at >= end) return INCOMPLETE;
    if (bytes[at] === ZERO) at += 1;
    else at = this.#skipDigits(at);
    if (at < 0 || at >= end) return at < 0 ? at : INCOMPLETE;
    if (bytes[at] === DOT) at = this.#skipDigits(at + 1);
    if (at < 0 || at >= end) return at < 0 ? at : INCOMPLETE;
    // Upper and lower case differ in one bit.
    if (((bytes[at] as number) | 0x20) !== 0x65) return at;
    at += 1;
    if (at < end && (bytes[at] === PLUS || bytes[at] === MINUS)) at += 1;
    at = this.#skipDigits(at);
    return at >= end ? INCOMPLETE : at;
  }

  /** Skips one or more digits. */
  #skipDigits(position: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    if (position >= end) return INCOMPLETE;
    if (DIGIT[bytes[position] as number] !== 1) return INVALID;
    let at = position + 1;
    while (at < end && DIGIT[bytes[at] as number] === 1) at += 1;
    return at;
  }

  #growStack(): void {
    const larger = new Uint8Array(2 * this.#stack.length);
    larger.set(this.#stack);
    this.#stack = larger;
  }
}

/**
 * The position of the first byte from `from` on that is not plain text of a string, or `end`. It compares four bytes at a time:
 * a byte of `quoted` is zero at a quote, a byte of `escaped` is zero at a backslash, and a byte of `word` below a space borrows.
 */
function skipText(bytes: Uint8Array, view: DataView, from: number, end: number): number {
  let at = from;
  while (at + 4 <= end) {
    const word = view.getInt32(at, true);
    const quoted = word ^ QUOTES;
    const escaped = word ^ BACKSLASHES;
    const found =
      (((quoted - ONES) & ~quoted) | ((escaped - ONES) & ~escaped) | ((word - SPACES) & ~word)) &
      HIGH_BITS;
    // The lowest set bit is exact; higher ones may be the result of its borrow.
    if (found !== 0) return at + ((31 - Math.clz32(found & -found)) >> 3);
    at += 4;
  }
  while (at < end && IN_STRING[bytes[at] as number] === TEXT) at += 1;
  return at;
}

function table(characters: string): Uint8Array {
  const bytes = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) bytes[byte] = 1;
  return bytes;
}
