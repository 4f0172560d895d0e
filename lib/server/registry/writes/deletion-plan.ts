import { timestampOf } from '../rules/duration.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import type { DeleteStrategy } from '../contract/strategy.ts';

/** Finalizers for a garbage collector. There is none here, so they do not keep an object. */
const COLLECTOR_FINALIZERS: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion']);

const SECOND_MS = 1000;

/** The decision about a delete request for an object in its present state. */
export interface DeletionPlan {
  /**
   * `remove` it now; `mark` it as being deleted and keep it; `mark and remove`: a kind with a grace period that has none left is
   * written once more, so that its watchers see the mark; `wait`: it is marked already and does not change.
   */
  readonly action: 'remove' | 'mark' | 'mark and remove' | 'wait';
  /** The object to store when it is marked. */
  readonly object: MutableObject;
}

/** The finalizers that keep the object. */
export function blockingFinalizers(strategy: DeleteStrategy, object: MutableObject): string[] {
  const finalizers = strategy.finalizersOf?.(object) ?? object.metadata.finalizers ?? [];
  return finalizers.filter((one) => !COLLECTOR_FINALIZERS.has(one));
}

/**
 * Decides about a deletion. Has no side effects: the storage may call it again, and `existing` is shared.
 * @see apiserver pkg/registry/rest/delete.go BeforeDelete @ 24a394e
 */
export function planDeletion(
  strategy: DeleteStrategy,
  existing: MutableObject,
  { askedSeconds, nowMs }: { readonly askedSeconds: number | undefined; readonly nowMs: number },
): DeletionPlan {
  const object: MutableObject = { ...existing, metadata: { ...existing.metadata } };
  const asked = askedSeconds !== undefined && askedSeconds < 0 ? 1 : askedSeconds;
  if (object.metadata.deletionTimestamp !== undefined) return planAgain(strategy, object, asked);
  strategy.prepareForDelete?.(object, { nowMs });
  const kept = blockingFinalizers(strategy, object).length > 0;
  const graceful = strategy.gracePeriodSeconds?.(object, asked);
  const graceSeconds = graceful ?? 0;
  if (graceful === undefined && !kept) return { action: 'remove', object };
  const { metadata } = object;
  metadata.deletionTimestamp = timestampOf(nowMs + graceSeconds * SECOND_MS);
  if (strategy.recordsGracePeriod !== false) metadata.deletionGracePeriodSeconds = graceSeconds;
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
  return { action: graceSeconds === 0 && !kept ? 'mark and remove' : 'mark', object };
}

/** For an object that is being deleted already: another request can only shorten the grace period. */
function planAgain(
  strategy: DeleteStrategy,
  object: MutableObject,
  asked: number | undefined,
): DeletionPlan {
  const { metadata } = object;
  const kept = blockingFinalizers(strategy, object).length > 0;
  const graceSeconds = metadata.deletionGracePeriodSeconds ?? 0;
  if (graceSeconds === 0) return { action: kept ? 'wait' : 'remove', object };
  if (asked === undefined || asked >= graceSeconds) return { action: 'wait', object };
  const dueMs = Date.parse(metadata.deletionTimestamp ?? '') - (graceSeconds - asked) * SECOND_MS;
  metadata.deletionTimestamp = timestampOf(dueMs);
  metadata.deletionGracePeriodSeconds = asked;
  return { action: asked === 0 && !kept ? 'mark and remove' : 'mark', object };
}
