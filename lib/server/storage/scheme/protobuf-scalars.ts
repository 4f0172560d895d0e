import { asBuffer } from '../../../kernel/as-buffer.ts';
import type { WireReader } from './wire-reader.ts';

export const VARINT = 0;
export const LENGTH_DELIMITED = 2;

/** A type of value that is not a message on the wire. */
export interface Scalar {
  readonly wireType: typeof VARINT | typeof LENGTH_DELIMITED;
  readonly zero: string | number | boolean | undefined;
  readonly read: (reader: WireReader) => unknown;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** All numbers are read as 64 bits, as they are written. A shorter read would accept numbers that are too long. */
const SCALARS: ReadonlyMap<string, Scalar> = new Map<string, Scalar>([
  [
    'string',
    { wireType: LENGTH_DELIMITED, zero: '', read: (reader) => utf8.decode(reader.bytes()) },
  ],
  [
    'bytes',
    {
      wireType: LENGTH_DELIMITED,
      zero: '',
      read: (reader) => asBuffer(reader.bytes()).toString('base64'),
    },
  ],
  ['raw', { wireType: LENGTH_DELIMITED, zero: undefined, read: (reader) => reader.bytes() }],
  ['bool', { wireType: VARINT, zero: false, read: (reader) => reader.int64() !== 0 }],
  ['int32', { wireType: VARINT, zero: 0, read: (reader) => reader.int32() }],
  ['int64', { wireType: VARINT, zero: 0, read: (reader) => reader.int64() }],
]);

/** Returns undefined if the type is the name of a message. */
export function scalarOf(type: string): Scalar | undefined {
  return SCALARS.get(type);
}
