import type { Socket } from 'node:net';

const BUFFER_BYTES = 2 ** 20;
/** Of the length of a chunk and what ends it: `0000ffff\r\n` before, `\r\n` after. */
const CHUNK_HEAD = 10;
const CHUNK_TAIL = 2;

/**
 * Writes chunks of HTTP to a socket, many of them with one call. While the network takes one buffer, the next is filled; a
 * reader that is slow slows the writer down.
 */
export class ChunkedOutput {
  readonly #socket: Socket;
  #buffer: Buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #spare: Buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #end = 0;
  #chunk = -1;
  #written: Promise<void> = Promise.resolve();

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get closed(): boolean {
    return this.#socket.destroyed;
  }

  get buffer(): Buffer {
    return this.#buffer;
  }

  /** Where in the buffer the next byte comes. */
  get at(): number {
    return this.#end;
  }

  set at(end: number) {
    this.#end = end;
  }

  /** Whether so many bytes and the end of a chunk fit; otherwise `flush` first. */
  fits(bytes: number): boolean {
    return this.#end + bytes + CHUNK_HEAD + CHUNK_TAIL <= BUFFER_BYTES;
  }

  /** Harmless while a chunk is open. */
  beginChunk(): void {
    if (this.#chunk >= 0) return;
    this.#chunk = this.#end;
    this.#end += CHUNK_HEAD;
  }

  add(bytes: Buffer): void {
    bytes.copy(this.#buffer, this.#end);
    this.#end += bytes.length;
  }

  endChunk(): void {
    const begin = this.#chunk;
    let rest = this.#end - begin - CHUNK_HEAD;
    for (let place = begin + 7; place >= begin; place -= 1) {
      const digit = rest & 0xf;
      this.#buffer[place] = digit < 10 ? 0x30 + digit : 0x57 + digit;
      rest >>= 4;
    }
    this.#buffer[begin + 8] = 0x0d;
    this.#buffer[begin + 9] = 0x0a;
    this.#buffer[this.#end] = 0x0d;
    this.#buffer[this.#end + 1] = 0x0a;
    this.#end += CHUNK_TAIL;
    this.#chunk = -1;
  }

  /** Hands what there is to the network, and waits until there is room for more. Ends a chunk that has begun, and begins the next. */
  async flush(): Promise<void> {
    const goesOn = this.#chunk >= 0;
    if (goesOn) this.endChunk();
    const full = this.#buffer.subarray(0, this.#end);
    const before = this.#written;
    if (full.length > 0 && !this.closed) {
      this.#written = new Promise((resolve) => {
        // An error ends the connection, and `closed` says so.
        this.#socket.write(full, () => resolve());
      });
    }
    [this.#buffer, this.#spare] = [this.#spare, this.#buffer];
    this.#end = 0;
    await before;
    if (goesOn) this.beginChunk();
  }

  /** Waits until the network has everything. */
  async drain(): Promise<void> {
    await this.flush();
    await this.#written;
  }
}
