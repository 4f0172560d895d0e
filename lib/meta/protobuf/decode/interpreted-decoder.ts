import { asBuffer } from '../../../kernel/data/as-buffer.ts';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import { type MessageField, type MessageType, type ValueType } from '../../types/message-type.ts';
import { embeddedType } from '../wire/embedded-type.ts';
import {
  malformedObject,
  pathText,
  ProtobufError,
  unsupportedEncoding,
} from '../wire/protobuf-error.ts';
import { parseFields, parseRawJson } from '../wire/raw-json.ts';
import { microTimeText, timeText } from '../wire/time-text.ts';
import { unionValue } from '../wire/union-value.ts';
import { LENGTH_DELIMITED, textOf, VARINT, WireReader } from '../wire/wire-reader.ts';

/** An empty message takes two bytes on the wire and many times as much in memory: more than these need eight bytes each. */
export const MOST_SMALL_MESSAGES = 200_000;
const BYTES_OF_A_MESSAGE = 8;

/** How deep messages may lie in one another. */
export const DEEPEST_MESSAGE = 500;

/** The most messages of which an object of so many bytes may consist. */
export function mostMessages(bytes: number): number {
  return Math.max(MOST_SMALL_MESSAGES, Math.floor(bytes / BYTES_OF_A_MESSAGE));
}

export interface DecodeMessageOptions {
  /** `skip` as Go does, or `refuse` with UNSUPPORTED_ENCODING. @defaultValue 'skip' */
  readonly unknownFields?: 'skip' | 'refuse' | undefined;
}

export type JsonFields = Record<string, unknown>;

/**
 * Decodes a message field by field, as the table says. It is slower than a generated decoder, but takes fields in any order and in
 * parts, and knows the path of a field that is wrong.
 * @throws {ProtobufError}
 */
export function decodeInterpreted(
  type: MessageType,
  bytes: Uint8Array,
  options: DecodeMessageOptions = {},
): JsonFields {
  const decoding = new Decoding(type, mostMessages(bytes.byteLength), options);
  try {
    return decoding.message(type, bytes);
  } catch (error) {
    if (error instanceof ProtobufError) throw error;
    throw decoding.malformed(errorMessage(error), error);
  }
}

const NONE: readonly unknown[] = [];

/** One field as it was received. */
interface Incoming {
  readonly field: MessageField;
  readonly wireType: number;
  readonly reader: WireReader;
}

const WIRE_TYPES: ReadonlyMap<string, number> = new Map<ValueType, number>([
  ['bool', VARINT],
  ['int32', VARINT],
  ['int64', VARINT],
  ['double', 1],
]);

const ZEROS: ReadonlyMap<string, unknown> = new Map<ValueType, unknown>([
  ['string', ''],
  ['bool', false],
  ['int32', 0],
  ['int64', 0],
  ['double', 0],
]);

class Decoding {
  /** The path of the field that is being decoded. After an error it still is the path of the place. */
  readonly #path: string[];
  readonly #most: number;
  readonly #refuse: boolean;
  #messages = 0;
  #depth = 0;

  constructor(root: MessageType, most: number, { unknownFields = 'skip' }: DecodeMessageOptions) {
    this.#path = [shortName(root)];
    this.#most = most;
    this.#refuse = unknownFields === 'refuse';
  }

  malformed(reason: string, cause?: unknown): ProtobufError {
    return malformedObject(
      `the bytes are not valid protobuf at ${pathText(this.#path)}: ${reason}`,
      cause,
    );
  }

  message(type: MessageType, bytes: Uint8Array): JsonFields {
    this.#enter();
    // All values of each field, in the order of arrival.
    const received = new Map<MessageField, unknown[]>();
    const reader = new WireReader(bytes);
    while (!reader.done) {
      const tag = reader.uint32();
      const field = type.byNumber.get(tag >>> 3);
      if (field === undefined) {
        this.#unknownField(type, tag, reader);
        continue;
      }
      let values = received.get(field);
      if (values === undefined) received.set(field, (values = []));
      this.#path.push(field.name);
      this.#receive({ field, wireType: tag & 7, reader }, values);
      this.#path.pop();
    }
    const json: JsonFields = {};
    for (const field of type.fields) this.#write(field, received.get(field) ?? NONE, json);
    if (isListWithItems(type)) json['items'] ??= [];
    this.#depth -= 1;
    return json;
  }

  #enter(): void {
    this.#messages += 1;
    this.#depth += 1;
    if (this.#messages > this.#most)
      throw this.malformed(`there are more than ${this.#most} messages`);
    if (this.#depth > DEEPEST_MESSAGE) {
      throw this.malformed(`it is nested deeper than ${DEEPEST_MESSAGE} messages`);
    }
  }

  #unknownField(type: MessageType, tag: number, reader: WireReader): void {
    if (tag >>> 3 === 0 || (tag & 7) > 5) throw this.malformed(`${tag} is not the tag of a field`);
    if (this.#refuse) {
      throw unsupportedEncoding(
        `${pathText(this.#path)} has a field of number ${tag >>> 3}, which ${shortName(type)} is not known to have`,
      );
    }
    reader.skip(tag);
  }

  #receive({ field, wireType, reader }: Incoming, values: unknown[]): void {
    const expected =
      field.shape === 'map' ? LENGTH_DELIMITED : (WIRE_TYPES.get(field.type) ?? LENGTH_DELIMITED);
    if (wireType === expected) {
      if (field.shape === 'map') values.push(this.#entry(field, reader.bytes()));
      else if (expected !== LENGTH_DELIMITED) values.push(number(field.type, reader));
      else if (field.shape === 'list') values.push(this.#value(field, reader.bytes()));
      else values.push(reader.bytes());
    } else if (field.shape === 'list' && expected === VARINT && wireType === LENGTH_DELIMITED) {
      const packed = new WireReader(reader.bytes());
      while (!packed.done) values.push(number(field.type, packed));
    } else {
      throw this.malformed(`its wire type is ${wireType} and has to be ${expected}`);
    }
  }

  /** The key and the value of an entry of a map. */
  #entry(field: MessageField, bytes: Uint8Array): readonly [string, unknown] {
    this.#enter();
    let key = '';
    let value: unknown;
    const reader = new WireReader(bytes);
    while (!reader.done) {
      const tag = reader.uint32();
      if (tag === 0x0a) {
        key = reader.string();
      } else if (tag >>> 3 === 2) {
        const expected = WIRE_TYPES.get(field.type) ?? LENGTH_DELIMITED;
        if ((tag & 7) !== expected) {
          throw this.malformed(`its wire type is ${tag & 7} and has to be ${expected}`);
        }
        value =
          expected === LENGTH_DELIMITED
            ? this.#value(field, reader.bytes())
            : number(field.type, reader);
      } else if (tag >>> 3 === 1) {
        throw this.malformed(`its wire type is ${tag & 7} and has to be ${LENGTH_DELIMITED}`);
      } else if (this.#refuse || tag >>> 3 === 0 || (tag & 7) > 5) {
        this.#refuseEntry(tag);
      } else {
        reader.skip(tag);
      }
    }
    this.#depth -= 1;
    return [key, value ?? this.#zeroOf(field)];
  }

  #refuseEntry(tag: number): never {
    if (tag >>> 3 === 0 || (tag & 7) > 5) throw this.malformed(`${tag} is not the tag of a field`);
    throw unsupportedEncoding(
      `${pathText(this.#path)} has a field of number ${tag >>> 3}, which an entry of a map is not known to have`,
    );
  }

  #zeroOf(field: MessageField): unknown {
    return ZEROS.get(field.type) ?? this.#value(field, EMPTY);
  }

  /** The JSON of a value that comes with its length. */
  #value(field: MessageField, bytes: Uint8Array): unknown {
    const { type, message } = field;
    if (message === undefined) return this.#single(type as ValueType, bytes);
    const fields = this.message(message, bytes);
    if (message.isUnion) return unionValue(message.name, fields);
    const embedded = embeddedType(field);
    return embedded === undefined ? fields : { ...embedded, ...fields };
  }

  #single(type: ValueType, bytes: Uint8Array): unknown {
    if (type === 'string') return textOf(bytes);
    if (type === 'bytes') return asBuffer(bytes).toString('base64');
    this.#enter();
    const value = valueOf(type, new WireReader(bytes), bytes.byteLength === 0);
    this.#depth -= 1;
    return value;
  }

  #write(field: MessageField, values: readonly unknown[], json: JsonFields): void {
    const { name, presence, shape, type } = field;
    if (shape === 'list' || shape === 'map') {
      if (values.length > 0) {
        json[name] = shape === 'list' ? values : Object.fromEntries(values as [string, unknown][]);
      } else if (presence === 'always') {
        json[name] = null;
      }
      return;
    }
    const inParts = (WIRE_TYPES.get(type) ?? LENGTH_DELIMITED) === LENGTH_DELIMITED;
    let value: unknown = values.at(-1);
    if (inParts && (values.length > 0 || hasZeroMessage(field))) {
      // A message may arrive in parts, which are joined. A string may not: the last one counts.
      this.#path.push(name);
      const whole = type === 'string' || type === 'bytes' ? value : joined(values as Uint8Array[]);
      value = this.#value(field, whole as Uint8Array);
      this.#path.pop();
    }
    if (shape === 'inline') Object.assign(json, value);
    else if (presence === 'always') json[name] = value ?? ZEROS.get(type) ?? null;
    else if (presence === 'nullable') json[name] = value ?? null;
    else if (presence === 'sent' ? value !== undefined : !isZero(value, ZEROS.get(type))) {
      json[name] = value;
    }
  }
}

/** Whether its items are an empty list, not null, when there are none: protobuf does not distinguish them, and kube-apiserver sends a list. */
export function isListWithItems({ byName }: MessageType): boolean {
  return byName.get('metadata')?.type === 'meta.ListMeta' && byName.get('items')?.shape === 'list';
}

const EMPTY = new Uint8Array();

/** Whether a field that was not sent is the JSON of an empty message: of a struct in Go. */
export function hasZeroMessage({ type, shape, presence }: MessageField): boolean {
  if (shape === 'inline') return true;
  return presence === 'always' && type !== 'string' && type !== 'bytes' && type !== 'Strings';
}

function shortName({ name }: MessageType): string {
  return name.slice(name.indexOf('.') + 1);
}

function isZero(value: unknown, zero: unknown): boolean {
  return value === undefined || value === null || value === '' || value === zero;
}

function number(type: string, reader: WireReader): unknown {
  if (type === 'double') return reader.double();
  if (type === 'int32') return reader.int32();
  return type === 'bool' ? reader.int64() !== 0 : reader.int64();
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
}

/** The value that a message of one of Kubernetes' own types stands for. */
function valueOf(type: ValueType, reader: WireReader, isEmpty: boolean): unknown {
  switch (type) {
    case 'Time':
    case 'MicroTime':
      return time(type, reader, isEmpty);
    case 'IntOrString':
      return intOrString(reader);
    case 'Quantity':
      return lastText(reader) ?? '0';
    case 'Strings':
      return strings(reader);
    case 'FieldsV1':
      return parseFields(lastText(reader) ?? '');
    case 'RawJson':
    case 'RawExtension':
      return parseRawJson(lastText(reader) ?? '');
    default:
      throw new TypeError(`${type} is not a message`);
  }
}

function time(type: ValueType, reader: WireReader, isEmpty: boolean): string | null {
  // A time that was never set is an empty message.
  if (isEmpty) return null;
  let seconds = 0;
  let nanos = 0;
  while (!reader.done) {
    const tag = reader.uint32();
    if (tag === 0x08) seconds = reader.int64();
    else if (tag === 0x10) nanos = reader.int32();
    else reader.skipUnknown(tag, 2);
  }
  return type === 'Time' ? timeText(seconds) : microTimeText(seconds, nanos);
}

function intOrString(reader: WireReader): unknown {
  let kind = 0;
  let whole = 0;
  let text = '';
  while (!reader.done) {
    const tag = reader.uint32();
    if (tag === 0x08) kind = reader.int64();
    else if (tag === 0x10) whole = reader.int32();
    else if (tag === 0x1a) text = reader.string();
    else reader.skipUnknown(tag, 3);
  }
  if (kind !== 0 && kind !== 1) {
    throw new RangeError(`${kind} is neither 0, for a number, nor 1, for a string`);
  }
  return kind === 0 ? whole : text;
}

/** The text in the first field of a message. */
function lastText(reader: WireReader): string | undefined {
  let text: string | undefined;
  while (!reader.done) {
    const tag = reader.uint32();
    if (tag === 0x0a) text = reader.string();
    else reader.skipUnknown(tag, 1);
  }
  return text;
}

function strings(reader: WireReader): string[] {
  const items: string[] = [];
  while (!reader.done) {
    const tag = reader.uint32();
    if (tag === 0x0a) items.push(reader.string());
    else reader.skipUnknown(tag, 1);
  }
  return items;
}
