import protobuf from 'protobufjs/light.js';
import type { MessageField, MessageType } from '../../../lib/meta/types/message-type.ts';

/** One field as it lies on the wire: strings and bytes by length, numbers as varints. */
export type WireField = readonly [number: number, value: WireValue];

/** A number is a varint, a number in a list is a double. */
type WireValue = string | Uint8Array | number | readonly [double: number];

export function message(...fields: WireField[]): Uint8Array {
  const writer = new protobuf.Writer();
  for (const [number, value] of fields) {
    if (typeof value === 'number') writer.uint32(number << 3).int64(value);
    else if (isDouble(value)) writer.uint32((number << 3) | 1).double(value[0]);
    else
      writer
        .uint32((number << 3) | 2)
        .bytes(typeof value === 'string' ? Buffer.from(value) : value);
  }
  return writer.finish();
}

function isDouble(value: WireValue): value is readonly [number] {
  return Array.isArray(value);
}

export interface EnvelopeOptions {
  readonly contentType?: string;
  readonly contentEncoding?: string;
}

export function envelope(
  apiVersion: string,
  kind: string,
  raw: Uint8Array,
  { contentType = '', contentEncoding = '' }: EnvelopeOptions = {},
): Uint8Array {
  const typeMeta = message([1, apiVersion], [2, kind]);
  const unknown = message([1, typeMeta], [2, raw], [3, contentEncoding], [4, contentType]);
  return Buffer.concat([Buffer.from('k8s\0'), unknown]);
}

/** Converts a value that is a message on the wire and one value in JSON. */
const SAMPLES: Readonly<Record<string, readonly [wire: Uint8Array, json: unknown]>> = {
  Time: [message([1, 1_893_456_000], [2, 0]), '2030-01-01T00:00:00Z'],
  MicroTime: [message([1, 1_893_456_000], [2, 1_500_000]), '2030-01-01T00:00:00.001500Z'],
  Quantity: [message([1, '250m']), '250m'],
  IntOrString: [message([1, 1], [2, 0], [3, 'http']), 'http'],
  RawJson: [message([1, '{"a":[1]}']), { a: [1] }],
  RawExtension: [message([1, '{"b":"c"}']), { b: 'c' }],
  FieldsV1: [message([1, '{"f:spec":{}}']), { 'f:spec': {} }],
  Strings: [message([1, 'a'], [1, 'b']), ['a', 'b']],
  'extensions.JSONSchemaPropsOrBool': [message([1, 1]), true],
  'extensions.JSONSchemaPropsOrArray': [message([2, message([1, 'x'])]), [{ id: 'x' }]],
  'extensions.JSONSchemaPropsOrStringArray': [message([2, 'a']), ['a']],
};

const SCALARS: Readonly<Record<string, readonly [wire: WireValue, json: unknown]>> = {
  string: ['text', 'text'],
  bool: [1, true],
  int32: [-7, -7],
  int64: [2 ** 40, 2 ** 40],
  double: [[1.5], 1.5],
  bytes: ['\0binary', Buffer.from('\0binary').toString('base64')],
};

/** A message of a type with every field set, all the way down, and its JSON. A message does not lie in itself. */
export function fullSample(
  type: MessageType,
  within: readonly MessageType[] = [],
): readonly [wire: Uint8Array, json: object] {
  const fields: WireField[] = [];
  const json: Record<string, unknown> = {};
  for (const field of type.fields) {
    if (field.message !== undefined && [...within, type].includes(field.message)) continue;
    const [wire, value] = sampleOf(field, [...within, type]);
    if (field.shape === 'inline') {
      fields.push([field.number, wire]);
      Object.assign(json, value);
    } else if (field.shape === 'map') {
      fields.push([field.number, message([1, '__proto__'], [2, wire])]);
      json[field.name] = Object.fromEntries([['__proto__', value]]);
    } else {
      const values = field.shape === 'list' ? [wire, wire] : [wire];
      for (const one of values) fields.push([field.number, one]);
      json[field.name] = field.shape === 'list' ? [value, value] : value;
    }
  }
  return [message(...fields), json];
}

function sampleOf(
  { type, message: of }: MessageField,
  within: readonly MessageType[],
): readonly [WireValue, unknown] {
  const known = SCALARS[type] ?? SAMPLES[type];
  if (known !== undefined) return known;
  if (of === undefined) throw new Error(`there is no sample of ${type}`);
  const [wire, json] = fullSample(of, within);
  const isClaim =
    type === 'core.PersistentVolumeClaim' && within.at(-1)?.name === 'apps.StatefulSetSpec';
  return [wire, isClaim ? { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...json } : json];
}
