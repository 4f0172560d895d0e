import type { MessageField, MessageType } from '../../types/message-type.ts';
import { compileFunction } from '../wire/code-generation.ts';
import { embeddedType } from '../wire/embedded-type.ts';
import { tagOf } from '../wire/field-tag.ts';
import {
  hasZeroMessage,
  isListWithItems,
  mostMessages,
  type JsonFields,
} from './interpreted-decoder.ts';
import { unionValue } from '../wire/union-value.ts';
import {
  base64,
  closeInput,
  double,
  expectByte,
  expectEnd,
  fields,
  input,
  int32,
  intOrString,
  length,
  microTime,
  openInput,
  openText,
  quantity,
  rawJson,
  setEntry,
  skipUnknown,
  string,
  strings,
  time,
  UNUSUAL,
  varint,
} from '../wire/wire-input.ts';

/** Recursion that is deeper is left to the interpreter, which knows the limit. */
const DEEPEST_FAST = 100;

/** The functions that the source of a decoder may call, by the names that they have there. */
const PARTS = {
  base64,
  double,
  expectByte,
  expectEnd,
  fields,
  input,
  int32,
  intOrString,
  length,
  microTime,
  openText,
  quantity,
  rawJson,
  setEntry,
  skipUnknown,
  string,
  strings,
  time,
  unionValue,
  UNUSUAL,
  varint,
} as const;

/** Calls that read a value, as source. */
const READS: Readonly<Record<string, string>> = {
  string: 'string()',
  bytes: 'base64()',
  bool: '(varint() !== 0)',
  int32: 'int32()',
  int64: 'varint()',
  double: 'double()',
  Time: 'time()',
  MicroTime: 'microTime()',
  Quantity: 'quantity()',
  IntOrString: 'intOrString()',
  RawJson: 'rawJson()',
  RawExtension: 'rawJson()',
  FieldsV1: 'fields()',
  Strings: 'strings()',
};

/** The value of a field that is always in the JSON, when it was not sent, as source. */
const ZEROS: Readonly<Record<string, string>> = {
  string: "''",
  bool: 'false',
  int32: '0',
  int64: '0',
  double: '0',
  Quantity: "'0'",
  IntOrString: '0',
};

/**
 * Reads a message from `input`, up to `end`, into a new object or `json`. It throws for all that is not as Kubernetes writes it.
 */
type Decoder = (end: number, json?: JsonFields) => JsonFields;

/** A decoder that is made when it is first called; `f` is the decoder then. */
interface Linked {
  f: Decoder;
}

interface DecodeOptions {
  readonly refuseUnknown?: boolean;
  /** Fields that the object has already. @defaultValue none */
  readonly json?: JsonFields;
}

/** Makes and keeps the decoders of messages, each as JavaScript, when it is first called. */
export class GeneratedDecoders {
  readonly #linked = new Map<MessageType, Linked>();

  /** The JSON of a message, put into `json`; undefined for bytes that the interpreter has to see. */
  decode(
    type: MessageType,
    bytes: Uint8Array,
    { refuseUnknown = false, json = {} }: DecodeOptions = {},
  ): JsonFields | undefined {
    const { f } = this.#link(type);
    const { byteLength } = bytes;
    openInput(bytes);
    input.budget = mostMessages(byteLength);
    input.depth = 0;
    input.refuseUnknown = refuseUnknown;
    try {
      if (!hasItems(type)) openText(byteLength);
      const decoded = f(byteLength, json);
      expectEnd(byteLength);
      return decoded;
    } catch {
      // The interpreter throws the error that names the place, if it is one.
      return undefined;
    } finally {
      closeInput();
    }
  }

  readonly #link = (type: MessageType): Linked => {
    let linked = this.#linked.get(type);
    if (linked === undefined) {
      const made: Linked = {
        f: (end, json) => {
          made.f = generateDecoder(type, this.#link);
          return made.f(end, json);
        },
      };
      linked = made;
      this.#linked.set(type, made);
    }
    return linked;
  };
}

/**
 * Makes the decoder of a message as JavaScript, one `case` a field.
 * @throws {EvalError} when code generation is forbidden.
 */
function generateDecoder(type: MessageType, link: (type: MessageType) => Linked): Decoder {
  const source = new DecoderSource(type);
  // The source has no text of any input: only names and numbers of the type table, which is part of this package.
  const parts = { ...PARTS, links: source.links.map(link), known: new Set(type.byNumber.keys()) };
  return compileFunction(parts, source.text) as Decoder;
}

/** The text of one decoder. */
class DecoderSource {
  readonly text: string;
  /** The messages that it calls: `links[0]` is the first of them. */
  readonly links: MessageType[] = [];

  constructor(type: MessageType) {
    const fields = type.fields.toSorted((left, right) => left.number - right.number);
    const always = fields.filter((field) => this.#zeroOf(field, type) !== undefined);
    const seen = (field: MessageField): string => {
      const index = always.indexOf(field);
      return index < 0 ? '' : `seen${Math.floor(index / 30)} |= ${1 << (index % 30)};`;
    };
    const masks = always.length === 0 ? 0 : Math.ceil(always.length / 30);
    const recursive = isRecursive(type);
    this.text = `
return function decode(end, json = {}) {
const bytes = input.bytes;
let last = 0;
${Array.from({ length: masks }, (_, index) => `let seen${index} = 0;`).join('')}
${recursive ? `if ((input.depth += 1) > ${DEEPEST_FAST}) throw UNUSUAL;` : ''}
while (input.at < end) {
let tag = bytes[input.at++];
if (tag > 127) { input.at--; tag = varint(); }
if (tag <= last) throw UNUSUAL;
last = tag;
switch (tag) {
${fields.map((field) => `case ${tagOf(field)}: ${seen(field)} ${this.#read(field, type)} break;`).join('\n')}
default: skipUnknown(tag, known);
}
}
if (input.at !== end) throw UNUSUAL;
${Array.from({ length: masks }, (_, index) => this.#fill(type, always, index)).join('\n')}
${recursive ? 'input.depth -= 1;' : ''}
return json;
};`;
  }

  /** Sets the fields that were not sent and are in the JSON in every case. */
  #fill(type: MessageType, always: readonly MessageField[], mask: number): string {
    const own = always.slice(mask * 30, mask * 30 + 30);
    const sets = own.map((field, index) => {
      const set =
        field.shape === 'inline'
          ? `Object.assign(json, ${this.#zeroOf(field, type)});`
          : `${nameIn('json', field)} = ${this.#zeroOf(field, type)};`;
      return `if ((seen${mask} & ${1 << index}) === 0) ${set}`;
    });
    return `if (seen${mask} !== ${2 ** own.length - 1}) {\n${sets.join('\n')}\n}`;
  }

  #zeroOf(field: MessageField, type: MessageType): string | undefined {
    const { shape, presence } = field;
    if (shape === 'list' && field.name === 'items' && isListWithItems(type)) return '[]';
    if (presence === 'nullable') return 'null';
    if (presence !== 'always' && shape !== 'inline') return undefined;
    if (shape === 'list' || shape === 'map') return 'null';
    if (field.message !== undefined && hasZeroMessage(field)) {
      return this.#union(field.message, `${this.#link(field.message)}(input.at)`);
    }
    return ZEROS[field.type] ?? 'null';
  }

  #read(field: MessageField, type: MessageType): string {
    if (field.shape === 'list') return this.#list(field, type);
    if (field.shape === 'map') return this.#map(field);
    const value = this.#value(field);
    if (field.shape === 'inline') return `Object.assign(json, ${value});`;
    const name = nameIn('json', field);
    const isZeroable = field.presence === 'nonzero' && field.message === undefined;
    if (!isZeroable) return `${name} = ${value};`;
    const zero = field.type === 'bytes' ? "''" : (ZEROS[field.type] ?? 'null');
    return `{ const value = ${value}; if (value !== ${zero}) ${name} = value; }`;
  }

  #list(field: MessageField, type: MessageType): string {
    const budget = field.message === undefined ? '' : 'if ((input.budget -= 1) < 0) throw UNUSUAL;';
    const isItems = hasItems(type) && field.name === 'items' && field.message !== undefined;
    const value = isItems
      ? `{ const to = length(); openText(to); list.push(${this.#link(field.message)}(to)); }`
      : `list.push(${this.#value(field)});`;
    const close = isItems ? 'input.isText = false;' : '';
    return `{ const list = []; do { ${budget} ${value} } while (${again(tagOf(field))}); ${close} ${nameIn('json', field)} = list; }`;
  }

  #map(field: MessageField): string {
    const valueTag = tagOf({ number: 2, shape: 'one', type: field.type });
    return `{ const map = {}; do {
if ((input.budget -= 1) < 0) throw UNUSUAL;
const to = length(); expectByte(10); const key = string(); expectByte(${valueTag});
setEntry(map, key, ${this.#value(field)}); expectEnd(to);
} while (${again(tagOf(field))}); ${nameIn('json', field)} = map; }`;
  }

  #value(field: MessageField): string {
    const { type, message } = field;
    if (message === undefined) return READS[type] ?? 'unknownType()';
    const embedded = embeddedType(field);
    if (embedded !== undefined) {
      return `${this.#link(message)}(length(), ${JSON.stringify(embedded)})`;
    }
    return this.#union(message, `${this.#link(message)}(length())`);
  }

  #union({ isUnion, name }: MessageType, value: string): string {
    return isUnion ? `unionValue(${JSON.stringify(name)}, ${value})` : value;
  }

  #link(type: MessageType): string {
    if (!this.links.includes(type)) this.links.push(type);
    return `links[${this.links.indexOf(type)}].f`;
  }
}

/** Whether the next field has the same tag; steps over it. */
function again(tag: number): string {
  if (tag < 0x80) return `input.at < end && bytes[input.at] === ${tag} && ++input.at`;
  const [low, high] = [(tag & 0x7f) | 0x80, tag >>> 7];
  return `input.at < end && bytes[input.at] === ${low} && bytes[input.at + 1] === ${high} && (input.at += 2)`;
}

function nameIn(object: string, { name }: MessageField): string {
  return `${object}[${JSON.stringify(name)}]`;
}

/** Whether it is a list of objects: each item has a text of its own then, so that one item does not keep the others in memory. */
function hasItems(type: MessageType): boolean {
  return type.isKind && type.byName.get('items')?.message !== undefined;
}

/** Whether messages of a type can lie in messages of the same type. */
function isRecursive(type: MessageType): boolean {
  const seen = new Set<MessageType>();
  const reaches = ({ fields }: MessageType): boolean =>
    fields.some(({ message }) => {
      if (message === undefined || seen.has(message)) return false;
      seen.add(message);
      return message === type || reaches(message);
    });
  return reaches(type);
}
