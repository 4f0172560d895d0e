/** A part of bytes. */
export interface Piece {
  readonly bytes: Buffer;
  readonly start: number;
  readonly length: number;
}

/** What a step of a difference takes, besides its own bytes: the place in the base, how many bytes are copied from there, how many follow. */
export const STEP_BYTES = 12;
