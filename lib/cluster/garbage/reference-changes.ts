import type { OwnerReference } from '../../meta/object.ts';

export interface ReferenceChanges {
  readonly added: readonly OwnerReference[];
  readonly removed: readonly OwnerReference[];
  /** Owners that do not have to wait for the object any more. */
  readonly unblocked: readonly OwnerReference[];
}

/** How the references of an object have changed; one owner is one uid. */
export function referenceChanges(
  before: readonly OwnerReference[],
  after: readonly OwnerReference[],
): ReferenceChanges {
  const old = new Map(before.map((one) => [one.uid, one]));
  const present = new Map(after.map((one) => [one.uid, one]));
  const removed = [...old.values()].filter(({ uid }) => !present.has(uid));
  const loosened = [...present.values()].filter(
    ({ uid, blockOwnerDeletion }) =>
      old.get(uid)?.blockOwnerDeletion === true && blockOwnerDeletion !== true,
  );
  return {
    added: [...present.values()].filter(({ uid }) => !old.has(uid)),
    removed,
    unblocked: [...removed.filter((one) => one.blockOwnerDeletion === true), ...loosened],
  };
}

/** Whether two lists have the same references in the same order. */
export function sameReferences(
  one: readonly OwnerReference[],
  other: readonly OwnerReference[],
): boolean {
  return (
    one.length === other.length &&
    one.every((reference, index) => isSame(reference, other[index] as OwnerReference))
  );
}

function isSame(one: OwnerReference, other: OwnerReference): boolean {
  return (['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'] as const).every(
    (field) => one[field] === other[field],
  );
}
