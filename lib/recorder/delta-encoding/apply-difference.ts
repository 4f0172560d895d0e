import type { ListwatchError } from '../../kernel/failure/errors.ts';

/** The size of a step of a difference without its own bytes: the place in the base, how many bytes are copied from there, how many follow. */
const STEP_BYTES = 12;

/**
 * Steps that make so many bytes of a base.
 * @throws what `wrong` returns, for steps that do not.
 */
export function checkDifference(
  baseLength: number,
  steps: Buffer,
  length: number,
  wrong: (problem: string) => ListwatchError,
): void {
  let made = 0;
  for (let at = 0; at < steps.length; ) {
    if (at + STEP_BYTES > steps.length) throw wrong('its last step is cut short');
    const copied = steps.readUInt32LE(at + 4);
    const own = steps.readUInt32LE(at + 8);
    if (steps.readUInt32LE(at) + copied > baseLength) {
      throw wrong('a step copies more than the earlier object has');
    }
    at += STEP_BYTES + own;
    if (at > steps.length) throw wrong('a step has fewer bytes than it says');
    made += copied + own;
  }
  if (made !== length) throw wrong(`its object has ${made} bytes, not ${length} as it says`);
}

/** Applies checked steps to the base. */
export function applyDifference(base: Buffer, steps: Buffer, length: number): Buffer {
  // Not of the pool of small buffers: views of the object keep it.
  const made = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  for (let at = 0; at < steps.length; ) {
    const from = steps.readUInt32LE(at);
    const copied = steps.readUInt32LE(at + 4);
    const own = steps.readUInt32LE(at + 8);
    at += STEP_BYTES;
    filled += base.copy(made, filled, from, from + copied);
    filled += steps.copy(made, filled, at, at + own);
    at += own;
  }
  return made;
}
