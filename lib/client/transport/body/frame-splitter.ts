import { asBuffer } from '../../../kernel/data/as-buffer.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../../kernel/options/options-schema.ts';

export interface FrameSplitterOptions {
  /** The largest frame without its newline, bytes. @defaultValue 67 108 864 (64 MiB) */
  readonly maxFrameBytes?: number | undefined;
}

export const DEFAULT_MAX_FRAME_BYTES: number = 64 * 1024 * 1024;

const OPTIONS = optionsOf<FrameSplitterOptions>()('FrameSplitter', {
  maxFrameBytes: is.number({ min: 1 }).default(DEFAULT_MAX_FRAME_BYTES),
});

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const EMPTY: Buffer = Buffer.alloc(0);
const SMALLEST_ROOM = 1024;

/** Called with a frame: the bytes between `start` and `end`. It may keep the bytes; they never change. */
export type FrameTaker = (bytes: Buffer, start: number, end: number) => void;

/**
 * Splits a stream of bytes into frames at newlines. Pieces of the stream may end anywhere.
 *
 * It works on bytes: a newline byte is never part of a longer UTF-8 sequence, nor of compact JSON.
 *
 * Guarantees:
 * - A frame within one piece is not copied; a frame that spans several pieces is gathered in time linear in its size.
 * - Blank lines are ignored; a carriage return before the newline is not part of the frame.
 * - The splitter holds less than twice the size of the unfinished frame, also when it arrives byte by byte, and no pieces.
 */
export class FrameSplitter {
  readonly #maxFrameBytes: number;
  /** The beginning of an unfinished line, with free space at the end. */
  #held: Buffer = EMPTY;
  #heldBytes = 0;
  #frames = 0;
  #offset = 0;

  constructor(options: FrameSplitterOptions = {}) {
    this.#maxFrameBytes = OPTIONS.read(options).maxFrameBytes;
  }

  /** The number of frames so far, including the present one. */
  get frames(): number {
    return this.#frames;
  }

  /** The offset in the stream at which the present line starts, bytes. */
  get offset(): number {
    return this.#offset;
  }

  /**
   * Takes the next piece and calls `onFrame` for each frame that it completes.
   * @throws {ListwatchError} code FRAME_TOO_LARGE, after the frames before it; the splitter cannot be used afterwards. Errors
   * that `onFrame` throws.
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

  /** Takes the bytes after the last newline, if they are not blank. Call it once, when the stream has ended. */
  end(onFrame: FrameTaker): void {
    this.#offset += this.#emitHeld(EMPTY, onFrame);
  }

  /** Emits the held line with its last part; returns its length. */
  #emitHeld(last: Buffer, onFrame: FrameTaker): number {
    this.#hold(last);
    const line = this.#held;
    const length = this.#heldBytes;
    // The receiver may keep the frame, so the memory is not reused.
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
