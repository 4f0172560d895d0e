import { parseJsonDocument } from './json-document.ts';

/** A message that JSON writes as a single value. */
export interface JsonValue {
  /** The name of the message on the wire. */
  readonly message: string;
  /** Throws a RangeError for values that JSON cannot express. */
  readonly fromFields: (fields: Readonly<Record<string, unknown>>) => unknown;
}

const VALUES: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['Time', { message: 'Timestamp', fromFields: time }],
  ['MicroTime', { message: 'Timestamp', fromFields: microTime }],
  // The default of a quantity is zero.
  ['Quantity', { message: 'QuantityText', fromFields: ({ string = '0' }) => string }],
  ['IntOrString', { message: 'IntOrStringParts', fromFields: intOrString }],
  ['RawJson', { message: 'RawBytes', fromFields: rawJson }],
]);

/** Returns undefined for a message that JSON writes as an object. */
export function jsonValueOf(type: string): JsonValue | undefined {
  return VALUES.get(type);
}

/** The range of RFC 3339: from the first second of year 0 to the last second of year 9999. */
const FIRST_SECOND = -62_167_219_200;
const LAST_SECOND = 253_402_300_799;

/** `2030-01-02T03:04:05`; undefined when no time was set, which is sent as an empty message. */
function dateTime({ seconds, nanos }: Readonly<Record<string, unknown>>): string | undefined {
  if (seconds === undefined && nanos === undefined) return undefined;
  const whole = Number(seconds ?? 0);
  if (!(whole >= FIRST_SECOND && whole <= LAST_SECOND)) {
    throw new RangeError(`${whole} seconds is not a time between the years 0 and 9999`);
  }
  return new Date(whole * 1_000).toISOString().slice(0, -'.000Z'.length);
}

/** A time in whole seconds: nanoseconds are dropped, as in the JSON of Kubernetes. */
function time(fields: Readonly<Record<string, unknown>>): string | null {
  const text = dateTime(fields);
  return text === undefined ? null : `${text}Z`;
}

function microTime(fields: Readonly<Record<string, unknown>>): string | null {
  const text = dateTime(fields);
  if (text === undefined) return null;
  const nanos = Number(fields['nanos'] ?? 0);
  if (!(nanos >= 0 && nanos < 1e9))
    throw new RangeError(`${nanos} nanoseconds are not a fraction of a second`);
  return `${text}.${String(Math.floor(nanos / 1_000)).padStart(6, '0')}Z`;
}

function intOrString({
  type = 0,
  intVal = 0,
  strVal = '',
}: Readonly<Record<string, unknown>>): unknown {
  if (type === 0) return intVal;
  if (type === 1) return strVal;
  throw new RangeError(`${String(type)} is neither 0, for a number, nor 1, for a string`);
}

function rawJson({ raw }: Readonly<Record<string, unknown>>): unknown {
  return raw instanceof Uint8Array && raw.byteLength > 0 ? parseJsonDocument(raw) : null;
}
