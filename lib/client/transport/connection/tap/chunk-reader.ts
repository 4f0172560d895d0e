const CR = 0x0d;
const LF = 0x0a;

/** A longer size of a chunk is at least 4 GiB, or has zeros in front. */
const MOST_DIGITS = 8;
/** Bytes that a parser refuses at the beginning of a chunk. */
const NO_SIZE = 'x';

type Place = 'size' | 'size LF' | 'data' | 'data CR' | 'data LF';

/**
 * Takes the chunked coding off the body of an HTTP answer.
 *
 * It reads only plain chunks: up to eight hexadecimal digits, no extension, data. It stops at everything else, such as the last
 * chunk with its trailers, an extension or an error, so that Node's parser reads it. Node's parser alone decides what is valid.
 */
export class ChunkReader {
  readonly #memory: PieceMemory;
  #place: Place = 'size';
  /** The size of the present chunk so far, or the bytes that are missing of its data. */
  #left = 0;
  /** The size as it came. */
  #digits = '';
  /** Where reading stopped; −1 while it goes on. */
  stoppedAt = -1;

  constructor(memory: PieceMemory = new PieceMemory()) {
    this.#memory = memory;
  }

  /**
   * The bytes that a parser without a chunk has to read before those from `stoppedAt` on: the beginning of the present chunk.
   * Bytes that do not belong after data are an error at the beginning of a chunk too.
   */
  get missing(): string {
    switch (this.#place) {
      case 'size':
        return this.#digits;
      case 'size LF':
        return `${this.#digits}\r`;
      case 'data':
        return '';
      case 'data CR':
      case 'data LF':
        return NO_SIZE;
    }
  }

  /** The data of chunks between `start` and `end`, in memory that does not change; undefined without data. */
  read(bytes: Buffer, start: number, end: number): Buffer | undefined {
    const memory = this.#memory;
    memory.reserve(end - start);
    let at = start;
    while (at < end) {
      if (this.#place === 'data') {
        const behind = Math.min(end, at + this.#left);
        memory.add(bytes, at, behind);
        this.#left -= behind - at;
        at = behind;
        if (this.#left === 0) this.#place = 'data CR';
      } else if (this.#step(bytes[at] as number)) {
        at += 1;
      } else {
        this.stoppedAt = at;
        break;
      }
    }
    return memory.take();
  }

  /** Reads a byte of the coding. Returns false at one that is not part of a plain chunk. */
  #step(byte: number): boolean {
    switch (this.#place) {
      case 'size': {
        const digit = hexDigit(byte);
        if (digit < 0) {
          if (byte !== CR || this.#left === 0) return false;
          this.#place = 'size LF';
          return true;
        }
        if (this.#digits.length === MOST_DIGITS) return false;
        this.#left = this.#left * 16 + digit;
        this.#digits += String.fromCharCode(byte);
        return true;
      }
      case 'size LF':
        if (byte !== LF) return false;
        this.#place = 'data';
        return true;
      case 'data CR':
        if (byte !== CR) return false;
        this.#place = 'data LF';
        return true;
      case 'data LF':
        if (byte !== LF) return false;
        this.#place = 'size';
        this.#digits = '';
        return true;
      case 'data':
        return true;
    }
  }
}

/** Below zero for another byte. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** A larger piece has memory of its own, bytes. */
const SMALL = 4 * 1024;
const PAGE = 16 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Memory for the pieces of a body. Small pieces share pages, because an ArrayBuffer for each piece takes more time than its
 * bytes. A page is released when no piece of it is in use.
 */
class PieceMemory {
  #page: Buffer = NOTHING;
  #start = 0;
  #end = 0;

  /** Begins a piece of at most `size` bytes. */
  reserve(size: number): void {
    if (this.#page.length - this.#start < size) {
      this.#page = Buffer.allocUnsafeSlow(size > SMALL ? size : PAGE);
      this.#start = 0;
    }
    this.#end = this.#start;
  }

  add(bytes: Buffer, start: number, end: number): void {
    bytes.copy(this.#page, this.#end, start, end);
    this.#end += end - start;
  }

  /** The piece; undefined if it is empty. */
  take(): Buffer | undefined {
    if (this.#end === this.#start) return undefined;
    const piece = this.#page.subarray(this.#start, this.#end);
    this.#start = this.#end;
    return piece;
  }
}
