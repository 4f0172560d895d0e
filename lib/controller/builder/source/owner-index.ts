import { metadataIndexFunc, type IndexFunc } from '../../../cache/store/indexers.ts';
import { joinedKey } from '../../../meta/key.ts';
import type { HasMetadata, ObjectMeta, OwnerReference } from '../../../meta/object.ts';

/** The index of objects by the uid of each of their owners. */
export const OWNER_INDEX = 'listwatch/owner';

/** One function for all controllers: an index of one name has one function. */
export const ownerIndexFunc: IndexFunc<HasMetadata> = metadataIndexFunc(
  ({ ownerReferences }) => ownerReferences?.map(({ uid }) => uid) ?? [],
);

/** Reads metadata of the objects that may be owners. */
export interface OwnerCache {
  metadata(key: string): ObjectMeta | undefined;
}

/**
 * The keys of the owners of an object that are in the cache. An owner is in the namespace of what it owns, or in none. Owners that
 * are not in the cache are left out: if they come, their own change is a reason.
 */
export function ownersIn(
  owners: OwnerCache,
  { namespace, ownerReferences = [] }: ObjectMeta,
  wanted: (owner: OwnerReference) => boolean,
): readonly string[] {
  const keys: string[] = [];
  for (const owner of ownerReferences) {
    if (!wanted(owner)) continue;
    const key = [joinedKey(owner.name, namespace), owner.name].find(
      (one) => owners.metadata(one)?.uid === owner.uid,
    );
    if (key !== undefined) keys.push(key);
  }
  return keys;
}
