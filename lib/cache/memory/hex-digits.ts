const DASH = 0x2d;
const NONE = 255;

const DIGITS: Uint8Array = Buffer.from('0123456789abcdef');
const VALUES: Uint8Array = new Uint8Array(256).fill(NONE);
for (const [value, digit] of DIGITS.entries()) VALUES[digit] = value;

export const UUID_LENGTH = 36;
/** Bytes of the value of a UUID. */
export const UUID_BYTES = 16;

/** Where the groups of digits of a UUID begin, and how long they are. */
const GROUPS: readonly (readonly [from: number, count: number])[] = [
  [0, 8],
  [9, 4],
  [14, 4],
  [19, 4],
  [24, 12],
];

/** Whether a byte is a hexadecimal digit in lower case. */
export function isDigit(byte: number): boolean {
  return VALUES[byte] !== NONE;
}

/** Whether the 36 bytes from `start` are a UUID in lower case. */
export function isUuid(bytes: Uint8Array, start: number): boolean {
  for (let place = 0; place < UUID_LENGTH; place += 1) {
    const byte = bytes[start + place];
    if (byte === undefined) return false;
    if (isDash(place) ? byte !== DASH : !isDigit(byte)) return false;
  }
  return true;
}

/** Writes the values of `count` digits, an even number of them, two in a byte. Returns where they end. */
export function packDigits(
  bytes: Uint8Array,
  start: number,
  count: number,
  target: Uint8Array,
  at: number,
): number {
  let end = at;
  for (let place = start; place < start + count; place += 2) {
    target[end] = (valueAt(bytes, place) << 4) | valueAt(bytes, place + 1);
    end += 1;
  }
  return end;
}

/** Writes the digits of the values of `count` bytes. Returns where they end. */
export function unpackDigits(
  values: Uint8Array,
  start: number,
  count: number,
  target: Uint8Array,
  at: number,
): number {
  let end = at;
  for (let place = start; place < start + count; place += 1) {
    const value = values[place] as number;
    target[end] = DIGITS[value >> 4] as number;
    target[end + 1] = DIGITS[value & 15] as number;
    end += 2;
  }
  return end;
}

export function packUuid(bytes: Uint8Array, start: number, target: Uint8Array, at: number): number {
  let end = at;
  for (const [from, count] of GROUPS) end = packDigits(bytes, start + from, count, target, end);
  return end;
}

export function unpackUuid(
  values: Uint8Array,
  start: number,
  target: Uint8Array,
  at: number,
): number {
  let place = start;
  let end = at;
  for (const [from, count] of GROUPS) {
    if (from > 0) target[at + from - 1] = DASH;
    end = unpackDigits(values, place, count / 2, target, at + from);
    place += count / 2;
  }
  return end;
}

function isDash(place: number): boolean {
  return place === 8 || place === 13 || place === 18 || place === 23;
}

function valueAt(bytes: Uint8Array, place: number): number {
  return VALUES[bytes[place] as number] as number;
}
