import { errorMessage } from '../../../kernel/failure/errors.ts';
import { badRequest } from '../../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { encodedText } from './encoded-text.ts';

/**
 * Converts objects to bytes and back. `encode` is deterministic: objects with the same content give the same bytes, regardless
 * of the order of their fields, because an update without a change is recognised by its bytes.
 *
 * @experimental
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
  try {
    const { apiVersion, kind } = object;
    const result: Record<string, unknown> = { apiVersion, kind, metadata: sorted(metadata) };
    const rest = Object.keys(object).filter(isNoHead);
    if (!isSorted(rest)) rest.sort();
    for (const name of rest) {
      setOwnField(result, name, sorted((object as Readonly<Record<string, unknown>>)[name]));
    }
    return encodedText(JSON.stringify(result));
  } catch (error) {
    throw badRequest(`the object cannot be written as JSON: ${errorMessage(error)}`, error);
  }
}

function decode(bytes: Uint8Array): unknown {
  const value: unknown = JSON.parse(decoder.decode(bytes));
  if (!isPlain(value)) throw new TypeError('the stored value is JSON, but not an object');
  return value;
}

function isNoHead(name: string): boolean {
  return name !== 'apiVersion' && name !== 'kind' && name !== 'metadata';
}

/** The metadata itself if it has none of these fields. */
function withoutServerFields(metadata: unknown): unknown {
  if (!isPlain(metadata)) return {};
  if (!Object.hasOwn(metadata, 'resourceVersion') && !Object.hasOwn(metadata, 'selfLink')) {
    return metadata;
  }
  const { resourceVersion: _version, selfLink: _link, ...rest } = metadata;
  return rest;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value with all fields in order; parts that are in order already are not copied. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new RangeError(`${value} is not a JSON number`);
    }
    return value;
  }
  if (Array.isArray(value)) return sortedItems(value);
  const object = value as Record<string, unknown>;
  if (typeof object['toJSON'] === 'function') return value;
  const keys = Object.keys(object);
  let copy: Record<string, unknown> | undefined;
  if (!isSorted(keys)) {
    keys.sort();
    copy = {};
  }
  // Without iterators: this runs for each part of each object that is written.
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] as string;
    const field = object[key];
    const ordered = typeof field === 'string' ? field : sorted(field);
    if (copy === undefined && ordered !== field) copy = firstFields(object, keys, at);
    if (copy !== undefined) setOwnField(copy, key, ordered);
  }
  return copy ?? value;
}

function firstFields(
  object: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  count: number,
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of keys.slice(0, count)) setOwnField(copy, key, object[key]);
  return copy;
}

/** An assignment to `__proto__` would change the prototype. */
function setOwnField(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    const property = { value, configurable: true, enumerable: true, writable: true };
    Object.defineProperty(object, key, property);
  } else object[key] = value;
}

function sortedItems(items: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
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
