/** Captures the text written to standard error while it is open; none of it reaches the terminal. */
export class CapturedStderr implements Disposable {
  readonly #write: typeof process.stderr.write;
  #text = '';

  constructor() {
    this.#write = process.stderr.write.bind(process.stderr);
    process.stderr.write = (chunk: string | Uint8Array): boolean => {
      this.#text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      return true;
    };
  }

  get lines(): readonly string[] {
    return this.#text.split('\n').filter((line) => line !== '');
  }

  [Symbol.dispose](): void {
    process.stderr.write = this.#write;
  }
}
