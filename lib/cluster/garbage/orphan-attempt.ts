import { errorMessage } from '../../kernel/failure/errors.ts';
import { internalError } from '../../meta/failure/failures.ts';
import type { GraphNode } from './graph-node.ts';
import type { ObjectCalls } from './object-calls.ts';
import { ORPHAN_FINALIZER } from './owner-graph.ts';

/** Patches at the same time. */
const SIDE_BY_SIDE = 20;

/**
 * Removes the references to an owner from its dependents, and then the finalizer that has kept it for that.
 * @throws an error that names the first dependent that could not be changed; the owner keeps its finalizer then.
 */
export async function orphanDependents(calls: ObjectCalls, owner: GraphNode): Promise<void> {
  const { identity } = owner;
  const dependents = [...owner.dependents].values();
  let failure: { readonly node: GraphNode; readonly error: unknown } | undefined;
  const work = async (): Promise<void> => {
    for (const node of dependents) {
      try {
        await calls.removeOwners(node.identity, [identity.uid]);
      } catch (error) {
        failure ??= { node, error };
      }
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  if (failure !== undefined) {
    const { node, error } = failure;
    throw internalError(
      `${node.toString()} still names ${owner.toString()} as its owner: ${errorMessage(error)}`,
      error,
    );
  }
  await calls.removeFinalizer(identity, ORPHAN_FINALIZER);
}
