import { isRecord, type JsonRecord } from '../../../registry/rules/json-value.ts';
import { BackwardWriter } from './backward-writer.ts';
import { extensionYaml } from './extension-yaml.ts';
import type { Fields, FieldType, MessageShape, MessageShapes } from './message-shape.ts';

/** The protobuf of a JSON document. Members that the models do not know are left out. */
export function encodeMessage(shapes: MessageShapes, document: unknown): Uint8Array {
  const writer = new BackwardWriter();
  new MessageEncoder(shapes, writer).content(shapeNamed(shapes, 'Document'), document);
  return writer.bytes();
}

function shapeNamed(shapes: MessageShapes, name: string): MessageShape {
  const shape = shapes[name];
  if (shape === undefined) throw new Error(`OpenAPI has no message ${name}`);
  return shape;
}

/** Fields of a shape by number, highest first: the order in which they are written. */
const ordered = new WeakMap<Fields, readonly (readonly [string, number, FieldType])[]>();

function orderedFields(fields: Fields): readonly (readonly [string, number, FieldType])[] {
  let order = ordered.get(fields);
  if (order === undefined) {
    order = Object.entries(fields)
      .map(([name, [number, type]]) => [name, number, type] as const)
      .toSorted(([, one], [, other]) => other - one);
    ordered.set(fields, order);
  }
  return order;
}

class MessageEncoder {
  readonly #shapes: MessageShapes;
  readonly #writer: BackwardWriter;

  constructor(shapes: MessageShapes, writer: BackwardWriter) {
    this.#shapes = shapes;
    this.#writer = writer;
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

  #fields(fields: Fields, value: JsonRecord): void {
    for (const [name, number, type] of orderedFields(fields)) {
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
    const before = this.#writer.length;
    this.#field(2, type, value, false);
    if (name !== '') this.#writer.string(1, name);
    this.#writer.message(number, before);
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
    const writer = this.#writer;
    switch (type) {
      case 'string':
        if (typeof value === 'string' && (always || value !== '')) writer.string(number, value);
        break;
      case 'bool':
        if (typeof value === 'boolean' && (always || value)) writer.boolean(number, value);
        break;
      case 'int64':
        if (typeof value === 'number' && (always || value !== 0)) {
          writer.integer(number, Math.trunc(value));
        }
        break;
      case 'double':
        if (typeof value === 'number' && (always || value !== 0)) writer.double(number, value);
        break;
      case 'strings':
        for (const item of listOf(value)) if (typeof item === 'string') writer.string(number, item);
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
    const before = this.#writer.length;
    this.content(shapeNamed(this.#shapes, name), value);
    this.#writer.message(number, before);
  }

  #any(number: number, value: unknown): void {
    const before = this.#writer.length;
    this.#writer.string(2, extensionYaml(value));
    this.#writer.message(number, before);
  }
}

/** In the order in which items are written. */
function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.toReversed() : [];
}

function isExtension(name: string): boolean {
  return name.startsWith('x-');
}
