/**
 * The scan of `ObjectScanner` in AssemblyScript, with SIMD for strings. `npm run generate -- wasm` compiles it into `scanner-bytes.ts`.
 *
 * It uses no objects, arrays or allocation, so that the module has no runtime and no imports. Addresses are not checked: the
 * caller writes bytes at `input`, and the scan stays between there and their end.
 *
 * The byte at the end is set to zero. Zero occurs nowhere in JSON, so that loops need no check of the end. Up to 15 bytes after it
 * are read and not used.
 */

const INCOMPLETE: i32 = -1;
const INVALID: i32 = -2;
/** Deeper values are left to the other scanner. */
const MAX_DEPTH: i32 = 512;

// Bytes are i32: a u8 would be cut to eight bits at every step.
const SPACE: i32 = 0x20;
const QUOTE: i32 = 0x22;
const PLUS: i32 = 0x2b;
const COMMA: i32 = 0x2c;
const MINUS: i32 = 0x2d;
const DOT: i32 = 0x2e;
const SLASH: i32 = 0x2f;
const ZERO: i32 = 0x30;
const COLON: i32 = 0x3a;
const OPEN_BRACKET: i32 = 0x5b;
const BACKSLASH: i32 = 0x5c;
const OPEN_BRACE: i32 = 0x7b;
const CLOSE_BRACE: i32 = 0x7d;
/** The distance in ASCII from `[` to `]`, and from `{` to `}`. */
const TO_CLOSING: i32 = 2;

// Words, and parts of words, as the integers of their bytes.
const TRUE: u32 = 0x65757274;
const FALS: u32 = 0x736c6166;
const NULL: u32 = 0x6c6c756e;
const TYPE: u32 = 0x65707974;
const KIND: u32 = 0x646e696b;
const NAME: u32 = 0x656d616e;
const OBJE: u32 = 0x656a626f;
const CT: u32 = 0x7463;
const UI: u32 = 0x6975;
const ADDE: u32 = 0x45444441;
const DELE: u32 = 0x454c4544;
const ETED: u32 = 0x44455445;
const MODIFIED: u64 = 0x4445494649444f4d;
const METADATA: u64 = 0x617461646174656d;
const NAMESPAC: u64 = 0x63617073656d616e;
const API_VERSI: u64 = 0x6973726556697061;
const I_VERSION: u64 = 0x6e6f697372655669;
const RESOURCE: u64 = 0x656372756f736572;
const E_VERSION: u64 = 0x6e6f697372655665;
const MANAGED_F: u64 = 0x46646567616e616d;
const ED_FIELDS: u64 = 0x73646c6569466465;

// Offsets in the result, bytes. An end is four bytes after its start.
const PLAIN: usize = 0;
const EVENT_TYPE: usize = 4;
const OBJECT: usize = 8;
const META: usize = 16;
const FIELDS: usize = 24;
const LONGEST: usize = 32;
const ID_NAME: usize = 40;
const ID_NAMESPACE: usize = 48;
const ID_UID: usize = 56;
const ID_VERSION: usize = 64;
const HAS_KIND: usize = 72;
const HAS_API_VERSION: usize = 76;
const RESULT_BYTES: i32 = 80;
const TO_END: usize = 4;

/** The result of the last scan: `SCAN_FIELDS` of `wasm-scanner.ts` names its numbers. An absent place is −1. */
export const result: usize = memory.data(RESULT_BYTES, 8);
/** The brackets around the present value. */
const stack: usize = memory.data(MAX_DEPTH);
/** Where the caller writes the bytes to scan. */
export const input: usize = 0x10000;

/** Whether the last `nextKey` or `enter` found the end of the object. */
let closed: bool = false;

function byte(at: i32): i32 {
  return load<u8>(at);
}

/** The result for a byte that does not belong where it is: the zero at the end is such a byte too. */
function failure(at: i32, end: i32): i32 {
  return at >= end ? INCOMPLETE : INVALID;
}

function skipSpace(start: i32): i32 {
  let at = start;
  let c = byte(at);
  while (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) {
    at += 1;
    c = byte(at);
  }
  return at;
}

function skipSomeSpace(at: i32): i32 {
  return byte(at) <= SPACE ? skipSpace(at) : at;
}

/** Takes the position after the backslash. */
function skipEscape(at: i32, end: i32): i32 {
  const c = byte(at);
  if (c !== 0x75) return isEscapable(c) ? at + 1 : failure(at, end);
  for (let digit = at + 1; digit < at + 5; digit += 1) {
    if (!isHex(byte(digit))) return failure(digit, end);
  }
  return at + 5;
}

/** One of `"\/bfnrt`. */
function isEscapable(c: i32): bool {
  if (c === QUOTE || c === BACKSLASH || c === SLASH) return true;
  return c === 0x62 || c === 0x66 || c === 0x6e || c === 0x72 || c === 0x74;
}

function isHex(c: i32): bool {
  return isDigit(c) || (((c | 0x20) - 0x61) as u32) < 6;
}

function isDigit(c: i32): bool {
  return ((c - ZERO) as u32) < 10;
}

/** Skips one or more digits. */
function skipDigits(start: i32, end: i32): i32 {
  if (!isDigit(byte(start))) return failure(start, end);
  let at = start + 1;
  while (isDigit(byte(at))) at += 1;
  return at;
}

/** A number at the end of the bytes is incomplete, because more digits may follow. */
function skipNumber(start: i32, end: i32): i32 {
  let at = byte(start) === MINUS ? start + 1 : start;
  at = byte(at) === ZERO ? at + 1 : skipDigits(at, end);
  if (at >= 0 && byte(at) === DOT) at = skipDigits(at + 1, end);
  if (at < 0) return at;
  // Upper and lower case differ in one bit.
  if ((byte(at) | 0x20) === 0x65) {
    at += 1;
    if (byte(at) === PLUS || byte(at) === MINUS) at += 1;
    at = skipDigits(at, end);
  }
  return at >= end ? INCOMPLETE : at;
}

/** Skips a word of four bytes. */
function skipWord(start: i32, end: i32, word: u32): i32 {
  if (start + 4 <= end && load<u32>(start) === word) return start + 4;
  let rest = word;
  let at = start;
  while (byte(at) === (rest & 0xff)) {
    at += 1;
    rest >>= 8;
  }
  return failure(at, end);
}

function skipScalar(start: i32, end: i32): i32 {
  const c = byte(start);
  if (c === MINUS || isDigit(c)) return skipNumber(start, end);
  if (c === 0x74) return skipWord(start, end, TRUE);
  if (c === 0x6e) return skipWord(start, end, NULL);
  if (c !== 0x66) return failure(start, end);
  const at = skipWord(start, end, FALS);
  if (at < 0) return at;
  return byte(at) === 0x65 ? at + 1 : failure(at, end);
}

/** Steps that are compiled into their callers, which saves a fifth of the time. Decorators of functions are not TypeScript. */
class Step {
  /** Takes the position after the opening quote; returns that after the closing one. */
  @inline
  static skipString(start: i32, end: i32): i32 {
    let at = start;
    while (true) {
      const text = v128.load(at);
      // With the second bit flipped, the quote becomes 32, bytes below a space stay below 32, and all others are above 32.
      const stops = i8x16.le_u(v128.xor(text, i8x16.splat(0x02)), i8x16.splat(0x20));
      const found = i8x16.bitmask(v128.or(i8x16.eq(text, i8x16.splat(0x5c)), stops));
      if (found === 0) {
        at += 16;
        continue;
      }
      at += ctz(found);
      const c = byte(at);
      if (c === QUOTE) return at + 1;
      if (c !== BACKSLASH) return failure(at, end);
      at = skipEscape(at + 1, end);
      if (at < 0) return at;
    }
  }

  /** Takes the position after a key, and returns that of its value. */
  @inline
  static skipColon(start: i32, end: i32): i32 {
    let at = start;
    if (byte(at) !== COLON) {
      at = skipSpace(at);
      if (byte(at) !== COLON) return failure(at, end);
    }
    return skipSomeSpace(at + 1);
  }

  /** From a key to its value. */
  @inline
  static skipKey(start: i32, end: i32): i32 {
    const at = Step.keyBehind(start, end);
    return at < 0 ? at : Step.skipColon(at, end);
  }

  /** Takes the position after a value of an object; returns that of the next key, or, with `closed` set, after the brace. */
  @inline
  static nextKey(start: i32, end: i32): i32 {
    const at = skipSomeSpace(start);
    const c = byte(at);
    if (c === COMMA) return skipSomeSpace(at + 1);
    if (c !== CLOSE_BRACE) return failure(at, end);
    closed = true;
    return at + 1;
  }

  /** Takes the position of the opening brace; returns that of the first key, or, with `closed` set, after the closing brace. */
  @inline
  static enter(start: i32, end: i32): i32 {
    if (byte(start) !== OPEN_BRACE) return failure(start, end);
    const at = skipSomeSpace(start + 1);
    closed = byte(at) === CLOSE_BRACE;
    return closed ? at + 1 : at;
  }

  /** Returns the position after the key whose opening quote should be at `at`. */
  @inline
  static keyBehind(at: i32, end: i32): i32 {
    return byte(at) === QUOTE ? Step.skipString(at + 1, end) : failure(at, end);
  }
}

/** Returns the position after the value at `start`, of any kind. */
function skipValue(start: i32, end: i32): i32 {
  let at = start;
  let depth = 0;
  let open = 0;
  while (true) {
    const c = byte(at);
    if (c === QUOTE) {
      at = Step.skipString(at + 1, end);
      if (at < 0) return at;
    } else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      at = skipSomeSpace(at + 1);
      if (byte(at) !== c + TO_CLOSING) {
        if (depth === MAX_DEPTH) return INVALID;
        store<u8>(stack + depth, open);
        depth += 1;
        open = c;
        if (c === OPEN_BRACKET) continue;
        at = Step.skipKey(at, end);
        if (at < 0) return at;
        continue;
      }
      at += 1;
    } else {
      at = skipScalar(at, end);
      if (at < 0) return at;
    }
    // After a value, the enclosing array or object continues, or ends as well.
    while (true) {
      if (depth === 0) return at;
      at = skipSomeSpace(at);
      const next = byte(at);
      if (next === COMMA) {
        at = skipSomeSpace(at + 1);
        if (open === OPEN_BRACKET) break;
        at = Step.skipKey(at, end);
        if (at < 0) return at;
        break;
      }
      if (next !== open + TO_CLOSING) return failure(at, end);
      at += 1;
      depth -= 1;
      open = load<u8>(stack + depth);
    }
  }
}

function is4(key: i32, length: i32, word: u32): bool {
  return length === 4 && load<u32>(key) === word;
}

function isObjectKey(key: i32, length: i32): bool {
  return length === 6 && load<u32>(key) === OBJE && (load<u16>(key, 4) as u32) === CT;
}

function isMetadata(key: i32, length: i32): bool {
  return length === 8 && load<u64>(key) === METADATA;
}

function isApiVersion(key: i32, length: i32): bool {
  return length === 10 && load<u64>(key) === API_VERSI && load<u64>(key, 2) === I_VERSION;
}

function isNamespace(key: i32, length: i32): bool {
  return length === 9 && load<u64>(key) === NAMESPAC && load<u8>(key, 8) === 0x65;
}

function isUid(key: i32, length: i32): bool {
  return length === 3 && (load<u16>(key) as u32) === UI && load<u8>(key, 2) === 0x64;
}

function isResourceVersion(key: i32, length: i32): bool {
  return length === 15 && load<u64>(key) === RESOURCE && load<u64>(key, 7) === E_VERSION;
}

function isManagedFields(key: i32, length: i32): bool {
  return length === 13 && load<u64>(key) === MANAGED_F && load<u64>(key, 5) === ED_FIELDS;
}

function isEscaped(key: i32, length: i32): bool {
  for (let at = key; at < key + length; at += 1) {
    if (byte(at) === BACKSLASH) return true;
  }
  return false;
}

/** Whether the value is a string of ASCII without escapes. */
function isSimple(value: i32, end: i32): bool {
  if (byte(value) !== QUOTE) return false;
  for (let at = value + 1; at < end - 1; at += 1) {
    const c = byte(at);
    if (c === BACKSLASH || c >= 0x80) return false;
  }
  return true;
}

function notPlain(): void {
  store<i32>(result, 0, PLAIN);
}

/** Notes the place of an identity string, without its quotes. */
function noteIdentity(place: usize, value: i32, end: i32): void {
  if (load<i32>(place) >= 0 || !isSimple(value, end)) {
    notPlain();
    return;
  }
  store<i32>(place, value + 1);
  store<i32>(place, end - 1, TO_END);
}

/** Notes what to leave out: the managed fields with the comma before them; if they come first, with the comma after them. */
function noteManagedFields(open: i32, key: i32, valueEnd: i32): void {
  if (load<i32>(result, FIELDS) >= 0) {
    notPlain();
    return;
  }
  let start = key - 2;
  while (start > open && byte(start) !== COMMA) start -= 1;
  const isFirst = start === open;
  store<i32>(result, isFirst ? key - 1 : start, FIELDS);
  let behind = valueEnd;
  if (isFirst) {
    const next = skipSpace(valueEnd);
    if (byte(next) === COMMA) behind = next + 1;
  }
  store<i32>(result, behind, FIELDS + TO_END);
}

function scanMetadata(start: i32, end: i32): i32 {
  let at = Step.enter(start, end);
  while (at >= 0 && !closed) {
    const key = at + 1;
    at = Step.keyBehind(at, end);
    if (at < 0) return at;
    const length = at - 1 - key;
    const value = Step.skipColon(at, end);
    if (value < 0) return value;
    at = skipValue(value, end);
    if (at < 0) return at;
    if (is4(key, length, NAME)) noteIdentity(result + ID_NAME, value, at);
    else if (isNamespace(key, length)) noteIdentity(result + ID_NAMESPACE, value, at);
    else if (isUid(key, length)) noteIdentity(result + ID_UID, value, at);
    else if (isResourceVersion(key, length)) noteIdentity(result + ID_VERSION, value, at);
    else if (isManagedFields(key, length)) noteManagedFields(start, key, at);
    else if (isEscaped(key, length)) notPlain();
    at = Step.nextKey(at, end);
  }
  return at;
}

/** Notes a member of which there should be one, a string. */
function noteString(place: usize, first: i32): void {
  if (load<i32>(result + place) > 0 || first !== QUOTE) notPlain();
  store<i32>(result + place, 1);
}

function noteLongest(value: i32, end: i32): void {
  const longest = load<i32>(result, LONGEST + TO_END) - load<i32>(result, LONGEST);
  if (end - value <= longest) return;
  store<i32>(result, value, LONGEST);
  store<i32>(result, end, LONGEST + TO_END);
}

function scanObject(start: i32, end: i32): i32 {
  let at = Step.enter(start, end);
  while (at >= 0 && !closed) {
    const key = at + 1;
    at = Step.keyBehind(at, end);
    if (at < 0) return at;
    const length = at - 1 - key;
    const value = Step.skipColon(at, end);
    if (value < 0) return value;
    const first = byte(value);
    if (isMetadata(key, length)) {
      if (load<i32>(result, META) >= 0 || first !== OPEN_BRACE) {
        notPlain();
        at = skipValue(value, end);
      } else {
        store<i32>(result, value, META);
        at = scanMetadata(value, end);
        closed = false;
        store<i32>(result, at, META + TO_END);
      }
    } else {
      if (is4(key, length, KIND)) noteString(HAS_KIND, first);
      else if (isApiVersion(key, length)) noteString(HAS_API_VERSION, first);
      else if (isEscaped(key, length)) notPlain();
      at = skipValue(value, end);
      if (first === OPEN_BRACE || first === OPEN_BRACKET) noteLongest(value, at);
    }
    if (at < 0) return at;
    at = Step.nextKey(at, end);
  }
  return at;
}

/** 0: added, 1: modified, 2: deleted, 3: another word. */
function eventType(word: i32, length: i32): i32 {
  if (length === 8 && load<u64>(word) === MODIFIED) return 1;
  if (length === 5 && load<u32>(word) === ADDE && load<u8>(word, 4) === 0x44) return 0;
  return length === 7 && load<u32>(word) === DELE && load<u32>(word, 3) === ETED ? 2 : 3;
}

function begin(end: i32): void {
  store<u8>(end, 0);
  memory.fill(result, 0xff, RESULT_BYTES);
  store<i32>(result, 1, PLAIN);
  store<i32>(result, 0, HAS_KIND);
  store<i32>(result, 0, HAS_API_VERSION);
}

/** Scans the object at `start`. Returns the position after it, or `INCOMPLETE` or `INVALID`. */
export function object(start: i32, end: i32): i32 {
  begin(end);
  return scanObject(start, end);
}

/** Whether the bytes are one event with a plain object. */
export function event(start: i32, end: i32): bool {
  begin(end);
  let at = Step.enter(skipSpace(start), end);
  while (at >= 0 && !closed) {
    const key = at + 1;
    at = Step.keyBehind(at, end);
    if (at < 0) return false;
    const length = at - 1 - key;
    const value = Step.skipColon(at, end);
    if (value < 0) return false;
    if (is4(key, length, TYPE)) {
      if (byte(value) !== QUOTE || load<i32>(result, EVENT_TYPE) >= 0) return false;
      at = skipValue(value, end);
      if (at < 0) return false;
      const type = eventType(value + 1, at - value - 2);
      if (type === 3) return false;
      store<i32>(result, type, EVENT_TYPE);
    } else if (isObjectKey(key, length)) {
      if (load<i32>(result, OBJECT) >= 0) return false;
      store<i32>(result, value, OBJECT);
      at = scanObject(value, end);
      closed = false;
      store<i32>(result, at, OBJECT + TO_END);
    } else {
      if (isEscaped(key, length)) return false;
      at = skipValue(value, end);
    }
    if (at < 0) return false;
    at = Step.nextKey(at, end);
  }
  if (at < 0 || load<i32>(result, PLAIN) === 0 || skipSpace(at) !== end) return false;
  return load<i32>(result, EVENT_TYPE) >= 0 && load<i32>(result, OBJECT) >= 0;
}
