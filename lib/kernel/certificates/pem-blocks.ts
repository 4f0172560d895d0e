const BEGIN = '-----BEGIN ';
const END = '\n-----END ';
const DASHES = '-----';

export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

/** A block, and where the text behind it begins. */
interface FoundBlock extends PemBlock {
  readonly next: number;
}

/**
 * All blocks of a PEM text, in their order, as Go reads them: what is no whole block is skipped. Each part of the text is looked at a
 * fixed number of times, whatever it contains.
 * @see encoding/pem Decode, Go 1.26
 */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let from = 0;
  for (let end = text.indexOf(END); end >= 0; end = text.indexOf(END, from)) {
    const block = blockBefore(text, from, end);
    if (block !== undefined) blocks.push(block);
    from = block?.next ?? end + END.length;
  }
  return blocks;
}

/** The block from the last line between `from` and `end` that begins one. */
function blockBefore(text: string, from: number, end: number): FoundBlock | undefined {
  const begin = text.slice(from, end).lastIndexOf(BEGIN) + from;
  if (begin < from || (begin > from && text[begin - 1] !== '\n')) return undefined;
  const head = lineAt(text, begin + BEGIN.length);
  if (!head.text.endsWith(DASHES)) return undefined;
  const type = head.text.slice(0, -DASHES.length);
  const body = afterHeaders(text, head.next, end);
  const hasHeaders = body > head.next;
  const tail = lineAt(text, end + END.length);
  // Without headers, the line that begins a block may be the one before its end.
  if ((hasHeaders && body > end) || tail.text !== type + DASHES) return undefined;
  const bytes = decoded(text.slice(body, end));
  return bytes && { type, hasHeaders, bytes, next: tail.next };
}

/** The offset after the lines with a colon. */
function afterHeaders(text: string, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const line = lineAt(text, at);
    if (!line.text.includes(':')) break;
    at = line.next;
  }
  return at;
}

/** A line without the space at its end. */
function lineAt(text: string, start: number): { readonly text: string; readonly next: number } {
  const newline = text.indexOf('\n', start);
  const end = newline < 0 ? text.length : newline;
  const line = text.slice(start, end);
  return { text: line.trimEnd(), next: newline < 0 ? end : newline + 1 };
}

/** Undefined for what is no base64. */
function decoded(body: string): Buffer | undefined {
  const text = body.replaceAll(/[ \t\r\n]/g, '');
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(text);
  return isBase64 ? Buffer.from(text, 'base64') : undefined;
}
