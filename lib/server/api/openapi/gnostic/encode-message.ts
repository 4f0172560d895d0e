import {
  writeBool,
  writeDouble,
  writeInt64,
  writeLength,
  writeMessage,
  writeString,
  written,
} from '../../../../meta/protobuf/wire/wire-writer.ts';
import { isRecord, type JsonRecord } from '../../../../meta/json-value.ts';
import type { Fields, FieldType, MessageShape, MessageShapes } from './message-shape.ts';

/** Text that YAML reads as a text, and as nothing else, without quotes: no `: `, no ` #`, no indicator in the beginning. */
const PLAIN = /^[A-Za-z_/](?:[!-9;-~]|:(?=[!-~])| (?=[!"$-9;-~]))*$/;
/** Texts that YAML reads as a boolean or as null. */
const NOT_TEXT = /^(?:true|false|yes|no|on|off|null|y|n)$/i;
/** Text that can stand between single quotes. */
const PRINTABLE = /^[\x20-\x7e]*[\x21-\x7e][\x20-\x7e]*$/;
/** Text that is a number or a date without quotes. */
const NUMBER_LIKE = /^[-+.\d]/;

/** The YAML of a value that OpenAPI leaves open, as the models of protobuf carry it: blocks, with a line break at the end. */
export function extensionYaml(value: unknown): string {
  return `${lines(value).join('\n')}\n`;
}

function lines(value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((item) => {
      const [first = '', ...rest] = lines(item);
      return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
    });
  }
  if (!isRecord(value) || Object.keys(value).length === 0) return [scalar(value)];
  return Object.entries(value).flatMap(([name, member]) => {
    const below = lines(member);
    const isBlock = Array.isArray(member)
      ? member.length > 0
      : isRecord(member) && Object.keys(member).length > 0;
    return isBlock
      ? [`${scalar(name)}:`, ...below.map((line) => `  ${line}`)]
      : [`${scalar(name)}: ${below[0]}`];
  });
}

/** JSON is YAML too, for empty lists and objects and for texts that need quotes. */
function scalar(value: unknown): string {
  if (typeof value !== 'string' || NOT_TEXT.test(value)) return JSON.stringify(value);
  if (PLAIN.test(value)) return value;
  return PRINTABLE.test(value) && !NUMBER_LIKE.test(value)
    ? `'${value.replaceAll("'", "''")}'`
    : JSON.stringify(value);
}

/** The protobuf of a JSON document. Members that the models do not know are left out. */
export function encodeMessage(shapes: MessageShapes, document: unknown): Uint8Array {
  return writeMessage(() => {
    new MessageEncoder(shapes).content(shapeNamed(shapes, 'Document'), document);
  });
}

function shapeNamed(shapes: MessageShapes, name: string): MessageShape {
  const shape = shapes[name];
  if (shape === undefined) throw new Error(`OpenAPI has no message ${name}`);
  return shape;
}

/** The tag of a field of bytes, text or messages. */
const bytes = (field: number): number => (field << 3) | 2;

type NumberedField = readonly [name: string, number: number, type: FieldType];

class MessageEncoder {
  readonly #shapes: MessageShapes;
  /** Fields of a shape by number, highest first: the order in which they are written. */
  readonly #ordered = new Map<Fields, readonly NumberedField[]>();

  constructor(shapes: MessageShapes) {
    this.#shapes = shapes;
  }

  /** Writes the fields of a message without its length. */
  content(shape: MessageShape, value: unknown): void {
    if ('choose' in shape) {
      const [number, type] = shape.choose(value);
      this.#field(number, type, value, true);
    } else if ('list' in shape) {
      const [number, type] = shape.list;
      const items: readonly unknown[] = Array.isArray(value) ? value : [value];
      for (const item of items.toReversed()) this.#field(number, type, item, true);
    } else if (isRecord(value)) {
      if (shape.extensions !== undefined) this.#extensions(shape.extensions, value);
      if ('fields' in shape) this.#fields(shape.fields, value);
      else this.#entries(shape, value);
    }
  }

  #orderOf(fields: Fields): readonly NumberedField[] {
    let order = this.#ordered.get(fields);
    if (order === undefined) {
      order = Object.entries(fields)
        .map(([name, [number, type]]) => [name, number, type] as const)
        .toSorted(([, one], [, other]) => other - one);
      this.#ordered.set(fields, order);
    }
    return order;
  }

  #fields(fields: Fields, value: JsonRecord): void {
    for (const [name, number, type] of this.#orderOf(fields)) {
      if (Object.hasOwn(value, name)) this.#field(number, type, value[name], false);
    }
  }

  #entries(shape: Extract<MessageShape, { entries: unknown }>, value: JsonRecord): void {
    const [number, type] = shape.entries;
    const { own = {} } = shape;
    for (const [name, entry] of Object.entries(value).toReversed()) {
      if (shape.extensions !== undefined && isExtension(name)) continue;
      if (!Object.hasOwn(own, name)) this.#named(number, name, type, entry);
    }
    this.#fields(own, value);
  }

  #extensions(number: number, value: JsonRecord): void {
    for (const [name, extension] of Object.entries(value).toReversed()) {
      if (isExtension(name)) this.#named(number, name, 'any', extension);
    }
  }

  /** A message with a name and a value. */
  #named(number: number, name: string, type: FieldType, value: unknown): void {
    const before = written();
    this.#field(2, type, value, false);
    if (name !== '') writeString(name, bytes(1));
    writeLength(before, bytes(number));
  }

  /** @param always Also writes a scalar that is the default of its type. */
  #field(number: number, type: FieldType, value: unknown, always: boolean): void {
    if (typeof type === 'object') {
      if ('message' in type) this.#message(number, type.message, value);
      else if (Array.isArray(value)) {
        for (const item of value.toReversed()) this.#message(number, type.messages, item);
      }
      return;
    }
    switch (type) {
      case 'string':
        if (typeof value === 'string' && (always || value !== ''))
          writeString(value, bytes(number));
        break;
      case 'bool':
        if (typeof value === 'boolean' && (always || value)) writeBool(value, number << 3);
        break;
      case 'int64':
        if (typeof value === 'number' && (always || value !== 0)) {
          writeInt64(Math.trunc(value), number << 3);
        }
        break;
      case 'double':
        if (typeof value === 'number' && (always || value !== 0))
          writeDouble(value, (number << 3) | 1);
        break;
      case 'strings':
        for (const item of listOf(value))
          if (typeof item === 'string') writeString(item, bytes(number));
        break;
      case 'any':
        this.#any(number, value);
        break;
      case 'anys':
        for (const item of listOf(value)) this.#any(number, item);
        break;
    }
  }

  #message(number: number, name: string, value: unknown): void {
    const before = written();
    this.content(shapeNamed(this.#shapes, name), value);
    writeLength(before, bytes(number));
  }

  #any(number: number, value: unknown): void {
    const before = written();
    writeString(extensionYaml(value), bytes(2));
    writeLength(before, bytes(number));
  }
}

/** In the order in which items are written. */
function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.toReversed() : [];
}

function isExtension(name: string): boolean {
  return name.startsWith('x-');
}
