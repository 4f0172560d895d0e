/**
 * Records of changes: differences to objects of which only hashes are kept. In AssemblyScript with SIMD; `npm run generate -- wasm` compiles it into
 * `change-record-bytes.ts`. The record is made here as a whole, because calls and small writes in JavaScript cost more than it does.
 *
 * Of an object, each block of 64 bytes has a hash of 64 bits. A later state has a block of the earlier one where the hash is the same: the
 * earlier state itself is not read, which would be out of the processor's caches.
 *
 * Memory, in this order: the keys of the hash, the tables of the checksum, an object, a record, a table of objects, a ring of hashes. It uses
 * no objects, arrays or allocation, so that the module has no runtime and no imports. Addresses are not checked: the caller writes at most `CAPACITY`
 * bytes at `next`.
 */

const PAGE: usize = 0x10000;
/** At most so many bytes of an object. */
const CAPACITY: usize = 0x100000;
const BLOCK: i32 = 64;
const HASH_BYTES: i32 = 8;
/** Of the processor's caches. */
const LINE_BYTES: usize = 64;
/** The size of a step without its own bytes. */
const STEP_BYTES: usize = 12;

/** Of a record, before its steps: its head, the place of the earlier record, the length of the object. As in `record-frame.ts`. */
const HEAD_BYTES: usize = 24;
const CHECKED_FROM: usize = 8;
const STEPS_FROM: usize = HEAD_BYTES + 8;

const keys: usize = 0x8000;
/** Eight tables of 256 numbers, so that eight bytes are taken at a time. */
const sums: usize = 0xa000;
const SUM_TABLE: usize = 1024;
/** Keys of objects whose changes come next. */
export const expected: usize = 0xd000;
export const next: usize = 0x10000;
export const target: usize = next + CAPACITY;
const table: usize = target + CAPACITY;

/** Of a place in the table: the key of an object, its length, the number that is kept with it, and where its hashes begin. */
const PLACE_BYTES: usize = 16;
const LENGTH: usize = 4;
const NUMBER: usize = 8;
const START: usize = 12;
/** An object is looked for at so many places, which lie in one line of the processor's cache. */
const SET_BYTES: usize = 4 * PLACE_BYTES;
/** The part of the memory that the table has: places for objects of 1 KiB, which have 16 hashes. */
const TABLE_SHARE: u32 = 9;

let sets: u32 = 0;
let ring: usize = 0;
let ringBytes: u32 = 0;
/** Bytes of hashes that were kept since the start; the oldest ones are overwritten. 0 is the place of no object. */
let filled: u32 = HASH_BYTES;

/**
 * Takes memory for hashes and their table. To be called once.
 * @returns whether there is so much.
 */
export function open(bytes: u32, seed: u64): bool {
  for (let key = keys; key < keys + BLOCK; key += 8) {
    seed += 0x9e3779b97f4a7c15;
    let mixed = (seed ^ (seed >>> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111eb;
    store<u64>(key, mixed ^ (mixed >>> 31));
  }
  makeSums();
  sets = max(1, bytes / TABLE_SHARE / <u32>SET_BYTES);
  const tableBytes = sets * <u32>SET_BYTES;
  ring = table + tableBytes;
  ringBytes = (bytes - tableBytes) & ~(HASH_BYTES - 1);
  const pages = <i32>((ring + ringBytes + PAGE - 1) / PAGE);
  return memory.grow(pages - memory.size()) >= 0;
}

/** The tables of CRC-32, as in zlib. */
function makeSums(): void {
  for (let byte: u32 = 0; byte < 256; byte += 1) {
    let sum = byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ ((sum & 1) === 0 ? 0 : 0xedb88320);
    store<u32>(sums + (byte << 2), sum);
  }
  for (let at = sums + SUM_TABLE; at < sums + 8 * SUM_TABLE; at += 4) {
    const sum = load<u32>(at - SUM_TABLE);
    store<u32>(at, load<u32>(sums + ((sum & 0xff) << 2)) ^ (sum >>> 8));
  }
}

function summed(byte: u32, place: usize): u32 {
  return load<u32>(sums + place * SUM_TABLE + ((byte & 0xff) << 2));
}

function checksum(from: usize, end: usize): u32 {
  let sum: u32 = 0xffffffff;
  for (; from + 8 <= end; from += 8) {
    const one = load<u32>(from) ^ sum;
    const other = load<u32>(from, 4);
    sum =
      summed(one, 7) ^
      summed(one >>> 8, 6) ^
      summed(one >>> 16, 5) ^
      summed(one >>> 24, 4) ^
      summed(other, 3) ^
      summed(other >>> 8, 2) ^
      summed(other >>> 16, 1) ^
      summed(other >>> 24, 0);
  }
  for (; from < end; from += 1) sum = summed(sum ^ load<u8>(from), 0) ^ (sum >>> 8);
  return ~sum;
}

/** Each half of 16 bytes is added to the other, with the product of its 32-bit halves, as XXH3 does. */
function added(sum: v128, at: usize, key: usize): v128 {
  const mixed = v128.xor(v128.load(at), v128.load(key));
  const turned = i8x16.shuffle(mixed, mixed, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  return i64x2.add(i64x2.add(sum, turned), i64x2.extmul_low_i32x4_u(mixed, turned));
}

function hashOf(at: usize): u64 {
  let sum = added(i64x2.splat(0), at, keys);
  sum = added(sum, at + 16, keys + 16);
  sum = added(sum, at + 32, keys + 32);
  sum = added(sum, at + 48, keys + 48);
  return i64x2.extract_lane(sum, 0) * 0x9e3779b97f4a7c15 + i64x2.extract_lane(sum, 1);
}

function isKept(place: usize): bool {
  const start = load<u32>(place, START);
  return start !== 0 && start + ringBytes >= filled;
}

function firstPlace(key: u32): usize {
  return table + (key % sets) * <u32>SET_BYTES;
}

/** The place of an object whose hashes were not overwritten; 0 if there is none. */
function find(key: u32): usize {
  const first = firstPlace(key);
  for (let place = first; place < first + SET_BYTES; place += PLACE_BYTES) {
    if (load<u32>(place) === key && isKept(place)) return place;
  }
  return 0;
}

/** That of the object, or of the one that was kept first. */
function placeFor(key: u32): usize {
  const first = firstPlace(key);
  let oldest = first;
  for (let place = first; place < first + SET_BYTES; place += PLACE_BYTES) {
    if (load<u32>(place) === key && isKept(place)) return place;
    if (load<u32>(place, START) < load<u32>(oldest, START)) oldest = place;
  }
  return oldest;
}

/** Whole blocks, and one that ends with the object. */
function blocksOf(length: i32): i32 {
  return length < BLOCK ? 0 : length / BLOCK + 1;
}

/** Keeps the hashes of so many bytes at `next`, and a number with them. */
export function keep(key: u32, length: i32, number: u32): void {
  const blocks = blocksOf(length);
  const size = blocks * HASH_BYTES;
  if (<u32>size > ringBytes) return;
  const place = placeFor(key);
  const behind = filled % ringBytes;
  if (behind + size > ringBytes) filled += ringBytes - behind;
  const hashes = ring + (filled % ringBytes);
  for (let block = 0; block < blocks - 1; block += 1) {
    store<u64>(hashes + block * HASH_BYTES, hashOf(next + block * BLOCK));
  }
  if (blocks > 0) store<u64>(hashes + size - HASH_BYTES, hashOf(next + length - BLOCK));
  store<u32>(place, key);
  store<u32>(place, length, LENGTH);
  store<u32>(place, number, NUMBER);
  store<u32>(place, filled, START);
  filled += size;
}

/**
 * Brings what is kept of so many objects, whose keys are at `expected`, into the processor's caches. Their places and hashes are read from memory
 * at the same time, not one after the other as by `change`.
 * @returns a number that depends on all that was read, so that no read is left out.
 */
export function expect(count: usize): u64 {
  let sum: u64 = 0;
  for (let key = expected; key < expected + 4 * count; key += 4) {
    sum += load<u32>(firstPlace(load<u32>(key)));
  }
  for (let key = expected; key < expected + 4 * count; key += 4) {
    const place = find(load<u32>(key));
    if (place === 0) continue;
    const from = ring + (load<u32>(place, START) % ringBytes);
    const end = from + blocksOf(load<i32>(place, LENGTH)) * HASH_BYTES;
    for (let at = from; at < end; at += LINE_BYTES) sum += load<u64>(at);
  }
  return sum;
}

let hashes: usize = 0;
let baseLength: i32 = 0;
let nextLength: i32 = 0;

/** Whether the block of the next object is the one that the base has so many bytes further on, where one of its blocks begins. */
function isSame(at: i32, shift: i32): bool {
  const from = at + shift;
  if (from < 0 || from + BLOCK > baseLength || at + BLOCK > nextLength) return false;
  return load<u64>(hashes + (from / BLOCK) * HASH_BYTES) === hashOf(next + at);
}

/** The end of the bytes from `at` on that are those of the base; `at` itself where no block of the base begins there. */
function sameUntil(at: i32, shift: i32): i32 {
  const lastBegin = min(nextLength, baseLength - shift) - BLOCK;
  let hash = hashes + ((at + shift) / BLOCK) * HASH_BYTES;
  while (at <= lastBegin && load<u64>(hash) === hashOf(next + at)) {
    at += BLOCK;
    hash += HASH_BYTES;
  }
  const rest = baseLength - at - shift;
  const isEnd = rest > 0 && rest < BLOCK && at + rest === nextLength;
  if (!isEnd || baseLength < BLOCK) return at;
  const last = load<u64>(hashes + (baseLength / BLOCK) * HASH_BYTES);
  return last === hashOf(next + nextLength - BLOCK) ? nextLength : at;
}

/** The first place from `at` on where a block of the base can begin, at the distance. */
function beginOfBlock(at: i32, shift: i32): i32 {
  return ((at + shift + BLOCK - 1) & ~(BLOCK - 1)) - shift;
}

/** The distance of the block that `sameAgain` has found. */
let foundShift: i32 = 0;

/** The next place with a block of the base, as far from the begin as there, or from the end; −1 if there is none. */
function sameAgain(at: i32, end: i32): i32 {
  const fromEnd = baseLength - nextLength;
  let one = beginOfBlock(at, 0);
  let other = fromEnd === 0 ? i32.MAX_VALUE : beginOfBlock(at, fromEnd);
  while (min(one, other) <= end) {
    const isOne = one <= other;
    const place = isOne ? one : other;
    foundShift = isOne ? 0 : fromEnd;
    if (isSame(place, foundShift)) return place;
    if (isOne) one += BLOCK;
    else other += BLOCK;
  }
  return -1;
}

/** Writes steps that make so many bytes at `next` of the base. Returns their end; 0 if that is more than `most`. */
function writeSteps(length: i32, most: usize): usize {
  let step = target + STEPS_FROM;
  let shift = 0;
  for (let at = 0; at < length; ) {
    const own = sameUntil(at, shift);
    // Negative if not even the step fits.
    const room = <i32>most - <i32>(step + STEP_BYTES);
    const found = own === length ? own : sameAgain(own, own + room);
    const end = found < 0 ? length : found;
    if (end - own > room) return 0;
    store<u32>(step, at + shift);
    store<u32>(step, own - at, 4);
    store<u32>(step, end - own, 8);
    memory.copy(step + STEP_BYTES, next + own, end - own);
    step += STEP_BYTES + (end - own);
    shift = foundShift;
    at = end;
  }
  return step;
}

/**
 * Writes a record at `target`: its head, the number that was kept with the object, its length, and steps that make so many bytes at `next`.
 * @returns its length; 0 if no hashes of the object are kept, or the record takes more than `limit` bytes.
 */
export function change(
  key: u32,
  length: i32,
  limit: usize,
  kindAndFlags: u32,
  request: u32,
  atMs: f64,
): usize {
  const place = find(key);
  if (place === 0) return 0;
  hashes = ring + (load<u32>(place, START) % ringBytes);
  baseLength = load<i32>(place, LENGTH);
  nextLength = length;
  const end = writeSteps(length, target + limit);
  if (end === 0) return 0;
  store<u32>(target, end - target - HEAD_BYTES);
  store<u32>(target, kindAndFlags, CHECKED_FROM);
  store<u32>(target, request, 12);
  store<f64>(target, atMs, 16);
  store<u32>(target, load<u32>(place, NUMBER), HEAD_BYTES);
  store<u32>(target, length, HEAD_BYTES + 4);
  store<u32>(target, checksum(target + CHECKED_FROM, end), 4);
  return end - target;
}
