import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { ValueType } from '../../../meta/types/message-type.ts';
import { DEEPEST_OBJECT, depthWithin } from '../../../meta/json-value.ts';
import { TypedDecodeError } from './decode-problems.ts';
import { canonicalQuantity, canonicalResource } from '../../../meta/quantity.ts';

/** A part of the layout `2006-01-02T15:04:05Z07:00`: what is expected, and what matches it. */
interface LayoutPart {
  readonly name: string;
  readonly form: RegExp;
  /** Values outside are `out of range`. */
  readonly range?: readonly [least: number, most: number, name: string];
}

const TO_SECONDS: readonly LayoutPart[] = [
  { name: '2006', form: /\d{4}/y },
  { name: '-', form: /-/y },
  { name: '01', form: /\d\d/y, range: [1, 12, 'month'] },
  { name: '-', form: /-/y },
  { name: '02', form: /\d\d/y, range: [1, 31, 'day'] },
  { name: 'T', form: /T/y },
  { name: '15', form: /\d\d/y, range: [0, 23, 'hour'] },
  { name: ':', form: /:/y },
  { name: '04', form: /\d\d/y, range: [0, 59, 'minute'] },
  { name: ':', form: /:/y },
  { name: '05', form: /\d\d/y, range: [0, 59, 'second'] },
];
const ZONE: LayoutPart = { name: 'Z07:00', form: /Z|[+-]\d\d:\d\d/y };
const SECONDS_LAYOUT: readonly LayoutPart[] = [
  ...TO_SECONDS,
  // The layout does not name a fraction, and any is read.
  { name: '', form: /(?:[.,]\d+)?/y },
  ZONE,
];
const MICRO_LAYOUT: readonly LayoutPart[] = [
  ...TO_SECONDS,
  { name: '.000000', form: /[.,]\d{6}/y },
  ZONE,
];
const NAMES = { seconds: '2006-01-02T15:04:05Z07:00', micro: '2006-01-02T15:04:05.000000Z07:00' };

/** Days that a month has in every year; a 29th of February is checked by its year. */
const DATE =
  /\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)/;
const TIME = /(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d/;
const UTC_SECONDS: RegExp = new RegExp(`^${DATE.source}T${TIME.source}Z$`);
const UTC_MICROS: RegExp = new RegExp(`^${DATE.source}T${TIME.source}\\.\\d{6}Z$`);
const ZERO = '0001-01-01T00:00:00Z';
const ZERO_MICROS = '0001-01-01T00:00:00.000000Z';

/** The length of `2006-01-02T15:04:05`. */
const TO_SECOND = 19;
const MINUTE_MS = 60_000;

/**
 * A time as `metav1.Time` writes it, in UTC with whole seconds; undefined for the zero time.
 * @throws {SyntaxError} with the words of Go.
 */
export function canonicalTime(text: string): string | undefined {
  if (UTC_SECONDS.test(text)) return text === ZERO ? undefined : text;
  const utc = `${toUtc(text, SECONDS_LAYOUT, NAMES.seconds)}Z`;
  return utc === ZERO ? undefined : utc;
}

/** A time as `metav1.MicroTime` writes it, which reads no other precision. @throws {SyntaxError} with the words of Go. */
export function canonicalMicroTime(text: string): string | undefined {
  const utc = UTC_MICROS.test(text)
    ? text
    : `${toUtc(text, MICRO_LAYOUT, NAMES.micro)}.${text.slice(TO_SECOND + 1, TO_SECOND + 7)}Z`;
  return utc === ZERO_MICROS ? undefined : utc;
}

/** The time to the second in UTC, without zone. */
function toUtc(text: string, layout: readonly LayoutPart[], name: string): string {
  const quoted = `parsing time ${JSON.stringify(text)}`;
  let at = 0;
  for (const { name: expected, form, range } of layout) {
    form.lastIndex = at;
    const found = form.exec(text)?.[0];
    if (found === undefined) {
      const rest = JSON.stringify(text.slice(at));
      throw new SyntaxError(`${quoted} as "${name}": cannot parse ${rest} as "${expected}"`);
    }
    if (range !== undefined && (Number(found) < range[0] || Number(found) > range[1])) {
      throw new SyntaxError(`${quoted}: ${range[2]} out of range`);
    }
    at += found.length;
  }
  if (at < text.length) {
    throw new SyntaxError(`${quoted}: extra text: ${JSON.stringify(text.slice(at))}`);
  }
  return shifted(text, quoted);
}

function shifted(text: string, quoted: string): string {
  const local = text.slice(0, TO_SECOND);
  const ms = Date.parse(`${local}Z`);
  const day = new Date(ms).getUTCDate();
  if (Number.isNaN(ms) || day !== Number(local.slice(8, 10))) {
    throw new SyntaxError(`${quoted}: day out of range`);
  }
  if (text.endsWith('Z')) return local;
  const [sign, hours, minutes] = [text.at(-6), Number(text.slice(-5, -3)), Number(text.slice(-2))];
  const offsetMs = (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
  return new Date(ms - offsetMs).toISOString().slice(0, TO_SECOND);
}

/** Returned for a value of a wrong type. */
export const WRONG_TYPE: unique symbol = Symbol('wrong type');

/**
 * Reads a JSON value that is not null as a type, and returns it as Go writes it again; undefined for a zero time.
 * @throws {TypedDecodeError} for a text that does not follow the form of its type.
 */
export type ValueReader = (value: unknown) => unknown;

/** A type that is no message: how it is read, what it is when it was not set, what Go calls it. */
export interface ValueKind {
  readonly read: ValueReader;
  readonly zero: string | number | boolean | null;
  readonly goName: string;
  /** Whether it takes no numbers with a point or an exponent. */
  readonly isWhole?: true;
}

const LEAST_INT32 = -(2 ** 31);
const MOST_INT32 = 2 ** 31 - 1;

function readText(value: unknown): unknown {
  return typeof value === 'string' ? value : WRONG_TYPE;
}

function readInt32(value: unknown): unknown {
  const fits =
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= LEAST_INT32 &&
    value <= MOST_INT32;
  return fits ? value + 0 : WRONG_TYPE;
}

function readInt64(value: unknown): unknown {
  return Number.isInteger(value) && Math.abs(value as number) <= 2 ** 63 ? value : WRONG_TYPE;
}

/** A reader of texts with a form of their own. */
function readForm(canonical: (text: string) => string | undefined): ValueReader {
  return (value) => (typeof value === 'string' ? inGoWords(canonical, value) : WRONG_TYPE);
}

function inGoWords<T>(read: (text: string) => T, text: string): T {
  try {
    return read(text);
  } catch (error) {
    throw new TypedDecodeError(errorMessage(error));
  }
}

/** Numbers are read from their text; other values are no quantities, which Go says in one way. */
function readQuantity(canonical: (text: string) => string): ValueReader {
  return (value) =>
    inGoWords(canonical, typeof value === 'string' ? value.trim() : JSON.stringify(value));
}

function readIntOrString(value: unknown): unknown {
  return typeof value === 'string' ? value : readInt32(value);
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function readBytes(value: unknown): unknown {
  if (typeof value !== 'string') return WRONG_TYPE;
  const text = /[\r\n]/.test(value) ? value.replace(/[\r\n]/g, '') : value;
  if (BASE64.test(text)) return text;
  const wrong = text.search(/[^A-Za-z0-9+/]/);
  const place = wrong < 0 ? text.length - (text.length % 4) : wrong;
  throw new TypedDecodeError(`illegal base64 data at input byte ${place}`);
}

function readJson(value: unknown): unknown {
  if (typeof value === 'object' && !depthWithin(value, DEEPEST_OBJECT)) {
    throw new TypedDecodeError('exceeded max depth');
  }
  return value;
}

function readTexts(value: unknown): unknown {
  if (!Array.isArray(value)) return WRONG_TYPE;
  const texts = value.map((one: unknown) => one ?? '');
  return texts.every((one) => typeof one === 'string') ? texts : WRONG_TYPE;
}

const quantity: ValueKind = {
  read: readQuantity(canonicalQuantity),
  zero: '0',
  goName: 'Quantity',
};

/** A quantity in a map of resources, which is rounded up to thousandths. */
export const RESOURCE: ValueKind = { ...quantity, read: readQuantity(canonicalResource) };

export const VALUE_KINDS: Readonly<Record<ValueType, ValueKind>> = {
  string: { read: readText, zero: '', goName: 'string' },
  bool: {
    read: (value) => (typeof value === 'boolean' ? value : WRONG_TYPE),
    zero: false,
    goName: 'bool',
  },
  int32: { read: readInt32, zero: 0, goName: 'int32', isWhole: true },
  int64: { read: readInt64, zero: 0, goName: 'int64', isWhole: true },
  double: {
    read: (value) => (typeof value === 'number' ? value : WRONG_TYPE),
    zero: 0,
    goName: 'float64',
  },
  bytes: { read: readBytes, zero: '', goName: '[]uint8' },
  Time: { read: readForm(canonicalTime), zero: null, goName: 'string' },
  MicroTime: { read: readForm(canonicalMicroTime), zero: null, goName: 'string' },
  Quantity: quantity,
  IntOrString: { read: readIntOrString, zero: 0, goName: 'int32', isWhole: true },
  RawJson: { read: readJson, zero: null, goName: 'JSON' },
  FieldsV1: { read: readJson, zero: null, goName: 'FieldsV1' },
  RawExtension: { read: readJson, zero: null, goName: 'RawExtension' },
  Strings: { read: readTexts, zero: null, goName: '[]string' },
};
