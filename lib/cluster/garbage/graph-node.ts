import type { OwnerReference } from '../../meta/object.ts';
import { identityText, type ObjectIdentity } from './object-identity.ts';

/** An object in the graph of owners. Only `OwnerGraph` changes it. */
export class GraphNode {
  /** Of a node that was not observed: as one of its dependents names it. */
  identity: ObjectIdentity;
  /** Whether an informer has reported the object. Others are known from references only, and may not exist. */
  observed: boolean;
  owners: readonly OwnerReference[] = [];
  beingDeleted: boolean = false;
  /** It is being deleted and waits for its dependents. */
  deletingDependents: boolean = false;
  readonly dependents: Set<GraphNode> = new Set();

  constructor(identity: ObjectIdentity, observed: boolean) {
    this.identity = identity;
    this.observed = observed;
  }

  /** The dependents that an owner waits for that is deleted in the foreground. */
  blockingDependents(): GraphNode[] {
    const { uid } = this.identity;
    return [...this.dependents].filter(({ owners }) =>
      owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
  }

  toString(): string {
    return identityText(this.identity);
  }
}
