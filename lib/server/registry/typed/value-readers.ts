import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { ValueType } from '../../../meta/types/message-type.ts';
import { DEEPEST_OBJECT, depthWithin } from '../../../meta/json-value.ts';
import { TypedDecodeError } from './decode-problems.ts';
import { canonicalMicroTime, canonicalTime } from './go-time.ts';
import { canonicalQuantity, canonicalResource } from './quantity.ts';

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
