export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
  /** The text behind it. */
  readonly rest: string;
}

const BLOCK =
  /-----BEGIN ([^-\n]*)-----[ \t]*\r?\n((?:[^\n:-]+:[^\n]*\n)*)([^-]*?)-----END \1-----/;

/** The first block of a PEM text. */
export function pemBlock(text: string): PemBlock | undefined {
  const match = BLOCK.exec(text);
  if (match === null) return undefined;
  const [all, type = '', headers = '', body = ''] = match;
  return {
    type,
    hasHeaders: headers !== '',
    bytes: Buffer.from(body.replaceAll(/\s/g, ''), 'base64'),
    rest: text.slice(match.index + all.length),
  };
}

/** All blocks of a PEM text, in their order. */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  for (let block = pemBlock(text); block !== undefined; block = pemBlock(block.rest)) {
    blocks.push(block);
  }
  return blocks;
}
