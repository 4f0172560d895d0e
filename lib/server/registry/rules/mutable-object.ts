import { badRequest } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import {
  DEEPEST_OBJECT,
  depthWithin,
  isRecord,
  type JsonRecord,
} from '../../../meta/json-value.ts';

/** `metadata` of an object that is being prepared for a write. */
export interface MutableMetadata {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  [field: string]: unknown;
}

/** An object that is being prepared for a write. It is private to the request, and the types in its metadata are checked. */
export interface MutableObject {
  apiVersion?: string;
  kind?: string;
  metadata: MutableMetadata;
  [field: string]: unknown;
}

const TEXTS = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
] as const;
const NUMBERS = ['generation', 'deletionGracePeriodSeconds'] as const;
const MAPS = ['labels', 'annotations'] as const;

/**
 * A shallow copy of an object from a client, with its own `metadata`, in which all fields that the registry reads have their type.
 * @throws {ApiError} 400 naming a field of another type.
 */
export function toMutableObject(value: UnstructuredObject): MutableObject {
  if (!isRecord(value)) throw badRequest('the body must be a JSON object');
  if (!depthWithin(value, DEEPEST_OBJECT)) {
    throw badRequest(`the object is nested deeper than ${DEEPEST_OBJECT} levels`);
  }
  const given: unknown = value.metadata ?? {};
  if (!isRecord(given)) throw wrongType('metadata', 'an object');
  const metadata: JsonRecord = { ...given };
  for (const name of [...TEXTS, ...NUMBERS, ...MAPS, 'finalizers', 'ownerReferences']) {
    if (metadata[name] === null || metadata[name] === undefined) delete metadata[name];
  }
  checkTypes(metadata);
  dropEmpty(metadata);
  // The type comes first in what is stored, so that lists can leave it out without parsing.
  const { kind, apiVersion } = value;
  return { kind, apiVersion, ...value, metadata: metadata as MutableMetadata } as MutableObject;
}

/** Go leaves them out. */
function dropEmpty(metadata: JsonRecord): void {
  for (const name of [...MAPS, 'finalizers', 'ownerReferences']) {
    const value = metadata[name];
    if (value !== undefined && Object.keys(value as object).length === 0) delete metadata[name];
  }
}

function checkTypes(metadata: JsonRecord): void {
  for (const name of TEXTS) {
    if (metadata[name] !== undefined && typeof metadata[name] !== 'string') {
      throw wrongType(`metadata.${name}`, 'a string');
    }
  }
  for (const name of NUMBERS) {
    if (metadata[name] !== undefined && !Number.isSafeInteger(metadata[name])) {
      throw wrongType(`metadata.${name}`, 'a whole number');
    }
  }
  for (const name of MAPS) {
    const map = metadata[name];
    if (map === undefined) continue;
    if (!isRecord(map) || Object.values(map).some((one) => typeof one !== 'string')) {
      throw wrongType(`metadata.${name}`, 'a map of strings');
    }
  }
  const { finalizers, ownerReferences } = metadata;
  if (finalizers !== undefined && !isListOf(finalizers, (one) => typeof one === 'string')) {
    throw wrongType('metadata.finalizers', 'a list of strings');
  }
  if (ownerReferences !== undefined && !isListOf(ownerReferences, isRecord)) {
    throw wrongType('metadata.ownerReferences', 'a list of objects');
  }
}

function isListOf(value: unknown, accepts: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(accepts);
}

function wrongType(field: string, expected: string): Error {
  return badRequest(`${field} must be ${expected}`);
}
