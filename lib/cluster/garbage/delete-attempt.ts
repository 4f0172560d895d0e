import type { OwnerReference } from '../../meta/object.ts';
import type { AbsentOwners } from './absent-owners.ts';
import type { GraphNode } from './graph-node.ts';
import { ownersOf, type LiveObject, type ObjectCalls } from './object-calls.ts';
import { ownerIdentity, type ObjectIdentity } from './object-identity.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, type OwnerGraph } from './owner-graph.ts';

export interface DeleteAttemptParts {
  readonly graph: OwnerGraph;
  readonly absent: AbsentOwners;
  readonly calls: ObjectCalls;
  /** Puts another node into the queue of these attempts. */
  readonly attemptToDelete: (node: GraphNode) => void;
}

/** `again`: nothing is wrong, and the node has to be looked at once more, later. */
export type AttemptResult = 'done' | 'again';

interface OwnersOfObject {
  /** They exist and stay. */
  readonly solid: readonly OwnerReference[];
  /** They do not exist. */
  readonly dangling: readonly OwnerReference[];
  /** They are being deleted, and wait for their dependents. */
  readonly waiting: readonly OwnerReference[];
}

/**
 * Looks whether an object has to go, and deletes it then. The graph only says which objects may be concerned: what is decided here comes
 * from live reads, and each deletion has the uid and the version that were read as its preconditions.
 *
 * | owners | what happens |
 * |---|---|
 * | one that stays | the references to all others are removed, if there are any |
 * | none that stays, one that waits, and the object has dependents | it is deleted in the foreground |
 * | none that stays | it is deleted by the policy of its finalizers, else in the background |
 * | none at all | nothing |
 *
 * @throws what a request throws: the node is tried again with back-off.
 * @see kubernetes pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem @ v1.36.3
 */
export async function attemptToDelete(
  parts: DeleteAttemptParts,
  node: GraphNode,
): Promise<AttemptResult> {
  const { graph, calls } = parts;
  // The node may have left the graph, or its object was reported, while it was in the queue.
  if (!node.observed && graph.node(node.identity.uid) !== node) return 'done';
  const wasObserved = node.observed;
  if (node.beingDeleted && !node.deletingDependents) return 'done';
  const { identity } = node;
  if (isWithoutNeededNamespace(identity, await calls.isNamespaced(identity))) return 'done';
  const latest = await calls.get(identity);
  if (latest === undefined || latest.metadata.uid !== identity.uid) {
    return graph.absent(identity) ? 'again' : 'done';
  }
  if (node.deletingDependents) {
    await finishForeground(parts, node);
    return 'done';
  }
  const references = ownersOf(latest);
  if (references.length > 0) {
    const owners = await classify(parts, identity, references);
    if (owners === undefined) return 'done';
    if (!(await follow(parts, node, latest, owners))) graph.absent(identity);
  }
  return wasObserved || node.observed ? 'done' : 'again';
}

/** An owner with namespaces that an object without one names: it cannot exist. */
function isWithoutNeededNamespace({ namespace }: ObjectIdentity, namespaced: boolean): boolean {
  return namespaced && namespace === '';
}

/** An owner in the foreground waits for the dependents that block it. */
async function finishForeground(
  { calls, attemptToDelete: add }: DeleteAttemptParts,
  node: GraphNode,
): Promise<void> {
  const blocking = node.blockingDependents();
  if (blocking.length === 0) {
    await calls.removeFinalizer(node.identity, FOREGROUND_FINALIZER);
    return;
  }
  for (const dependent of blocking) if (!dependent.deletingDependents) add(dependent);
}

/** Returns false when the object does not exist any more. */
async function follow(
  { calls }: DeleteAttemptParts,
  node: GraphNode,
  latest: LiveObject,
  { solid, dangling, waiting }: OwnersOfObject,
): Promise<boolean> {
  const { identity } = node;
  if (solid.length > 0) {
    const others = [...dangling, ...waiting].map(({ uid }) => uid);
    if (others.length > 0) await calls.removeOwners(identity, others);
    return true;
  }
  if (waiting.length > 0 && node.dependents.size > 0) {
    // A dependent that waits for its own dependents may be an owner of this object: none of a cycle may wait for another.
    if ([...node.dependents].some((one) => one.deletingDependents)) {
      await calls.unblockOwners(identity, node.owners);
      const changed = await calls.get(identity);
      if (changed === undefined) return false;
      return await calls.delete(identity, changed, 'Foreground');
    }
    return await calls.delete(identity, latest, 'Foreground');
  }
  return await calls.delete(identity, latest, policyOf(latest));
}

function policyOf(latest: LiveObject): 'Orphan' | 'Foreground' | 'Background' {
  const finalizers = finalizersOf(latest);
  if (finalizers.includes(ORPHAN_FINALIZER)) return 'Orphan';
  return finalizers.includes(FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}

/** Undefined when an owner is named that cannot exist where it is named: nothing is deleted then. */
async function classify(
  parts: DeleteAttemptParts,
  { namespace }: ObjectIdentity,
  references: readonly OwnerReference[],
): Promise<OwnersOfObject | undefined> {
  const solid: OwnerReference[] = [];
  const dangling: OwnerReference[] = [];
  const waiting: OwnerReference[] = [];
  for (const reference of references) {
    const state = await stateOf(parts, reference, namespace);
    if (state === 'impossible') return undefined;
    ({ solid, dangling, waiting })[state].push(reference);
  }
  return { solid, dangling, waiting };
}

async function stateOf(
  { absent, calls }: DeleteAttemptParts,
  reference: OwnerReference,
  namespace: string,
): Promise<keyof OwnersOfObject | 'impossible'> {
  const near = ownerIdentity(reference, namespace);
  if (absent.has(ownerIdentity(reference, '')) || absent.has(near)) return 'dangling';
  const namespaced = await calls.isNamespaced(reference);
  if (isWithoutNeededNamespace(near, namespaced)) return 'impossible';
  const identity = namespaced ? near : ownerIdentity(reference, '');
  const owner = await calls.get(identity);
  if (owner === undefined || owner.metadata.uid !== reference.uid) {
    absent.add(identity);
    return 'dangling';
  }
  const isDeleted = (owner.metadata as { deletionTimestamp?: unknown }).deletionTimestamp;
  const waits = isDeleted !== undefined && finalizersOf(owner).includes(FOREGROUND_FINALIZER);
  return waits ? 'waiting' : 'solid';
}

function finalizersOf({ metadata }: LiveObject): readonly string[] {
  return (metadata as { readonly finalizers?: readonly string[] }).finalizers ?? [];
}
