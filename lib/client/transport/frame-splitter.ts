import { asBuffer } from '../../kernel/as-buffer.ts';
import { ListwatchError } from '../../kernel/errors.ts';
import { numberOption, rejectUnknownOptions } from '../../kernel/options.ts';

export interface FrameSplitterOptions {
  /** Largest frame in bytes, its newline not counted. @defaultValue 67 108 864 (64 MiB) */
  readonly maxFrameBytes?: number | undefined;
}

export const DEFAULT_MAX_FRAME_BYTES: number = 64 * 1024 * 1024;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const EMPTY: Buffer = Buffer.alloc(0);
const SMALLEST_ROOM = 1024;

/** Is given a frame: what lies between `start` and `end`. The bytes are its own to keep and never change. */
export type FrameTaker = (bytes: Buffer, start: number, end: number) => void;

/**
 * Cuts a stream of bytes into frames at newlines, wherever the network happened to cut it.
 *
 * It works on bytes: a newline byte is never part of a longer UTF-8 sequence, nor of a JSON text that was written compactly.
 *
 * Guarantees:
 * - A frame inside one piece stays where it lies, uncopied; one over several pieces is gathered in time linear in its size.
 * - Blank lines are no frames; a carriage return before the newline belongs to neither.
 * - Memory held back stays below twice the unfinished frame, also when it comes byte by byte, and pieces are released.
 */
export class FrameSplitter {
  readonly #maxFrameBytes: number;
  /** The start of an unfinished line, with room to grow. */
  #held: Buffer = EMPTY;
  #heldBytes = 0;
  #frames = 0;
  #offset = 0;

  constructor(options: FrameSplitterOptions = {}) {
    rejectUnknownOptions('FrameSplitter', options, ['maxFrameBytes']);
    this.#maxFrameBytes = numberOption(
      'FrameSplitter',
      'maxFrameBytes',
      options.maxFrameBytes,
      DEFAULT_MAX_FRAME_BYTES,
      { min: 1 },
    );
  }

  /** Number of frames handed out so far, the present one included. */
  get frames(): number {
    return this.#frames;
  }

  /** The offset in the stream at which the present line starts, bytes. */
  get offset(): number {
    return this.#offset;
  }

  /**
   * Takes the next piece and calls `onFrame` for each frame it completes; what `onFrame` throws comes out here.
   * @throws {ListwatchError} code FRAME_TOO_LARGE, after the frames before it. The splitter is of no use afterwards.
   */
  push(chunk: Uint8Array, onFrame: FrameTaker): void {
    const bytes = asBuffer(chunk);
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(NEWLINE, start);
      if (end === -1) break;
      if (this.#heldBytes === 0) {
        this.#checkSize(end - start);
        this.#emit(bytes, start, end, onFrame);
        this.#offset += end - start + 1;
      } else {
        this.#offset += this.#emitHeld(bytes.subarray(start, end), onFrame) + 1;
      }
      start = end + 1;
    }
    if (start < bytes.length) this.#hold(bytes.subarray(start));
  }

  /** Takes what stood behind the last newline, if it is not blank. Call it once, when the stream has ended. */
  end(onFrame: FrameTaker): void {
    this.#offset += this.#emitHeld(EMPTY, onFrame);
  }

  /** The line that was held with its last part; returns its length. */
  #emitHeld(last: Buffer, onFrame: FrameTaker): number {
    this.#hold(last);
    const line = this.#held;
    const length = this.#heldBytes;
    // The frame now belongs to its receiver, so the memory is not used again.
    this.#drop();
    this.#emit(line, 0, length, onFrame);
    return length;
  }

  #emit(bytes: Buffer, start: number, lineEnd: number, onFrame: FrameTaker): void {
    const end = lineEnd > start && bytes[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;
    if (isBlank(bytes, start, end)) return;
    this.#frames += 1;
    onFrame(bytes, start, end);
  }

  #hold(piece: Buffer): void {
    const bytes = this.#heldBytes + piece.length;
    this.#checkSize(bytes);
    if (bytes > this.#held.length) {
      const room = Math.max(SMALLEST_ROOM, bytes, Math.min(2 * bytes, this.#maxFrameBytes));
      const larger = Buffer.allocUnsafe(room);
      this.#held.copy(larger, 0, 0, this.#heldBytes);
      this.#held = larger;
    }
    piece.copy(this.#held, this.#heldBytes);
    this.#heldBytes = bytes;
  }

  #drop(): void {
    this.#held = EMPTY;
    this.#heldBytes = 0;
  }

  #checkSize(bytes: number): void {
    if (bytes <= this.#maxFrameBytes) return;
    this.#drop();
    this.#frames += 1;
    throw new ListwatchError(
      'FRAME_TOO_LARGE',
      `it is larger than maxFrameBytes, ${this.#maxFrameBytes} bytes`,
    );
  }
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN) return false;
  }
  return true;
}
