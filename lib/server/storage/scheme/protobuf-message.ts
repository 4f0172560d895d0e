import { errorMessage } from '../../../kernel/errors.ts';
import { jsonValueOf } from './json-values.ts';
import type { MessageField, MessageType } from './message-table.ts';
import { LENGTH_DELIMITED, scalarOf, VARINT } from './protobuf-scalars.ts';
import { isSchemeError, malformed, unsupported, type SchemeError } from './scheme-error.ts';
import { WireReader } from './wire-reader.ts';

/** Maximum number of messages: an empty one takes two bytes on the wire and many times as much in memory. */
const MOST_MESSAGES = 200_000;

type JsonFields = Record<string, unknown>;

const NONE: readonly unknown[] = [];

/**
 * Decodes a message into the JSON that Go's types would write: zero values are left out, or written as zero or null, depending
 * on the field; times and quantities are text. Whole numbers beyond 2^53 lose digits.
 * @throws {SchemeError} MALFORMED_OBJECT; UNSUPPORTED_ENCODING for a field that is not in the table.
 */
export function decodeMessage(type: MessageType, bytes: Uint8Array): JsonFields {
  const decoding = new Decoding(type.name);
  try {
    return decoding.message(type, bytes);
  } catch (error) {
    if (isSchemeError(error)) throw error;
    throw decoding.malformed(errorMessage(error), error);
  }
}

/** One field as it was received. */
interface Incoming {
  readonly field: MessageField;
  readonly wireType: number;
  readonly reader: WireReader;
}

class Decoding {
  /** The path of the field that is being decoded. After an error it still is the path of the place. */
  readonly #path: string[];
  #messages = 0;

  constructor(root: string) {
    this.#path = [root];
  }

  malformed(reason: string, cause?: unknown): SchemeError {
    return malformed(
      `the bytes are not valid protobuf at ${this.#path.join('.')}: ${reason}`,
      cause,
    );
  }

  message(type: MessageType, bytes: Uint8Array): JsonFields {
    this.#messages += 1;
    if (this.#messages > MOST_MESSAGES) {
      throw this.malformed(`there are more than ${MOST_MESSAGES} messages`);
    }
    // All values of each field, in the order of arrival.
    const received = new Map<MessageField, unknown[]>();
    const reader = new WireReader(bytes);
    while (!reader.done) {
      const tag = reader.uint32();
      const field = type.byNumber.get(tag >>> 3);
      if (field === undefined) throw this.#unknownField(type, tag);
      let values = received.get(field);
      if (values === undefined) received.set(field, (values = []));
      this.#path.push(field.name);
      this.#receive(type, { field, wireType: tag & 7, reader }, values);
      this.#path.pop();
    }
    const json: JsonFields = {};
    for (const field of type.fields) this.#write(type, field, received.get(field) ?? NONE, json);
    return json;
  }

  #unknownField(type: MessageType, tag: number): SchemeError {
    if (tag >>> 3 === 0 || (tag & 7) > 5) return this.malformed(`${tag} is not the tag of a field`);
    return unsupported(
      `${this.#path.join('.')} has a field of number ${tag >>> 3}, which ${type.name} is not known to have`,
    );
  }

  #receive(type: MessageType, { field, wireType, reader }: Incoming, values: unknown[]): void {
    const scalar = scalarOf(field.type);
    const expected =
      field.entry === undefined ? (scalar?.wireType ?? LENGTH_DELIMITED) : LENGTH_DELIMITED;
    if (wireType === expected) {
      if (field.entry !== undefined) values.push(this.message(field.entry, reader.bytes()));
      else if (scalar !== undefined) values.push(scalar.read(reader));
      else if (field.shape === 'list') values.push(this.#value(type, field, reader.bytes()));
      else values.push(reader.bytes());
    } else if (field.shape === 'list' && expected === VARINT && wireType === LENGTH_DELIMITED) {
      const packed = new WireReader(reader.bytes());
      while (!packed.done) values.push(scalar?.read(packed));
    } else {
      throw this.malformed(`its wire type is ${wireType} and has to be ${expected}`);
    }
  }

  /** The JSON of a field that is a message. */
  #value(type: MessageType, field: MessageField, bytes: Uint8Array): unknown {
    const single = jsonValueOf(field.type);
    const fields = this.message(type.table.get(single?.message ?? field.type), bytes);
    return single === undefined ? fields : single.fromFields(fields);
  }

  #write(
    type: MessageType,
    field: MessageField,
    values: readonly unknown[],
    json: JsonFields,
  ): void {
    const { name, presence, shape } = field;
    if (shape === 'list' || shape === 'map') {
      if (values.length > 0) json[name] = shape === 'list' ? values : mapOf(values as JsonFields[]);
      else if (presence === 'always') json[name] = null;
      return;
    }
    const scalar = scalarOf(field.type);
    let value: unknown = values.at(-1);
    if (
      scalar === undefined &&
      (values.length > 0 || presence === 'always' || shape === 'inline')
    ) {
      // A message may arrive in parts, which are joined.
      this.#path.push(name);
      value = this.#value(type, field, joined(values as Uint8Array[]));
      this.#path.pop();
    }
    if (shape === 'inline') Object.assign(json, value);
    else if (presence === 'always') json[name] = value ?? scalar?.zero ?? null;
    else if (presence === 'nullable') json[name] = value ?? null;
    else if (presence === 'sent' ? value !== undefined : !isZero(value, scalar?.zero)) {
      json[name] = value;
    }
  }
}

function isZero(value: unknown, zero: unknown): boolean {
  return value === undefined || value === null || value === zero;
}

/** Keys become own fields of the object, even `__proto__`. */
function mapOf(entries: readonly JsonFields[]): JsonFields {
  return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
}
