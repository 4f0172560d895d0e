import type { MessageField, MessageType } from '../types/message-type.ts';
import { compileFunction } from './wire/code-generation.ts';
import { tagOf } from './wire/field-tag.ts';
import { unionFields } from './wire/union-value.ts';
import * as write from './wire/wire-writer.ts';

/** Stands for an object that is not there: all its fields have their zero values. */
const NOTHING = Object.freeze({});

/** The functions that the source of an encoder may call, by the names that they have there. */
const PARTS = { ...write, unionFields, NOTHING } as const;

/** The functions that write values, by type. */
const WRITES: Readonly<Record<string, string>> = {
  string: 'writeString',
  bytes: 'writeBytes',
  bool: 'writeBool',
  int32: 'writeInt32',
  int64: 'writeInt64',
  double: 'writeDouble',
  Time: 'writeTime',
  MicroTime: 'writeMicroTime',
  Quantity: 'writeQuantity',
  IntOrString: 'writeIntOrString',
  RawJson: 'writeRawJson',
  RawExtension: 'writeRawJson',
  FieldsV1: 'writeRawJson',
  Strings: 'writeStrings',
};

/** The value that Go writes for one that is not set, as source. Types that are not here write their own zero. */
const ZEROS: Readonly<Record<string, string>> = {
  string: "''",
  bool: 'false',
  int32: '0',
  int64: '0',
  double: '0',
};

/** Writes the message of an object into `wire`. It throws for a value of another type than its field. */
type Encoder = (object: unknown) => void;

/** An encoder that is made when it is first called; `f` is the encoder then. */
interface LinkedEncoder {
  f: Encoder;
}

/** Makes and keeps the encoders of messages, each as JavaScript, when it is first called. */
export class GeneratedEncoders {
  readonly #linked = new Map<MessageType, LinkedEncoder>();

  readonly link = (type: MessageType): LinkedEncoder => {
    let linked = this.#linked.get(type);
    if (linked === undefined) {
      const made: LinkedEncoder = {
        f: (object) => {
          made.f = generateEncoder(type, this.link);
          made.f(object);
        },
      };
      linked = made;
      this.#linked.set(type, made);
    }
    return linked;
  };
}

/**
 * Makes the encoder of a message as JavaScript, one statement a field.
 * @throws {EvalError} when code generation is forbidden.
 */
function generateEncoder(type: MessageType, link: (type: MessageType) => LinkedEncoder): Encoder {
  const source = new EncoderSource(type);
  // The source has no text of any input: only names and numbers of the type table, which is part of this package.
  const parts = { ...PARTS, links: source.links.map(link) };
  return compileFunction(parts, source.text) as Encoder;
}

/** The text of one encoder. */
class EncoderSource {
  readonly text: string;
  /** The messages that it calls: `links[0]` is the first of them. */
  readonly links: MessageType[] = [];

  constructor(type: MessageType) {
    this.text = `
return function encode(json) {
if (typeof json !== 'object' || json === null || Array.isArray(json)) throw wrongType(json, 'an object');
let value; let before = 0;
${type.fields
  .toSorted((left, right) => right.number - left.number)
  .map((field) => this.#write(field))
  .join('\n')}
};`;
  }

  #write(field: MessageField): string {
    const { shape, presence, type } = field;
    if (shape === 'inline') return this.#value(field, 'json', tagOf(field));
    const value = `value = json[${JSON.stringify(field.name)}];`;
    const isSet = 'value !== undefined && value !== null';
    if (shape === 'list') return `${value} if (${isSet}) ${this.#list(field)}`;
    if (shape === 'map') return `${value} if (${isSet}) ${this.#map(field)}`;
    const isPointer = presence === 'sent' || presence === 'nullable';
    if (isPointer || type === 'bytes' || type === 'Strings') {
      return `${value} if (${isSet}) { ${this.#value(field, 'value', tagOf(field))} }`;
    }
    return `${value} ${this.#value(field, orZero(field, 'value'), tagOf(field))}`;
  }

  #list(field: MessageField): string {
    return `{ if (!Array.isArray(value)) throw wrongType(value, 'a list');
const list = value; for (let index = list.length - 1; index >= 0; index -= 1) {
${this.#value(field, orZero(field, 'list[index]'), tagOf(field))} } }`;
  }

  #map(field: MessageField): string {
    const valueTag = tagOf({ number: 2, shape: 'one', type: field.type });
    const item = this.#value(field, orZero(field, 'item'), valueTag);
    // A value of bytes can be nil.
    const guarded =
      field.type === 'bytes' ? `if (item !== undefined && item !== null) { ${item} }` : item;
    return `{ const map = value; for (const key of keysBackwards(map)) {
const start = written(); const item = map[key]; ${guarded}
writeString(key, 10); writeLength(start, ${tagOf(field)}); } }`;
  }

  #value({ type, message }: MessageField, value: string, tag: number): string {
    if (message === undefined) return `${WRITES[type] ?? 'unknownType'}(${value}, ${tag});`;
    if (!this.links.includes(message)) this.links.push(message);
    const fields = message.isUnion
      ? `unionFields(${JSON.stringify(message.name)}, ${value})`
      : value;
    const link = `links[${this.links.indexOf(message)}].f`;
    return `before = written(); ${link}(${fields}); writeLength(before, ${tag});`;
  }
}

function orZero({ type, message }: MessageField, value: string): string {
  const zero = message === undefined ? ZEROS[type] : 'NOTHING';
  return zero === undefined ? value : `${value} ?? ${zero}`;
}
