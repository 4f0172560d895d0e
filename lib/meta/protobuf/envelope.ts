import { errorMessage } from '../../kernel/failure/errors.ts';
import { malformedObject, ProtobufError } from './wire/protobuf-error.ts';
import { LENGTH_DELIMITED, textOf, WireReader } from './wire/wire-reader.ts';
import {
  reserve,
  wire,
  writeLength,
  writeMessage,
  writeSmall,
  writeString,
  written,
} from './wire/wire-writer.ts';

export const PROTOBUF_MEDIA_TYPE = 'application/vnd.kubernetes.protobuf';

/** The prefix of an object in protobuf: `k8s` and a zero. */
const MAGIC: readonly number[] = [0x6b, 0x38, 0x73, 0x00];

/** Of the content. */
const RAW_TAG = 0x12;
/** The most bytes of a length with its tag. */
const LENGTH_BYTES = 6;

/**
 * The envelope of every object in protobuf. It names the kind, so that the object need not be decoded for that.
 *
 * @experimental
 */
export interface ProtobufEnvelope {
  /** Empty when the envelope has none. */
  readonly apiVersion: string;
  /** Empty when the envelope has none. */
  readonly kind: string;
  readonly raw: Uint8Array;
  /** Empty for no encoding. */
  readonly contentEncoding: string;
  /** The content type of `raw`; empty for protobuf. */
  readonly contentType: string;
}

/** Whether the bytes begin like an object in protobuf. */
export function isProtobuf(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[index] === byte);
}

/**
 * Reads the envelope without decoding its content, which is a view of `bytes`.
 * @throws {ProtobufError} MALFORMED_OBJECT.
 */
export function readEnvelope(bytes: Uint8Array): ProtobufEnvelope {
  if (!isProtobuf(bytes)) {
    throw malformedObject(
      'the bytes are not protobuf of Kubernetes: that starts with "k8s" and a zero',
    );
  }
  try {
    const fields = readFields(bytes.subarray(MAGIC.length), 4);
    const [typeMeta = EMPTY, raw = EMPTY, contentEncoding = EMPTY, contentType = EMPTY] = fields;
    const [apiVersion = EMPTY, kind = EMPTY] = readFields(typeMeta, 2);
    return {
      apiVersion: textOf(apiVersion),
      kind: textOf(kind),
      raw,
      contentEncoding: textOf(contentEncoding),
      contentType: textOf(contentType),
    };
  } catch (error) {
    if (error instanceof ProtobufError) throw error;
    throw malformedObject(`the envelope is not valid protobuf: ${errorMessage(error)}`, error);
  }
}

/**
 * Writes an object with its envelope, as Kubernetes does.
 * @param writeRaw writes the message into `wire`
 */
export function writeEnvelope(apiVersion: string, kind: string, writeRaw: () => void): Buffer {
  return writeMessage(() => {
    writeString('', 0x22);
    writeString('', 0x1a);
    const beforeRaw = written();
    writeRaw();
    writeLength(beforeRaw, RAW_TAG);
    writeBeginning(apiVersion, kind);
  });
}

/** The part of an envelope before a content of `rawBytes` bytes. */
export function envelopeHead(apiVersion: string, kind: string, rawBytes: number): Buffer {
  return writeMessage(() => {
    reserve(LENGTH_BYTES);
    writeSmall(rawBytes);
    writeSmall(RAW_TAG);
    writeBeginning(apiVersion, kind);
  });
}

/** The part of an envelope after any content: an empty encoding and an empty content type. */
export const ENVELOPE_TAIL: Uint8Array = Uint8Array.of(0x1a, 0, 0x22, 0);

/** Where the content begins in an envelope that `writeEnvelope` wrote; it ends before `ENVELOPE_TAIL`. */
export function contentStart(envelope: Uint8Array): number {
  const type = MAGIC.length + 1;
  const typeBytes = lengthAt(envelope, type);
  const raw = type + lengthOfLength(typeBytes) + typeBytes + 1;
  return raw + lengthOfLength(lengthAt(envelope, raw));
}

function lengthAt(bytes: Uint8Array, start: number): number {
  let value = 0;
  for (let at = start, shift = 0; ; at += 1, shift += 7) {
    const byte = bytes[at] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

function lengthOfLength(value: number): number {
  let count = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) count += 1;
  return count;
}

/** The bytes up to the content. */
function writeBeginning(apiVersion: string, kind: string): void {
  const beforeType = written();
  writeString(kind, 0x12);
  writeString(apiVersion, 0x0a);
  writeLength(beforeType, 0x0a);
  reserve(MAGIC.length);
  wire.at -= MAGIC.length;
  wire.bytes.set(MAGIC, wire.at);
}

const EMPTY = new Uint8Array();

/** A message whose fields, numbered from 1, are all strings, bytes or messages. */
export function readFields(bytes: Uint8Array, count: number): (Uint8Array | undefined)[] {
  const fields: (Uint8Array | undefined)[] = [];
  const reader = new WireReader(bytes);
  while (!reader.done) {
    const tag = reader.uint32();
    const number = tag >>> 3;
    if (number === 0 || number > count || (tag & 7) !== LENGTH_DELIMITED) {
      throw malformedObject(
        `the envelope is not valid protobuf: ${tag} is not the tag of one of its fields`,
      );
    }
    fields[number - 1] = reader.bytes();
  }
  return fields;
}
