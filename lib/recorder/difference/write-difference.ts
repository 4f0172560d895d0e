import { plainDifference } from './plain-difference.ts';
import type { Piece } from './difference-step.ts';
import { WasmDifference } from './wasm-difference.ts';

/** One instance for all: a difference is one synchronous step. Undefined until the first one, null where there is none. */
let shared: WasmDifference | null | undefined;

/**
 * Writes how to make the next bytes of those of the base: steps, each of which copies a piece of the base and adds bytes of its own. The
 * same bytes are looked for at the same distance from the start, and from the end, so changes that keep the length cost little.
 * @returns the end of the steps; undefined if they do not fit before `limit`.
 */
export function writeDifference(
  base: Piece,
  next: Piece,
  target: Buffer,
  start: number,
  limit: number,
): number | undefined {
  if (shared === undefined) shared = WasmDifference.open() ?? null;
  if (shared?.takes(base, next, limit - start) === true) {
    return shared.write(base, next, target, start, limit);
  }
  return plainDifference(base, next, target, start, limit);
}
