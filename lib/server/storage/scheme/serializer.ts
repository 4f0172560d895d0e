import type { KubernetesObject, UnstructuredObject } from '../../../meta/object.ts';
import type { GroupVersionKind } from '../../../meta/resource.ts';
import { malformed } from './scheme-error.ts';

export type Encoding = 'json' | 'yaml' | 'protobuf';

/** @experimental */
export interface DecodeOptions {
  /** Refuses a field that occurs twice in an object; otherwise the last one counts. @defaultValue false */
  readonly strict?: boolean | undefined;
  /** The kind for an object without `apiVersion` and `kind`. @defaultValue they stay absent */
  readonly defaults?: GroupVersionKind | undefined;
}

/** Decodes bytes into objects, and encodes objects if the encoding supports writing. */
export interface Serializer {
  readonly encoding: Encoding;
  readonly mediaType: string;
  /** Whether the bytes begin like this encoding. */
  recognizes(bytes: Uint8Array): boolean;
  /** @throws {SchemeError} MALFORMED_OBJECT, UNSUPPORTED_ENCODING. */
  decode(bytes: Uint8Array, options?: DecodeOptions): UnstructuredObject;
  /** @throws {ApiError} 400 for an object that the encoding cannot represent. */
  encode?(object: KubernetesObject): Uint8Array;
}

/** A document as an object; `apiVersion` and `kind` are set if the document has none. */
export function asUnstructured(
  document: unknown,
  { defaults }: DecodeOptions = {},
): UnstructuredObject {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw malformed('the document is not an object');
  }
  const object = document as UnstructuredObject;
  if (defaults === undefined || (object.apiVersion !== undefined && object.kind !== undefined)) {
    return object;
  }
  const { group, version, kind } = defaults;
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind, ...object };
}
