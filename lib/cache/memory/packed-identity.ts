import type { ObjectIdentity } from '../../meta/object-view.ts';
import {
  isUuid,
  packDigits,
  packUuid,
  unpackDigits,
  unpackUuid,
  UUID_BYTES,
  UUID_LENGTH,
} from './hex-digits.ts';

/*
 * Uid and resource version in few bytes, read from their end:
 *
 *   uid | resource version | length of the uid (1) | length of the resource version (1) | how they are written (1)
 *
 * Lengths are those of the texts. A UUID takes 16 bytes, a number a byte for two digits.
 */
const HOW = 1;
const VERSION_LENGTH = 2;
const UID_LENGTH = 3;
const LENGTHS = 3;

const UID_IS_UUID = 1;
const VERSION_IS_NUMBER = 2;
/** Neither of them is there; the view itself remembers them. */
const ELSEWHERE = 4;

const LONGEST = 254;
const ONE_BYTE_LETTERS = /^[\0-\xff]*$/;
const NUMBER = /^\d+$/;

/** Most bytes of a packed identity. */
export const IDENTITY_BOUND: number = 2 * LONGEST + LENGTHS;

const letters = Buffer.alloc(LONGEST + 1);

/** Whether uid and resource version are there when they are packed; otherwise only the view itself knows them. */
export function isPackable({ uid, resourceVersion }: ObjectIdentity): boolean {
  return isShort(uid) && isShort(resourceVersion);
}

/** Writes the identity to the beginning of `target`. Returns how long it is. */
export function packIdentity({ uid, resourceVersion }: ObjectIdentity, target: Uint8Array): number {
  if (!isShort(uid) || !isShort(resourceVersion)) {
    target.set([0, 0, ELSEWHERE]);
    return LENGTHS;
  }
  letters.write(uid, 'latin1');
  const isUid = uid.length === UUID_LENGTH && isUuid(letters, 0);
  let end = isUid ? packUuid(letters, 0, target, 0) : copyLetters(uid.length, target, 0);
  // Two digits make a byte, of an odd number of them as well.
  letters.write(`${resourceVersion}0`, 'latin1');
  const isNumber = NUMBER.test(resourceVersion);
  const { length } = resourceVersion;
  end = isNumber
    ? packDigits(letters, 0, length + (length % 2), target, end)
    : copyLetters(length, target, end);
  target[end] = uid.length;
  target[end + 1] = length;
  target[end + 2] = (isUid ? UID_IS_UUID : 0) | (isNumber ? VERSION_IS_NUMBER : 0);
  return end + LENGTHS;
}

/** How long the packed identity is that ends at `end`. */
export function packedIdentityBytes(bytes: Uint8Array, end: number): number {
  return LENGTHS + uidBytes(bytes, end) + versionBytes(bytes, end);
}

export function packedUid(bytes: Buffer, end: number): string | undefined {
  if (has(bytes, end, ELSEWHERE)) return undefined;
  const to = end - LENGTHS - versionBytes(bytes, end);
  const from = to - uidBytes(bytes, end);
  if (!has(bytes, end, UID_IS_UUID)) return bytes.toString('latin1', from, to);
  unpackUuid(bytes, from, letters, 0);
  return letters.toString('latin1', 0, UUID_LENGTH);
}

export function packedVersion(bytes: Buffer, end: number): string | undefined {
  if (has(bytes, end, ELSEWHERE)) return undefined;
  const to = end - LENGTHS;
  const count = versionBytes(bytes, end);
  if (!has(bytes, end, VERSION_IS_NUMBER)) return bytes.toString('latin1', to - count, to);
  unpackDigits(bytes, to - count, count, letters, 0);
  return letters.toString('latin1', 0, bytes[end - VERSION_LENGTH]);
}

function isShort(text: string | undefined): text is string {
  return text !== undefined && text.length <= LONGEST && ONE_BYTE_LETTERS.test(text);
}

function copyLetters(count: number, target: Uint8Array, at: number): number {
  target.set(letters.subarray(0, count), at);
  return at + count;
}

function has(bytes: Uint8Array, end: number, flag: number): boolean {
  return ((bytes[end - HOW] as number) & flag) !== 0;
}

function uidBytes(bytes: Uint8Array, end: number): number {
  return has(bytes, end, UID_IS_UUID) ? UUID_BYTES : (bytes[end - UID_LENGTH] as number);
}

function versionBytes(bytes: Uint8Array, end: number): number {
  const length = bytes[end - VERSION_LENGTH] as number;
  return has(bytes, end, VERSION_IS_NUMBER) ? Math.ceil(length / 2) : length;
}
