/** An element of the distinguished encoding rules. */
export interface DerElement {
  /** The first byte: class, form and number. */
  readonly tag: number;
  readonly content: Buffer;
}

/** The elements in a row of bytes. @throws {Error} for bytes that end in an element. */
export function derElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  let at = 0;
  while (at < bytes.length) {
    const { start, end } = boundsAt(bytes, at);
    if (end > bytes.length) throw new Error('the bytes end within an element');
    elements.push({ tag: bytes[at] ?? 0, content: bytes.subarray(start, end) });
    at = end;
  }
  return elements;
}

const LONGEST_LENGTH_OCTETS = 4;

function boundsAt(bytes: Buffer, at: number): { readonly start: number; readonly end: number } {
  const first = bytes[at + 1] ?? 0;
  if (first < 0x80) return { start: at + 2, end: at + 2 + first };
  const octets = first & 0x7f;
  const start = at + 2 + octets;
  if (octets === 0 || octets > LONGEST_LENGTH_OCTETS || start > bytes.length) {
    throw new Error('the length of an element cannot be read');
  }
  return { start, end: start + bytes.readUIntBE(at + 2, octets) };
}

/** The dotted form of an object identifier. */
export function derIdentifier(content: Buffer): string {
  const parts: number[] = [];
  let part = 0;
  for (const byte of content) {
    part = part * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    parts.push(part);
    part = 0;
  }
  const [first = 0, ...rest] = parts;
  const root = Math.min(Math.floor(first / 40), 2);
  return [root, first - root * 40, ...rest].join('.');
}
