import type { HasMetadata, KubernetesObject, ObjectMeta } from './object.ts';

const API_VERSION = 'meta.k8s.io/v1';
const KIND = 'PartialObjectMetadata';

/** An object with only its metadata, as a server returns it when a client requests metadata only. */
export interface PartialObjectMetadata extends KubernetesObject {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: typeof KIND;
  readonly metadata: ObjectMeta;
}

/**
 * Copies type and metadata, so that the rest of the object can be garbage collected. An object that has only metadata is
 * returned unchanged.
 */
export function partialObjectMetadata(object: HasMetadata): PartialObjectMetadata {
  if (isPartialObjectMetadata(object)) return object;
  return { apiVersion: API_VERSION, kind: KIND, metadata: object.metadata ?? {} };
}

function isPartialObjectMetadata(object: HasMetadata): object is PartialObjectMetadata {
  const { apiVersion, kind } = object as KubernetesObject;
  return kind === KIND && apiVersion === API_VERSION;
}
