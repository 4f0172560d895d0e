import { createHash } from 'node:crypto';
import {
  controllerOf,
  metadataIndexFunc,
  objectKey,
  type HasMetadata,
  type IndexFunc,
  type KubernetesObject,
  type ObjectMeta,
  type OwnerReference,
} from 'listwatch';

/** The index of children by the owner that manages them; its values are those of `ownerValue`. */
export const OWNER_INDEX = 'owner';

export const ownerIndexFunc: IndexFunc<HasMetadata> = metadataIndexFunc((metadata) => {
  const owner = controllerOf({ metadata });
  return owner === undefined ? [] : [ownerValue(owner.kind, metadata.namespace ?? '', owner.name)];
});

/** By name, not by uid: only the name of a deleted owner is known, and its children have to be found. */
export function ownerValue(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

/** The key of the owner, if the owner has this kind. */
export function ownerKey(kind: string, metadata: ObjectMeta): string | undefined {
  const owner = controllerOf({ metadata });
  if (owner?.kind !== kind) return undefined;
  return objectKey({ namespace: metadata.namespace ?? '', name: owner.name });
}

export function ownerReference(
  owner: KubernetesObject,
  apiVersion: string,
  kind: string,
): OwnerReference {
  const { name = '', uid = '' } = owner.metadata ?? {};
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** No vowels, so no words, and no digits that look like letters, as in names that Kubernetes generates. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A short name that is a function of the text. */
export function shortHash(text: string, length: number): string {
  const digest = createHash('sha256').update(text).digest();
  const letters = Array.from(digest.subarray(0, length), (byte) => ALPHABET[byte % 27]);
  return letters.join('');
}
