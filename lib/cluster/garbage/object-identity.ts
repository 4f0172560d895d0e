import type { OwnerReference } from '../../meta/object.ts';

/** The coordinates of an object, as owner references name them. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** Empty for an object without a namespace, also while it is not known whether it has one. */
  readonly namespace: string;
}

/** The object that a reference of an object in this namespace names, if the owner has a namespace too. */
export function ownerIdentity(
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): ObjectIdentity {
  return { apiVersion, kind, name, uid, namespace };
}

/** Equal for equal identities only. */
export function identityKey({ apiVersion, kind, name, uid, namespace }: ObjectIdentity): string {
  return JSON.stringify([apiVersion, kind, name, uid, namespace]);
}

export function isSameIdentity(one: ObjectIdentity, other: ObjectIdentity): boolean {
  return refersTo(one, other) && one.namespace === other.namespace;
}

/** Whether the coordinates of a reference are those of the object; its namespace is left out. */
export function refersTo(
  reference: Omit<ObjectIdentity, 'namespace'>,
  { apiVersion, kind, name, uid }: ObjectIdentity,
): boolean {
  return (
    reference.uid === uid &&
    reference.name === name &&
    reference.kind === kind &&
    reference.apiVersion === apiVersion
  );
}

/** For messages. */
export function identityText({ apiVersion, kind, name, uid, namespace }: ObjectIdentity): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

/** An order of identities with which every owner is tried in turn. */
export function compareIdentities(one: ObjectIdentity, other: ObjectIdentity): number {
  for (const field of ['kind', 'apiVersion', 'namespace', 'name', 'uid'] as const) {
    if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
  }
  return 0;
}
