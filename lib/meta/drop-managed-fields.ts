import type { KubernetesObject } from './object.ts';

const NAME = 'managedFields';

/** The object without the managed fields of its metadata; itself if it has none. They are not read: they may have to be decoded first. */
export function dropManagedFields<T extends KubernetesObject>(object: T): T {
  const { metadata } = object;
  if (typeof metadata !== 'object' || metadata === null || !Object.hasOwn(metadata, NAME)) {
    return object;
  }
  const fields = metadata as Readonly<Record<string, unknown>>;
  const kept = Object.keys(fields).filter((name) => name !== NAME);
  return { ...object, metadata: Object.fromEntries(kept.map((name) => [name, fields[name]])) };
}
