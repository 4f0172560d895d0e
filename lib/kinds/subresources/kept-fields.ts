import { recordAt, setOwn, type JsonRecord } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';

/**
 * Restores everything but the given fields of the spec, and those of the metadata that every update may change: what a client with
 * only the right to the subresource must not reach.
 * @see apimachinery pkg/apis/meta/v1 ResetObjectMetaForStatus @ eed236c
 */
export function keepAllBut(
  object: MutableObject,
  existing: MutableObject,
  specFields: JsonRecord,
): void {
  const spec: JsonRecord = { ...recordAt(existing, 'spec') };
  for (const [name, value] of Object.entries(specFields)) {
    if (value === undefined) delete spec[name];
    else setOwn(spec, name, value);
  }
  object['spec'] = spec;
  if (existing['status'] === undefined) delete object['status'];
  else object['status'] = existing['status'];
  restoreMetadata(object, existing);
}

const RESET = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

/** Restores the metadata that a status endpoint does not change. */
export function restoreMetadata(
  { metadata }: MutableObject,
  { metadata: before }: MutableObject,
): void {
  for (const name of RESET) {
    if (before[name] === undefined) delete metadata[name];
    else setOwn(metadata, name, before[name]);
  }
}
