import { errorMessage } from '../../../kernel/errors.ts';
import { badRequest } from '../../../meta/failures.ts';
import type { KubernetesObject } from '../../../meta/object.ts';

/**
 * Converts objects to bytes and back. `encode` is deterministic: objects with the same content give the same bytes, regardless
 * of the order of their fields, because an update without a change is recognised by its bytes.
 */
export interface Codec<T extends KubernetesObject = KubernetesObject> {
  /** Without `metadata.resourceVersion` and `metadata.selfLink`, which are not stored. @throws {ApiError} 400. */
  encode(object: T): Uint8Array;
  /** Throws when the bytes are not an object. */
  decode(bytes: Uint8Array): T;
  /**
   * The JSON document of the result of `decode`, if the bytes contain it; undefined if they have to be decoded.
   * A codec without this method stores JSON in the version that it returns.
   */
  documentOf?(bytes: Uint8Array): Uint8Array | undefined;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** JSON with `apiVersion`, `kind` and `metadata` first and all other fields in alphabetical order, at every depth. */
export function jsonCodec<T extends KubernetesObject>(): Codec<T> {
  return { encode, decode: (bytes) => decode(bytes) as T };
}

/**
 * Encodes with the resource version; the same content gives the same bytes. @throws {ApiError} 400 for values that JSON cannot
 * express.
 */
export function encodeJson(object: KubernetesObject): Uint8Array {
  if (!isPlain(object)) throw badRequest('the object is not a JSON object');
  return encodeSorted(object, object.metadata);
}

function encode(object: KubernetesObject): Uint8Array {
  if (!isPlain(object)) throw badRequest('the object to be stored is not a JSON object');
  return encodeSorted(object, withoutServerFields(object.metadata));
}

function encodeSorted(object: KubernetesObject, metadata: unknown): Uint8Array {
  const { apiVersion, kind, metadata: _metadata, ...rest } = object;
  try {
    const head = { apiVersion, kind, metadata: sorted(metadata) };
    return Buffer.from(JSON.stringify({ ...head, ...(sorted(rest) as object) }), 'utf8');
  } catch (error) {
    throw badRequest(`the object cannot be written as JSON: ${errorMessage(error)}`, error);
  }
}

function decode(bytes: Uint8Array): unknown {
  const value: unknown = JSON.parse(decoder.decode(bytes));
  if (!isPlain(value)) throw new TypeError('the stored value is JSON, but not an object');
  return value;
}

function withoutServerFields(metadata: unknown): unknown {
  if (!isPlain(metadata)) return {};
  const { resourceVersion: _version, selfLink: _link, ...rest } = metadata;
  return rest;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value with all fields in order; parts that are in order already are not copied. */
function sorted(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new RangeError(`${value} is not a JSON number`);
  }
  if (Array.isArray(value)) return sortedItems(value);
  if (!isPlain(value) || typeof value['toJSON'] === 'function') return value;
  const keys = Object.keys(value);
  const inOrder = isSorted(keys);
  if (!inOrder) keys.sort();
  let copy: [string, unknown][] | undefined = inOrder ? undefined : [];
  for (const [index, key] of keys.entries()) {
    const field = value[key];
    const ordered = sorted(field);
    if (copy === undefined && ordered !== field) {
      copy = keys.slice(0, index).map((one) => [one, value[one]]);
    }
    copy?.push([key, ordered]);
  }
  // Object.fromEntries defines own fields: a key like __proto__ stays a field.
  return copy === undefined ? value : Object.fromEntries(copy);
}

function sortedItems(items: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, item] of items.entries()) {
    const ordered = sorted(item);
    if (copy === undefined && ordered !== item) copy = items.slice(0, index);
    copy?.push(ordered);
  }
  return copy ?? items;
}

/** Whether the keys are in the order of a sorted object. JavaScript itself puts array indexes first. */
function isSorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index += 1) {
    const before = keys[index - 1] as string;
    if (before > (keys[index] as string) && !isArrayIndex(before)) return false;
  }
  return true;
}

const LARGEST_ARRAY_INDEX = 2 ** 32 - 2;

function isArrayIndex(key: string): boolean {
  return /^(?:0|[1-9][0-9]{0,9})$/.test(key) && Number(key) <= LARGEST_ARRAY_INDEX;
}
