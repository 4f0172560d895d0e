/**
 * The part of ASN.1's distinguished encoding rules that a certificate needs. Every function returns one whole element.
 * @see ITU-T X.690
 */
function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag), lengthOctets(content.length), content]);
}

function lengthOctets(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) octets.unshift(rest & 0xff);
  return Buffer.of(0x80 | octets.length, ...octets);
}

export function sequence(...elements: readonly Uint8Array[]): Buffer {
  return element(0x30, ...elements);
}

export function set(...elements: readonly Uint8Array[]): Buffer {
  return element(0x31, ...elements);
}

export function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.of(value ? 0xff : 0));
}

/** @param bytes big-endian two's complement in its shortest form */
export function integer(bytes: Uint8Array): Buffer {
  return element(0x02, bytes);
}

export function bitString(bytes: Uint8Array, unusedBits: number = 0): Buffer {
  return element(0x03, Buffer.of(unusedBits), bytes);
}

export function octetString(bytes: Uint8Array): Buffer {
  return element(0x04, bytes);
}

export function utf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text));
}

/** @param dotted e.g. `2.5.4.3` */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** Seven bits a byte, all but the last with the high bit set. */
function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}

/** Second precision, with two-digit years until 2049, as certificates require. */
export function time(wallMs: number): Buffer {
  const date = new Date(wallMs);
  const digits = date.toISOString().replaceAll(/\.\d+|[-:T]/g, '');
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits));
}

/** An element inside a context-specific tag (explicit tagging). */
export function explicit(tag: number, content: Uint8Array): Buffer {
  return element(0xa0 | tag, content);
}

/** A context-specific tag in place of the element's own tag (implicit tagging). */
export function contextual(tag: number, content: Uint8Array): Buffer {
  return element(0x80 | tag, content);
}
