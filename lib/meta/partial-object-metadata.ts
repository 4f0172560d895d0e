import type { HasMetadata, KubernetesObject, ObjectMeta } from './object.ts';

const API_VERSION = 'meta.k8s.io/v1';
const KIND = 'PartialObjectMetadata';

/** An object with nothing but its metadata, as a server gives it to those who ask for no more. */
export interface PartialObjectMetadata extends KubernetesObject {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: typeof KIND;
  readonly metadata: ObjectMeta;
}

/** Leaves the rest of the object to the garbage collector; gives back what has no rest. */
export function partialObjectMetadata(object: HasMetadata): PartialObjectMetadata {
  if (isPartialObjectMetadata(object)) return object;
  return { apiVersion: API_VERSION, kind: KIND, metadata: object.metadata ?? {} };
}

function isPartialObjectMetadata(object: HasMetadata): object is PartialObjectMetadata {
  const { apiVersion, kind } = object as KubernetesObject;
  return kind === KIND && apiVersion === API_VERSION;
}
