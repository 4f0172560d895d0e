const LONG_FORM = 0x80;

export const SEQUENCE = 0x30;
export const BIT_STRING = 0x03;
export const OBJECT_IDENTIFIER = 0x06;

export interface DerElement {
  readonly tag: number;
  /** With its head. */
  readonly whole: Buffer;
  readonly content: Buffer;
}

/** The elements of DER, one after the other. @throws {RangeError} for what is no DER. */
export function elementsOf(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    let start = at + 2;
    let length = bytes.readUInt8(at + 1);
    if (length >= LONG_FORM) {
      const octets = length - LONG_FORM;
      length = bytes.readUIntBE(start, octets);
      start += octets;
    }
    const end = start + length;
    if (end > bytes.length) throw new RangeError('data truncated');
    elements.push({
      tag: bytes.readUInt8(at),
      whole: bytes.subarray(at, end),
      content: bytes.subarray(start, end),
    });
    at = end;
  }
  return elements;
}

/** @throws {TypeError} when there is no such element. */
export function contentOf(element: DerElement | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new TypeError('this is another element');
  return element.content;
}
