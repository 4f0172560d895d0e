/** A larger piece has memory of its own, bytes. */
const SMALL = 4 * 1024;
const PAGE = 16 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Memory for the pieces of a body. Small pieces share pages, because an ArrayBuffer for each piece takes more time than its
 * bytes. A page is released when no piece of it is in use.
 */
export class PieceMemory {
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
