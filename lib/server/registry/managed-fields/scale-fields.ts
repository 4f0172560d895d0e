import {
  difference,
  fieldAt,
  hasElement,
  fieldsBelow,
  isEmptySet,
  type FieldSet,
} from '../../../meta/fields/field-set.ts';
import type { JsonRecord } from '../../../meta/json-value.ts';
import {
  groupOf,
  decodeEntries,
  encodeEntries,
  entryKey,
  type ManagedEntry,
} from './managed-entry.ts';

const SCALE_VERSION = 'autoscaling/v1';
const REPLICAS_OF_SCALE = fieldAt('spec', 'replicas');

/** Where the replicas of a scaled object are. */
export interface ScaledFields {
  readonly group: string;
  /** The apiVersion through which it is scaled. */
  readonly apiVersion: string;
  readonly replicasPath: readonly string[];
}

/**
 * The managed fields of a `Scale`: the managers that have the replicas of the scaled object.
 * @see apimachinery pkg/util/managedfields/scalehandler.go ToSubresource @ v0.36.3
 */
export function fieldsOfScale(
  scaledFields: unknown,
  scaled: ScaledFields,
): JsonRecord[] | undefined {
  const entries = new Map<string, ManagedEntry>();
  for (const entry of (
    decodeEntries(scaledFields, true) ?? new Map<string, ManagedEntry>()
  ).values()) {
    if (!hasReplicas(entry, scaled)) continue;
    const own = { ...entry, apiVersion: SCALE_VERSION, fields: REPLICAS_OF_SCALE };
    entries.set(entryKey(own), own);
  }
  return encodeEntries(entries);
}

/**
 * The managed fields of the scaled object after those of its `Scale` have changed. An entry of an update has another version in the
 * scale, so that the replicas leave it and come as an entry of their own, without a time: as kube-apiserver does it.
 * @see apimachinery pkg/util/managedfields/scalehandler.go ToParent @ v0.36.3
 */
export function fieldsOfScaled(
  scaledFields: unknown,
  scaleFields: unknown,
  scaled: ScaledFields,
): JsonRecord[] | undefined {
  const ofScale = new Map(decodeEntries(scaleFields));
  const result = new Map<string, ManagedEntry>();
  const replicas = fieldAt(...scaled.replicasPath);
  for (const [key, entry] of decodeEntries(scaledFields, true) ?? new Map<string, ManagedEntry>()) {
    if (groupOf(entry.apiVersion) !== scaled.group) continue;
    if (!hasReplicas(entry, scaled) || ofScale.delete(key)) {
      result.set(key, entry);
      continue;
    }
    const fields = difference(entry.fields, replicas);
    if (!isEmptySet(fields)) result.set(key, { ...entry, fields });
  }
  for (const [key, entry] of ofScale) {
    if (!hasField(entry.fields, ['spec', 'replicas'])) continue;
    const { apiVersion } = scaled;
    result.set(key, { ...entry, apiVersion, time: undefined, fields: replicas });
  }
  return encodeEntries(result);
}

function hasReplicas({ apiVersion, fields }: ManagedEntry, scaled: ScaledFields): boolean {
  return groupOf(apiVersion) === scaled.group && hasField(fields, scaled.replicasPath);
}

function hasField(fields: FieldSet, [name, ...rest]: readonly string[]): boolean {
  const element = `f:${name}`;
  if (rest.length === 0) return hasElement(fields, element);
  return hasField(fieldsBelow(fields, element), rest);
}
