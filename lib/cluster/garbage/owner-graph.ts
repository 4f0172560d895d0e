import type { ObjectMeta, OwnerReference } from '../../meta/object.ts';
import type { AbsentOwners } from './absent-owners.ts';
import { GraphNode } from './graph-node.ts';
import {
  compareIdentities,
  identityKey,
  isSameIdentity,
  ownerIdentity,
  refersTo,
  type ObjectIdentity,
} from './object-identity.ts';
import { referenceChanges, type ReferenceChanges } from './reference-changes.ts';

/** The finalizer of an object whose dependents go first. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
/** The finalizer of an object whose dependents lose their references first. */
export const ORPHAN_FINALIZER = 'orphan';

/** The work that the graph requests. The calls come within a change, so they must not change the graph. */
export interface GraphWork {
  /** Look whether the object has to go. */
  attemptToDelete(node: GraphNode): void;
  /** The object is being deleted, and its dependents have to be set free. */
  attemptToOrphan(node: GraphNode): void;
  /** The owner that the node names by this uid is in another namespace. */
  wrongNamespace(node: GraphNode, owner: OwnerReference): void;
}

/** The type of an object, which its metadata do not have. */
export interface ObjectKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * The graph of owners and dependents, by the events of informers. Each call is one step without a wait.
 *
 * A reference to an object that no informer has reported makes a node that is not observed: the owner may come, or may not exist.
 * `attemptToDelete` has to find that out, and then calls `absent`. There is one node for each object and for each uid that a reference
 * names, so the graph is never larger than the objects with their references.
 * @see kubernetes pkg/controller/garbagecollector/graph_builder.go @ v1.36.3
 */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #absent: AbsentOwners;
  readonly #work: GraphWork;

  constructor(absent: AbsentOwners, work: GraphWork) {
    this.#absent = absent;
    this.#work = work;
  }

  get size(): number {
    return this.#nodes.size;
  }

  node(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** An object exists, in this state. `before` is the state that was reported last, if any. */
  present(type: ObjectKind, metadata: ObjectMeta, before: ObjectMeta | undefined): void {
    const identity = identityOf(type, metadata);
    const known = this.#nodes.get(identity.uid);
    const owners = metadata.ownerReferences ?? [];
    const isBeingDeleted = metadata.deletionTimestamp !== undefined;
    const node = known ?? new GraphNode(identity, true);
    if (known === undefined) {
      node.owners = owners;
      this.#nodes.set(identity.uid, node);
      this.#addToOwners(node, owners);
    } else {
      this.#observe(known, identity);
      this.#changeOwners(known, owners);
    }
    if (isBeingDeleted) node.beingDeleted = true;
    this.#follow(node, metadata, before);
  }

  /** An object was deleted. */
  gone(type: ObjectKind, metadata: ObjectMeta): void {
    const identity = identityOf(type, metadata);
    const node = this.#nodes.get(identity.uid);
    if (node === undefined) return;
    this.#observe(node, identity);
    this.#remove(node, identity);
  }

  /**
   * The resource of an object is not served any more, so that its deletion may not have been reported. Nothing says that it does not
   * exist: as long as others name it as their owner, it is looked at like an owner that was never reported.
   */
  unserved({ uid = '' }: ObjectMeta): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#removeFromOwners(node, node.owners);
    for (const owner of node.owners) {
      const waiting = this.#nodes.get(owner.uid);
      if (waiting?.deletingDependents === true) this.#work.attemptToDelete(waiting);
    }
    node.owners = [];
    if (node.dependents.size === 0) {
      this.#nodes.delete(uid);
      return;
    }
    node.observed = false;
    this.#work.attemptToDelete(node);
  }

  /**
   * A live read has found that there is no object with this identity. Other dependents may name the uid with other coordinates; the node
   * then takes the next of these. Returns whether it did, so that they have to be looked at too.
   */
  absent(identity: ObjectIdentity): boolean {
    const node = this.#nodes.get(identity.uid);
    if (node === undefined) return false;
    if (node.observed && isSameIdentity(node.identity, identity)) {
      this.#remove(node, identity);
      return false;
    }
    const { matching, others } = partition(node.dependents, identity);
    if (!node.observed && others.length === 0) {
      this.#remove(node, identity);
      return false;
    }
    if (matching.length > 0) {
      this.#absent.add(identity);
      for (const dependent of matching) this.#work.attemptToDelete(dependent);
    }
    if (node.observed || !isSameIdentity(node.identity, identity)) return false;
    const next = nextIdentity(others, identity);
    if (next === undefined) return false;
    node.identity = next;
    return true;
  }

  /** An informer has reported the object, so its coordinates are known. */
  #observe(node: GraphNode, identity: ObjectIdentity): void {
    if (node.observed) return;
    node.observed = true;
    if (isSameIdentity(node.identity, identity)) return;
    for (const dependent of partition(node.dependents, identity).others) {
      if (identity.namespace !== '' && dependent.identity.namespace !== identity.namespace) {
        this.#reportNamespace(dependent, identity.uid);
      }
      this.#work.attemptToDelete(dependent);
    }
    node.identity = identity;
  }

  #changeOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    const { added, removed, unblocked }: ReferenceChanges = referenceChanges(node.owners, owners);
    node.owners = owners;
    for (const { uid } of unblocked) {
      const owner = this.#nodes.get(uid);
      if (owner !== undefined) this.#work.attemptToDelete(owner);
    }
    this.#addToOwners(node, added);
    this.#removeFromOwners(node, removed);
  }

  /** Starts the treatment of the dependents when a deletion with a policy has begun. */
  #follow(node: GraphNode, metadata: ObjectMeta, before: ObjectMeta | undefined): void {
    if (begins(ORPHAN_FINALIZER, metadata, before)) {
      this.#work.attemptToOrphan(node);
      return;
    }
    if (!begins(FOREGROUND_FINALIZER, metadata, before)) return;
    node.deletingDependents = true;
    for (const dependent of node.dependents) this.#work.attemptToDelete(dependent);
    this.#work.attemptToDelete(node);
  }

  #addToOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    let mayBeInvalid = false;
    for (const reference of owners) {
      const known = this.#nodes.get(reference.uid);
      const owner =
        known ?? new GraphNode(ownerIdentity(reference, node.identity.namespace), false);
      owner.dependents.add(node);
      if (known === undefined) {
        this.#nodes.set(reference.uid, owner);
        this.#work.attemptToDelete(owner);
      } else if (!mayBeInvalid) {
        mayBeInvalid = this.#mayBeInvalid(node, reference, owner);
      }
    }
    if (mayBeInvalid) this.#work.attemptToDelete(node);
  }

  /** Whether the reference may name an object that does not exist, although there is one of its uid. */
  #mayBeInvalid(
    node: GraphNode,
    reference: OwnerReference,
    { identity, observed }: GraphNode,
  ): boolean {
    const isElsewhere = identity.namespace !== node.identity.namespace;
    if (identity.namespace !== '' && isElsewhere) {
      if (observed) this.#work.wrongNamespace(node, reference);
      return true;
    }
    return !refersTo(reference, identity) || (isElsewhere && !observed);
  }

  #reportNamespace(node: GraphNode, uid: string): void {
    const reference = node.owners.find((owner) => owner.uid === uid);
    if (reference !== undefined) this.#work.wrongNamespace(node, reference);
  }

  #removeFromOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) {
      const owner = this.#nodes.get(uid);
      if (owner === undefined) continue;
      owner.dependents.delete(node);
      // Nothing would remove it later: no informer reports it, and no reference names it any more.
      if (!owner.observed && owner.dependents.size === 0) this.#nodes.delete(uid);
    }
  }

  #remove(node: GraphNode, identity: ObjectIdentity): void {
    this.#nodes.delete(node.identity.uid);
    this.#removeFromOwners(node, node.owners);
    if (node.dependents.size > 0) this.#absent.add(identity);
    for (const dependent of node.dependents) this.#work.attemptToDelete(dependent);
    for (const { uid } of node.owners) {
      const owner = this.#nodes.get(uid);
      if (owner?.deletingDependents === true) this.#work.attemptToDelete(owner);
    }
  }
}

function identityOf(
  { apiVersion, kind }: ObjectKind,
  { name = '', uid = '', namespace = '' }: ObjectMeta,
): ObjectIdentity {
  return { apiVersion, kind, name, uid, namespace };
}

/** Whether an object is being deleted with this finalizer, and was not before. */
function begins(finalizer: string, metadata: ObjectMeta, before: ObjectMeta | undefined): boolean {
  const waits = (one: ObjectMeta): boolean =>
    one.deletionTimestamp !== undefined && (one.finalizers ?? []).includes(finalizer);
  return waits(metadata) && (before === undefined || !waits(before));
}

/** The dependents that name the owner with these coordinates, and those that name its uid with others. */
function partition(
  dependents: Iterable<GraphNode>,
  owner: ObjectIdentity,
): { readonly matching: GraphNode[]; readonly others: GraphNode[] } {
  const matching: GraphNode[] = [];
  const others: GraphNode[] = [];
  for (const dependent of dependents) {
    const references = dependent.owners.filter(({ uid }) => uid === owner.uid);
    const isElsewhere = owner.namespace !== '' && owner.namespace !== dependent.identity.namespace;
    if (!isElsewhere && references.some((one) => refersTo(one, owner))) matching.push(dependent);
    if (isElsewhere || references.some((one) => !refersTo(one, owner))) others.push(dependent);
  }
  return { matching, others };
}

/** The coordinates to try after those that do not exist: the next ones in order, so that each has its turn. */
function nextIdentity(
  dependents: readonly GraphNode[],
  absent: ObjectIdentity,
): ObjectIdentity | undefined {
  const candidates = new Map<string, ObjectIdentity>();
  for (const { owners, identity } of dependents) {
    for (const reference of owners) {
      if (reference.uid !== absent.uid) continue;
      const isClusterWide = absent.namespace === '';
      const named = ownerIdentity(reference, identity.namespace);
      const isSameKind = named.apiVersion === absent.apiVersion && named.kind === absent.kind;
      const candidate = isClusterWide && isSameKind ? { ...named, namespace: '' } : named;
      candidates.set(identityKey(candidate), candidate);
    }
  }
  candidates.delete(identityKey(absent));
  const ordered = [...candidates.values()].toSorted(compareIdentities);
  return ordered.find((one) => compareIdentities(absent, one) < 0) ?? ordered[0];
}
