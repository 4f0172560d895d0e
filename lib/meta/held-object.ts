import type { KubernetesObject } from './object.ts';

/** The finalizers by which an object waits for a garbage collector. */
const COLLECTED: ReadonlySet<string> = new Set(['foregroundDeletion', 'orphan']);

const WHO = 'use startCluster(), which has one, in place of an ApiServer alone';

/**
 * Why an object whose end is awaited is still there, as text behind its place. A test waits in vain for what a controller of the cluster
 * would delete, and an API server alone has no controllers.
 */
export function whyHeld({ kind, metadata = {}, ...rest }: KubernetesObject): string {
  const { deletionTimestamp, finalizers = [], ownerReferences = [] } = metadata;
  if (deletionTimestamp === undefined) {
    const [owner] = ownerReferences;
    if (owner === undefined) return ', and not being deleted';
    return `, and not being deleted; when its owner ${owner.kind} "${owner.name}" is gone, a garbage collector deletes it: ${WHO}`;
  }
  const { spec } = rest as { readonly spec?: { readonly finalizers?: readonly string[] } };
  if (kind === 'Namespace' && spec?.finalizers?.includes('kubernetes') === true) {
    return `, and being deleted: the namespace controller empties it first; ${WHO}`;
  }
  const collected = finalizers.find((one) => COLLECTED.has(one));
  if (collected !== undefined) {
    return `, and being deleted: a garbage collector removes its finalizer ${collected}; ${WHO}`;
  }
  if (finalizers.length === 0) return ', and being deleted';
  return `, and being deleted; its finalizers are ${finalizers.join(', ')}`;
}
