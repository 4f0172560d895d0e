const CR = 0x0d;
const LF = 0x0a;
/** The end of a head: CR LF CR LF. */
const END_LENGTH = 4;
/** Node's parser refuses larger heads, unless an option says otherwise. */
const MOST_BYTES = 64 * 1024;

/** `body`: after the head comes a body that is plain and chunked. `other`: another answer. */
export type HeadKind = 'incomplete' | 'body' | 'other';

/** Finds the end of the head of an HTTP answer, and says what comes after it. Heads of interim answers (1xx) are passed over. */
export class HeadReader {
  #text = '';
  #matched = 0;
  kind: HeadKind = 'incomplete';

  reset(): void {
    this.#text = '';
    this.#matched = 0;
    this.kind = 'incomplete';
  }

  /** Returns the position after the head, or after the bytes if the head goes on. */
  read(bytes: Buffer, start: number, end: number): number {
    const behind = this.#endIn(bytes, start, end);
    this.#text += bytes.toString('latin1', start, behind);
    if (this.#matched === END_LENGTH) this.#check();
    else if (this.#text.length > MOST_BYTES) this.kind = 'other';
    return behind;
  }

  #endIn(bytes: Buffer, start: number, end: number): number {
    let matched = this.#matched;
    let at = start;
    while (at < end && matched < END_LENGTH) {
      const byte = bytes[at];
      if (byte === (matched % 2 === 0 ? CR : LF)) matched += 1;
      else matched = byte === CR ? 1 : 0;
      at += 1;
    }
    this.#matched = matched;
    return at;
  }

  #check(): void {
    const text = this.#text;
    this.reset();
    const status = /^HTTP\/1\.1 (\d{3})[ \r]/.exec(text)?.[1];
    const isInterim = status?.startsWith('1') === true && status !== '101';
    if (!isInterim) this.kind = status === '200' && isPlainChunked(text) ? 'body' : 'other';
  }
}

/** Whether the body is chunked, and nothing else is said about its coding or its length. Line ends have to be complete. */
function isPlainChunked(head: string): boolean {
  if (/[^\r]\n/.test(head)) return false;
  const lines = head.toLowerCase().split('\r\n').slice(1);
  const codings = lines.filter((line) =>
    /^(?:transfer-encoding|content-encoding|content-length|upgrade)[ \t]*:/.test(line),
  );
  return codings.length === 1 && /^transfer-encoding:[ \t]*chunked[ \t]*$/.test(codings[0] ?? '');
}
