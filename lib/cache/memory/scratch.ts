/** Most bytes that are kept for the next one. */
const USUAL = 64 * 1024;

/** Memory for what is made of one object and read before the next one comes. */
export class Scratch {
  #bytes: Buffer | undefined;

  /** At least so many bytes, with anything in them. */
  take(size: number): Buffer {
    if (size > USUAL) return Buffer.allocUnsafeSlow(size);
    this.#bytes ??= Buffer.allocUnsafeSlow(USUAL);
    return this.#bytes;
  }
}
