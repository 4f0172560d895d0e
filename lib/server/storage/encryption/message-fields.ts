const LENGTH_DELIMITED = 2;

const MAP_ENTRY = { key: 1, value: 2 } as const;

/** A field of type `map<string, bytes>`. */
export function mapFields(
  field: number,
  entries: Iterable<readonly [string, Uint8Array]>,
): Uint8Array[] {
  return Array.from(entries, ([name, value]) => {
    const entry = [delimited(MAP_ENTRY.key, Buffer.from(name)), delimited(MAP_ENTRY.value, value)];
    return delimited(field, Buffer.concat(entry));
  });
}

/** An entry of such a map. @throws {Error} when it is not one. */
export function mapEntryOf(entry: Uint8Array): [string, Uint8Array] {
  let name = '';
  let value: Uint8Array = Buffer.alloc(0);
  for (const { field, bytes } of fieldsOf(entry)) {
    if (bytes === undefined) continue;
    if (field === MAP_ENTRY.key) name = textOf(bytes);
    else if (field === MAP_ENTRY.value) value = bytes;
  }
  return [name, value];
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws {Error} when it is not UTF-8. */
export function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformed();
  }
}

export interface WireField {
  readonly field: number;
  /** The content of a length-delimited field. */
  readonly bytes: Uint8Array | undefined;
  /** The value of a varint field. */
  readonly number: number | undefined;
}

/** Sizes of the fixed-size wire types in bytes. */
const FIXED: ReadonlyMap<number, number> = new Map([
  [1, 8],
  [5, 4],
]);

/** The fields of a protobuf message, in order. @throws {Error} when it is not a message. */
export function fieldsOf(message: Uint8Array): WireField[] {
  const reader = new VarintReader(message);
  const fields: WireField[] = [];
  while (!reader.atEnd) {
    const tag = reader.varint();
    const field = Math.floor(tag / 8);
    const wireType = tag % 8;
    if (field === 0) throw malformed();
    if (wireType === 0) fields.push({ field, bytes: undefined, number: reader.varint() });
    else if (wireType === LENGTH_DELIMITED) {
      fields.push({ field, bytes: reader.take(reader.varint()), number: undefined });
    } else {
      const size = FIXED.get(wireType);
      if (size === undefined) throw malformed();
      reader.take(size);
    }
  }
  return fields;
}

class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Reads up to ten bytes. Values beyond 2^53 lose digits; no length and no known enum is that large. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10; count += 1) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw malformed();
      this.#at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    throw malformed();
  }

  take(length: number): Uint8Array {
    const start = this.#at;
    if (length > this.#bytes.length - start) throw malformed();
    this.#at = start + length;
    return this.#bytes.subarray(start, this.#at);
  }
}

function malformed(): Error {
  return new Error('it is not a valid message: cut off or changed');
}

/** The tag of a length-delimited field. */
export function tagOf(field: number): number {
  return (field << 3) | LENGTH_DELIMITED;
}

/** A length-delimited field: its tag, its length and its bytes. */
export function delimited(field: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([tagOf(field), ...varint(bytes.length)]), bytes]);
}

export function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return bytes;
}
