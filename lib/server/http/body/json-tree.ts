import type { UnstructuredObject } from '../../../meta/object.ts';
import { setOwn } from '../../../meta/json-value.ts';

/** A value in the form that `JSON.parse` returns. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own property; properties of the prototype are ignored. */
export function getOwn(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A deep copy. Recursion is safe: request bodies and stored objects have bounded depth. */
export function cloneJson<T extends Json | undefined>(value: T): T;
export function cloneJson(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => cloneJson(item));
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(copy, key, cloneJson(item));
  return copy;
}

/** The same tree under its other type. Objects from the network or the storage are JSON. */
export function asJson(object: UnstructuredObject): JsonObject {
  return object as unknown as JsonObject;
}

export function asObject(json: JsonObject): UnstructuredObject {
  return json;
}
