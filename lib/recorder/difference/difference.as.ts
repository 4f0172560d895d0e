/**
 * `writeDifference` in AssemblyScript, with SIMD. `npm run wasm` compiles it into `difference-bytes.ts`.
 *
 * It uses no objects, arrays or allocation, so that the module has no runtime and no imports. Addresses are not checked: the caller writes
 * bytes at `base` and `next`, at most `CAPACITY` each, and there is room for a limit of as many behind `target`.
 */

/** At most so many bytes of each. Up to 15 bytes after them are read and not used. */
const CAPACITY: usize = 0x100000;
const READ_BEYOND: usize = 16;
export const base: usize = 0x10000;
export const next: usize = base + CAPACITY + READ_BEYOND;
export const target: usize = next + CAPACITY + READ_BEYOND;

/** What a step takes, besides its own bytes. */
const STEP_BYTES: i32 = 12;
/** So many bytes are compared at a time. */
const COMPARED: i32 = 16;

/** For each of 16 bytes whether they differ, as a bit. */
function differing(before: usize, after: usize): i32 {
  return i8x16.bitmask(i8x16.ne(v128.load(before), v128.load(after)));
}

/** The number of bytes that are the same, of so many. */
function sameBytes(before: usize, after: usize, length: i32): i32 {
  let same = 0;
  while (same < length) {
    const bits = differing(before + same, after + same);
    if (bits !== 0) return min(length, same + ctz(bits));
    same += COMPARED;
  }
  return length;
}

function isSame(baseLength: i32, nextLength: i32, at: i32, shift: i32): bool {
  const before = at + shift;
  if (before < 0 || before + COMPARED > baseLength || at + COMPARED > nextLength) return false;
  return differing(base + before, next + at) === 0;
}

/**
 * Writes the steps at `target`, at most `limit` bytes.
 * @returns their length; −1 if they do not fit.
 */
export function difference(baseLength: i32, nextLength: i32, limit: i32): i32 {
  const fromEnd = baseLength - nextLength;
  let written = 0;
  let shift = 0;
  for (let at = 0; at < nextLength; ) {
    const length = min(nextLength - at, baseLength - at - shift);
    const own = at + max(0, sameBytes(base + at + shift, next + at, length));
    written += STEP_BYTES;
    const most = min(nextLength, own + limit - written);
    if (most < own) return -1;
    let end = own;
    while (
      end < most &&
      !isSame(baseLength, nextLength, end, shift) &&
      !isSame(baseLength, nextLength, end, fromEnd)
    ) {
      end += 1;
    }
    if (end === most && most < nextLength) return -1;
    const step = target + written - STEP_BYTES;
    store<u32>(step, at + shift);
    store<u32>(step, own - at, 4);
    store<u32>(step, end - own, 8);
    memory.copy(step + STEP_BYTES, next + own, end - own);
    written += end - own;
    if (!isSame(baseLength, nextLength, end, shift)) shift = fromEnd;
    at = end;
  }
  return written;
}
