import { errorMessage } from '../../kernel/failure/errors.ts';
import type { MessageField, MessageType, ValueType } from '../types/message-type.ts';
import { DEEPEST_MESSAGE } from './decode/interpreted-decoder.ts';
import { wireTypeOf } from './wire/field-tag.ts';
import { malformedObject, pathText, ProtobufError } from './wire/protobuf-error.ts';
import { unionFields } from './wire/union-value.ts';
import * as write from './wire/wire-writer.ts';

type WriteValue = (value: unknown, tag: number) => void;

const VALUES: Readonly<Record<ValueType, WriteValue>> = {
  string: write.writeString,
  bytes: write.writeBytes,
  bool: write.writeBool,
  int32: write.writeInt32,
  int64: write.writeInt64,
  double: write.writeDouble,
  Time: write.writeTime,
  MicroTime: write.writeMicroTime,
  Quantity: write.writeQuantity,
  IntOrString: write.writeIntOrString,
  RawJson: write.writeRawJson,
  FieldsV1: write.writeRawJson,
  RawExtension: write.writeRawJson,
  Strings: write.writeStrings,
};

/** The value that Go writes for a field of a scalar type that is not set. Types that are not here write their own zero. */
const ZEROS: Readonly<Partial<Record<string, unknown>>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
};

/** The fields of a message by number, last first: the order in which they are written. */
type FieldsBackwards = (type: MessageType) => readonly MessageField[];

/**
 * Writes messages into `wire`, field by field, as the table says. It is slower than a generated encoder, but knows the path of a
 * field that is wrong.
 */
export class InterpretedEncoder {
  readonly #backwards = new Map<MessageType, readonly MessageField[]>();

  /** @throws {ProtobufError} MALFORMED_OBJECT. */
  write(type: MessageType, object: unknown): void {
    const encoding = new Encoding(type, this.#fieldsBackwards);
    try {
      encoding.message(type, object);
    } catch (error) {
      if (error instanceof ProtobufError) throw error;
      throw encoding.malformed(errorMessage(error), error);
    }
  }

  readonly #fieldsBackwards: FieldsBackwards = (type) => {
    let fields = this.#backwards.get(type);
    if (fields === undefined) {
      fields = type.fields.toSorted((left, right) => right.number - left.number);
      this.#backwards.set(type, fields);
    }
    return fields;
  };
}

class Encoding {
  /** The path of the field that is being encoded. After an error it still is the path of the place. */
  readonly #path: string[];
  readonly #fieldsBackwards: FieldsBackwards;

  constructor({ name }: MessageType, fieldsBackwards: FieldsBackwards) {
    this.#fieldsBackwards = fieldsBackwards;
    this.#path = [name.slice(name.indexOf('.') + 1)];
  }

  malformed(reason: string, cause?: unknown): ProtobufError {
    return malformedObject(
      `the object cannot be written as protobuf at ${pathText(this.#path)}: ${reason}`,
      cause,
    );
  }

  /** Fields in the order of their numbers, last first. */
  message(type: MessageType, value: unknown): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw write.wrongType(value, 'an object');
    }
    if (this.#path.length > DEEPEST_MESSAGE) {
      throw new RangeError(`it is nested deeper than ${DEEPEST_MESSAGE} messages`);
    }
    const object = value as Readonly<Record<string, unknown>>;
    for (const field of this.#fieldsBackwards(type)) {
      this.#path.push(field.name);
      if (field.shape === 'inline') this.#one(field, object);
      else this.#field(field, object[field.name]);
      this.#path.pop();
    }
  }

  #field(field: MessageField, value: unknown): void {
    const { shape, number, presence, type } = field;
    const isNothing = value === undefined || value === null;
    if (shape === 'list') {
      if (!isNothing) this.#list(field, value);
    } else if (shape === 'map') {
      if (!isNothing) this.#map(field, value);
    } else if (!isNothing) {
      this.#value(field, value, (number << 3) | wireTypeOf(type));
    } else if (presence === 'nonzero' || presence === 'always') {
      // Go's encoder writes all that is not a pointer, also when it is not set. Bytes and lists can be nil.
      if (type !== 'bytes' && type !== 'Strings') this.#one(field, undefined);
    }
  }

  #one(field: MessageField, value: unknown): void {
    const { type, message } = field;
    const zero = message === undefined ? ZEROS[type] : {};
    this.#value(field, value ?? zero, (field.number << 3) | wireTypeOf(type));
  }

  #value({ type, message }: MessageField, value: unknown, tag: number): void {
    if (message === undefined) {
      VALUES[type as ValueType](value, tag);
      return;
    }
    const before = write.written();
    this.message(message, message.isUnion ? unionFields(message.name, value) : value);
    write.writeLength(before, tag);
  }

  #list(field: MessageField, value: unknown): void {
    if (!Array.isArray(value)) throw write.wrongType(value, 'a list');
    const tag = (field.number << 3) | wireTypeOf(field.type);
    const zero = field.message === undefined ? ZEROS[field.type] : {};
    for (let index = value.length - 1; index >= 0; index -= 1) {
      this.#value(field, (value as readonly unknown[])[index] ?? zero, tag);
    }
  }

  #map(field: MessageField, value: unknown): void {
    const tag = (field.number << 3) | 2;
    const zero = field.message === undefined ? ZEROS[field.type] : {};
    for (const key of write.keysBackwards(value)) {
      const before = write.written();
      const item = (value as Readonly<Record<string, unknown>>)[key] ?? zero;
      // A value of bytes can be nil.
      if (item !== undefined || field.type !== 'bytes') {
        this.#value(field, item, (2 << 3) | wireTypeOf(field.type));
      }
      write.writeString(key, 0x0a);
      write.writeLength(before, tag);
    }
  }
}
