/** One member of an archive. Its content is read before the next member is asked for, or skipped. */
export interface TarEntry {
  /** As it is in the archive. */
  readonly name: string;
  readonly type: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly content: AsyncIterable<Buffer>;
}

/** An archive that is no archive. */
export class TarError extends Error {}

const BLOCK = 512;
/** Names and attributes are read whole. */
const LONGEST_TEXT = 64 * 1024;

/** The members of a tar archive (ustar, GNU, pax) as it arrives. Memory: one piece of the source. @throws {TarError} */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(source);
  let longName: string | undefined;
  let attributes = new Map<string, string>();
  for (;;) {
    const header = await bytes.take(BLOCK);
    // Two empty blocks end an archive; one, or the end of the source, is accepted as GNU tar does.
    if (header === undefined || isEmpty(header)) break;
    checkSum(header);
    const flag = String.fromCharCode(header[156] ?? 0);
    const size = number(header, 124, 12);
    if (flag === 'L' || flag === 'K' || flag === 'x' || flag === 'g') {
      const text = await textOf(bytes, size);
      if (flag === 'L') longName = text.toString('utf8').replace(/\0.*$/s, '');
      if (flag === 'x') attributes = paxAttributes(text);
      continue;
    }
    const realSize = attributes.has('size') ? paxSize(attributes.get('size') ?? '') : size;
    const isFile = (flag === '0' || flag === '\0' || flag === '7') && !isSparse(attributes);
    // Links, devices and folders have no content, whatever their size says.
    const holds = /[1-6]/.test(flag) ? 0 : realSize;
    const content = bytes.pieces(holds);
    yield {
      name: sparseName(attributes) ?? attributes.get('path') ?? longName ?? headerName(header),
      type: isFile ? 'file' : flag === '5' ? 'folder' : /[12]/.test(flag) ? 'link' : 'other',
      size: holds,
      mode: number(header, 100, 8) & 0o777,
      content,
    };
    for await (const _ of content);
    await bytes.skip((BLOCK - (holds % BLOCK)) % BLOCK);
    longName = undefined;
    attributes = new Map();
  }
  // The program behind a pipe ends when all that it wrote has been read.
  await bytes.drain();
}

/** Reads a source by numbers of bytes. */
class ByteReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#pieces = source[Symbol.asyncIterator]();
  }

  /** Undefined: the source has ended before the first byte. */
  async take(bytes: number): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [];
    let left = bytes;
    while (left > 0) {
      const piece = await this.#some(left);
      if (piece === undefined) {
        if (left === bytes) return undefined;
        throw cutOff();
      }
      left -= piece.length;
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  /** The next bytes, so many in all. A reader that leaves early leaves the rest to the next one. */
  pieces(bytes: number): AsyncIterable<Buffer> {
    let left = bytes;
    const next = async (): Promise<IteratorResult<Buffer>> => {
      if (left === 0) return { done: true, value: undefined };
      const value = await this.#some(left);
      if (value === undefined) throw cutOff();
      left -= value.length;
      return { done: false, value };
    };
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }

  async skip(bytes: number): Promise<void> {
    for await (const _ of this.pieces(bytes));
  }

  async drain(): Promise<void> {
    while ((await this.#some(BLOCK * BLOCK)) !== undefined);
  }

  async #some(most: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#pieces.next();
      if (next.done === true) return undefined;
      const { buffer, byteOffset, byteLength } = next.value;
      this.#rest = Buffer.from(buffer, byteOffset, byteLength);
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }
}

function cutOff(): TarError {
  return new TarError('the archive ends in the middle');
}

function isEmpty(header: Buffer): boolean {
  return header.every((byte) => byte === 0);
}

function checkSum(header: Buffer): void {
  let sum = 0;
  // The sum counts its own field as blanks.
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 32 : byte;
  if (sum !== number(header, 148, 8)) throw new TarError('the output is no tar archive');
}

/** Octal digits, or binary where the first bit is set. */
function number(header: Buffer, offset: number, length: number): number {
  const field = header.subarray(offset, offset + length);
  if (((field[0] ?? 0) & 0x80) !== 0) {
    let value = 0;
    for (const [index, byte] of field.entries())
      value = value * 256 + (index === 0 ? byte & 0x7f : byte);
    if (!Number.isSafeInteger(value)) throw new TarError('a size of the archive is out of range');
    return value;
  }
  const text = field.toString('latin1').replace(/\0.*$/s, '').trim();
  if (!/^[0-7]*$/.test(text)) throw new TarError('the output is no tar archive');
  return text === '' ? 0 : Number.parseInt(text, 8);
}

function headerName(header: Buffer): string {
  const field = (offset: number, length: number): string =>
    header
      .subarray(offset, offset + length)
      .toString('utf8')
      .replace(/\0.*$/s, '');
  const isPosix = header.subarray(257, 263).toString('latin1') === 'ustar\0';
  const prefix = isPosix ? field(345, 155) : '';
  return prefix === '' ? field(0, 100) : `${prefix}/${field(0, 100)}`;
}

async function textOf(bytes: ByteReader, size: number): Promise<Buffer> {
  if (size > LONGEST_TEXT) throw new TarError('a name of the archive is too long');
  const text = size === 0 ? Buffer.alloc(0) : await bytes.take(size);
  if (text === undefined) throw cutOff();
  await bytes.skip((BLOCK - (size % BLOCK)) % BLOCK);
  return text;
}

/** Lines `LENGTH KEY=VALUE`; the length is in bytes and counts itself. A name or a value need not be UTF-8. */
function paxAttributes(text: Buffer): Map<string, string> {
  const attributes = new Map<string, string>();
  let rest = text;
  while (rest.length > 0) {
    const [, digits = ''] = /^(\d{1,6}) /.exec(rest.subarray(0, 8).toString('latin1')) ?? [];
    const length = Number(digits);
    if (length <= digits.length + 1 || length > rest.length) {
      throw new TarError('the attributes of a file in the archive cannot be read');
    }
    const line = rest.subarray(digits.length + 1, length - 1).toString('utf8');
    const equals = line.indexOf('=');
    attributes.set(line.slice(0, equals), line.slice(equals + 1));
    rest = rest.subarray(length);
  }
  return attributes;
}

/** Whether the content is in parts, as GNU tar writes it with `--sparse`. */
function isSparse(attributes: ReadonlyMap<string, string>): boolean {
  return attributes.has('GNU.sparse.size') || attributes.has('GNU.sparse.realsize');
}

/** The header of a sparse file has a name for programs that do not know of sparse files. */
function sparseName(attributes: ReadonlyMap<string, string>): string | undefined {
  return attributes.get('GNU.sparse.name');
}

function paxSize(text: string): number {
  const size = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(size)) {
    throw new TarError('a size of the archive is out of range');
  }
  return size;
}
