import { STEP_BYTES, type Piece } from './difference-step.ts';

/** So many bytes in a row are the same where copying begins again. */
const COMPARED = 16;

/** `writeDifference` in JavaScript. */
export function plainDifference(
  base: Piece,
  next: Piece,
  target: Buffer,
  start: number,
  limit: number,
): number | undefined {
  const fromEnd = base.length - next.length;
  let written = start;
  let shift = 0;
  for (let at = 0; at < next.length; ) {
    const own = at + sameBytes(base, next, at, shift);
    written += STEP_BYTES;
    const most = Math.min(next.length, own + limit - written);
    if (most < own) return undefined;
    const end = sameAgain(base, next, own, most, shift, fromEnd);
    if (end === most && most < next.length) return undefined;
    target.writeUInt32LE(at + shift, written - 12);
    target.writeUInt32LE(own - at, written - 8);
    target.writeUInt32LE(end - own, written - 4);
    written += next.bytes.copy(target, written, next.start + own, next.start + end);
    if (!isSame(base, next, end, shift)) shift = fromEnd;
    at = end;
  }
  return written;
}

/** The number of bytes from `at` on that are those of the base, which has them so many places further on. */
function sameBytes(base: Piece, next: Piece, at: number, shift: number): number {
  const length = Math.min(next.length - at, base.length - at - shift);
  const before = base.start + at + shift;
  const after = next.start + at;
  let same = 0;
  while (same < length && base.bytes[before + same] === next.bytes[after + same]) same += 1;
  return same;
}

/** The next place where the base has the same, at one of the two distances; `end` if there is none before. */
function sameAgain(
  base: Piece,
  next: Piece,
  from: number,
  end: number,
  shift: number,
  fromEnd: number,
): number {
  for (let at = from; at < end; at += 1) {
    if (isSame(base, next, at, shift) || isSame(base, next, at, fromEnd)) return at;
  }
  return end;
}

function isSame(base: Piece, next: Piece, at: number, shift: number): boolean {
  const before = at + shift;
  if (before < 0 || before + COMPARED > base.length || at + COMPARED > next.length) return false;
  for (let index = 0; index < COMPARED; index += 1) {
    const [one, other] = [base.start + before + index, next.start + at + index];
    if (base.bytes[one] !== next.bytes[other]) return false;
  }
  return true;
}
