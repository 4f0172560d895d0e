import type { MessageField, MessageType, ValueType } from '../../types/message-type.ts';
import { hasItems, isRecursive, type Decoder, type Linked } from './decoder.ts';
import { embeddedType } from '../wire/embedded-type.ts';
import { tagOf } from '../wire/field-tag.ts';
import { hasZeroMessage, isListWithItems, type JsonFields } from './interpreted-decoder.ts';
import { unionValue } from '../wire/union-value.ts';
import * as read from '../wire/wire-input.ts';

const { input, UNUSUAL } = read;

/** Recursion that is deeper is left to the interpreter, which knows the limit. */
const DEEPEST_FAST = 100;

type ReadValue = () => unknown;
/** Reads a field into the JSON. `end` is that of the message. */
type Step = (json: JsonFields, end: number) => void;

const READS: Readonly<Record<ValueType, ReadValue>> = {
  string: read.string,
  bytes: read.base64,
  bool: () => read.varint() !== 0,
  int32: read.int32,
  int64: read.varint,
  double: read.double,
  Time: read.time,
  MicroTime: read.microTime,
  Quantity: read.quantity,
  IntOrString: read.intOrString,
  RawJson: read.rawJson,
  RawExtension: read.rawJson,
  FieldsV1: read.fields,
  Strings: read.strings,
};

const ZEROS: Readonly<Partial<Record<string, unknown>>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  double: 0,
  Quantity: '0',
  IntOrString: 0,
};

/** Makes the decoder of a message from one closure a field: what `generateDecoder` makes, where code generation is forbidden. */
export function closureDecoder(type: MessageType, link: (type: MessageType) => Linked): Decoder {
  const steps = new Map(
    type.fields.map((field) => [tagOf(field), stepOf(field, type, link)] as const),
  );
  const fills = type.fields.flatMap((field) => fillOf(field, type, link));
  const known = new Set(type.byNumber.keys());
  const decode: Decoder = (end, json = {}) => {
    let last = 0;
    while (input.at < end) {
      const tag = read.varint();
      if (tag <= last) throw UNUSUAL;
      last = tag;
      const step = steps.get(tag);
      if (step === undefined) read.skipUnknown(tag, known);
      else step(json, end);
    }
    read.expectEnd(end);
    for (const fill of fills) fill(json, end);
    return json;
  };
  return isRecursive(type) ? bounded(decode) : decode;
}

function bounded(decode: Decoder): Decoder {
  return (end, json) => {
    input.depth += 1;
    if (input.depth > DEEPEST_FAST) throw UNUSUAL;
    const decoded = decode(end, json);
    input.depth -= 1;
    return decoded;
  };
}

function valueOf(field: MessageField, link: (type: MessageType) => Linked): ReadValue {
  const { type, message } = field;
  if (message === undefined) return READS[type as ValueType];
  const linked = link(message);
  const embedded = embeddedType(field);
  if (embedded !== undefined) return () => linked.f(read.length(), { ...embedded });
  if (!message.isUnion) return () => linked.f(read.length());
  return () => unionValue(message.name, linked.f(read.length()));
}

function stepOf(field: MessageField, type: MessageType, link: (type: MessageType) => Linked): Step {
  const { name, shape, presence, message } = field;
  if (shape === 'list') return listStep(field, type, link);
  if (shape === 'map') return mapStep(field, link);
  const value = valueOf(field, link);
  if (shape === 'inline') {
    return (json) => {
      Object.assign(json, value());
    };
  }
  if (presence !== 'nonzero' || message !== undefined) {
    return (json) => {
      json[name] = value();
    };
  }
  const zero = field.type === 'bytes' ? '' : (ZEROS[field.type] ?? null);
  return (json) => {
    const read = value();
    if (read !== zero) json[name] = read;
  };
}

function listStep(
  field: MessageField,
  type: MessageType,
  link: (type: MessageType) => Linked,
): Step {
  const { name, message } = field;
  const tag = tagOf(field);
  const hasOwnText = hasItems(type) && name === 'items' && message !== undefined;
  const value = hasOwnText ? itemOf(link(message)) : valueOf(field, link);
  return (json, end) => {
    const list: unknown[] = [];
    do {
      input.budget -= message === undefined ? 0 : 1;
      if (input.budget < 0) throw UNUSUAL;
      list.push(value());
    } while (isAgain(tag, end));
    if (hasOwnText) input.isText = false;
    json[name] = list;
  };
}

/** An item of a list of objects: it has a text of its own. */
function itemOf(linked: Linked): ReadValue {
  return () => {
    const end = read.length();
    read.openText(end);
    return linked.f(end);
  };
}

function mapStep(field: MessageField, link: (type: MessageType) => Linked): Step {
  const tag = tagOf(field);
  const valueTag = tagOf({ number: 2, shape: 'one', type: field.type });
  const value = valueOf(field, link);
  return (json, end) => {
    const map: Record<string, unknown> = {};
    do {
      input.budget -= 1;
      if (input.budget < 0) throw UNUSUAL;
      const to = read.length();
      read.expectByte(0x0a);
      const key = read.string();
      read.expectByte(valueTag);
      read.setEntry(map, key, value());
      read.expectEnd(to);
    } while (isAgain(tag, end));
    json[field.name] = map;
  };
}

/** Whether the next field has the same tag; steps over it. */
function isAgain(tag: number, end: number): boolean {
  const { bytes, at } = input;
  if (at >= end) return false;
  if (tag < 0x80) {
    if (bytes[at] !== tag) return false;
    input.at = at + 1;
    return true;
  }
  if (bytes[at] !== ((tag & 0x7f) | 0x80) || bytes[at + 1] !== tag >>> 7) return false;
  input.at = at + 2;
  return true;
}

/** What sets a field that was not sent and is in the JSON in every case. */
function fillOf(
  field: MessageField,
  type: MessageType,
  link: (type: MessageType) => Linked,
): Step[] {
  const { name, shape, presence, message } = field;
  const hasEmptyItems = name === 'items' && shape === 'list' && isListWithItems(type);
  if (presence !== 'always' && presence !== 'nullable' && shape !== 'inline' && !hasEmptyItems) {
    return [];
  }
  if (shape === 'inline' && message !== undefined) return [inlineFill(message, link(message))];
  if (shape === 'one' && message !== undefined && hasZeroMessage(field)) {
    const linked = link(message);
    const empty = (): unknown => linked.f(input.at);
    return [
      (json) => {
        if (json[name] === undefined) {
          json[name] = message.isUnion ? unionValue(message.name, linked.f(input.at)) : empty();
        }
      },
    ];
  }
  const zero = shape === 'one' && presence === 'always' ? (ZEROS[field.type] ?? null) : null;
  return [
    (json) => {
      if (json[name] === undefined) json[name] = hasEmptyItems ? [] : zero;
    },
  ];
}

/** The fields of an inline message that was not sent. */
function inlineFill(message: MessageType, linked: Linked): Step {
  const names = [...message.byName.keys()];
  return (json) => {
    const empty = linked.f(input.at);
    for (const name of names) {
      if (json[name] === undefined && empty[name] !== undefined) json[name] = empty[name];
    }
  };
}
