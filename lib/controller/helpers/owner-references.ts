import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { HasMetadata, OwnerReference } from '../../meta/object.ts';

/** The part of an owner that is needed: each stored object has it. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly namespace?: string | undefined;
  };
}

export interface OwnerOptions {
  /** The owner is the one that manages the object; an object has at most one. @defaultValue true */
  readonly controller?: boolean | undefined;
  /** A deletion of the owner in the foreground waits for the object. @defaultValue true */
  readonly blockOwnerDeletion?: boolean | undefined;
}

/** The entry of `metadata.ownerReferences` that names an owner. */
export function ownerReferenceTo(
  owner: Owner,
  { controller = true, blockOwnerDeletion = true }: OwnerOptions = {},
): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller, blockOwnerDeletion };
}

/**
 * A copy of the object that the owner owns. Other owners stay; a reference to the same owner is replaced. An object without namespace is
 * taken as one of the owner's namespace.
 * @throws {ListwatchError} code OWNER_REFUSED for an owner in another namespace, which the garbage collector would take as gone, and
 * for a second controller.
 */
export function setOwner<U extends HasMetadata>(
  object: U,
  owner: Owner,
  options: OwnerOptions = {},
): U {
  const { metadata = {} } = object;
  const reference = ownerReferenceTo(owner, options);
  const others = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== reference.uid);
  checkNamespaces(object, owner);
  const other = others.find(({ controller }) => controller === true);
  if (reference.controller === true && other !== undefined) {
    const text = `its controller is ${other.kind} "${other.name}", and an object has only one; add the owner with controller: false`;
    throw refused(object, owner, text);
  }
  return { ...object, metadata: { ...metadata, ownerReferences: [...others, reference] } };
}

function checkNamespaces(object: HasMetadata, owner: Owner): void {
  const { namespace: ownerNamespace = '' } = owner.metadata;
  const { namespace } = object.metadata ?? {};
  if (ownerNamespace === '' || namespace === undefined || namespace === ownerNamespace) return;
  const text = `it is in namespace ${JSON.stringify(namespace)}, and an owner owns only objects of its own; watch it, with a label that names the owner`;
  throw refused(object, owner, text);
}

function refused(
  { metadata }: HasMetadata,
  { kind, metadata: { name } }: Owner,
  why: string,
): ListwatchError {
  const text = `${kind} ${JSON.stringify(name)} cannot own ${JSON.stringify(metadata?.name)}: ${why}`;
  return new ListwatchError('OWNER_REFUSED', text);
}
