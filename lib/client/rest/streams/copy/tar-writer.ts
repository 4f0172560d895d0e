/** A file or a folder that is written to an archive. */
export interface TarMember {
  /** With `/` between folders. */
  readonly name: string;
  readonly isFolder: boolean;
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly modifiedMs: number;
}

const BLOCK = 512;
/** The name of a member that has the name of the next one. */
const LONG_NAME = '././@LongLink';
const LONGEST_NAME = 100;
const LARGEST_OCTAL = 8 ** 11 - 1;

/** The header of a member, with GNU's extensions for long names and large files, which GNU tar, busybox and bsdtar read. */
export function tarHeader(member: TarMember): Buffer {
  const name = Buffer.from(member.isFolder ? `${member.name}/` : member.name);
  const header = headerBlock(name.subarray(0, LONGEST_NAME), member.isFolder ? '5' : '0', member);
  if (name.length <= LONGEST_NAME) return header;
  const whole = Buffer.concat([name, Buffer.alloc(1)]);
  const long = { ...member, size: whole.length, mode: 0o644 };
  const before = headerBlock(Buffer.from(LONG_NAME), 'L', long);
  return Buffer.concat([before, whole, tarPadding(whole.length), header]);
}

/** The zeros after content of this size. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

export function tarEnd(): Buffer {
  return Buffer.alloc(2 * BLOCK);
}

function headerBlock(
  name: Uint8Array,
  flag: string,
  { size, mode, modifiedMs }: Pick<TarMember, 'size' | 'mode' | 'modifiedMs'>,
): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.set(name, 0);
  octal(block, 100, 8, mode);
  octal(block, 108, 8, 0);
  octal(block, 116, 8, 0);
  if (size <= LARGEST_OCTAL) octal(block, 124, 12, size);
  else {
    block[124] = 0x80;
    block.writeBigUInt64BE(BigInt(size), 128);
  }
  octal(block, 136, 12, Math.max(0, Math.floor(modifiedMs / 1000)));
  block.write('        ', 148, 'latin1');
  block.write(flag, 156, 'latin1');
  block.write('ustar  \0', 257, 'latin1');
  let sum = 0;
  for (const byte of block) sum += byte;
  octal(block, 148, 7, sum);
  return block;
}

function octal(block: Buffer, offset: number, length: number, value: number): void {
  block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1');
}
