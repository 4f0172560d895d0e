import { timestampOf } from '../rules/duration.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import type { DeleteStrategy } from '../contract/strategy.ts';

/** Finalizers that ask a garbage collector to act. There is none here, so they hold nothing back. */
const COLLECTOR_FINALIZERS: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion']);

const SECOND_MS = 1000;

/** The outcome of a delete request for an object in its present state. */
export interface DeletionPlan {
  /** `remove` it now; `mark` it as being deleted and keep it; `wait`: it is marked already and stays as it is. */
  readonly action: 'remove' | 'mark' | 'wait';
  /** The object as it should be stored when it is marked. */
  readonly object: MutableObject;
}

/** The finalizers that keep the object from going. */
export function blockingFinalizers(strategy: DeleteStrategy, object: MutableObject): string[] {
  const finalizers = strategy.finalizersOf?.(object) ?? object.metadata.finalizers ?? [];
  return finalizers.filter((one) => !COLLECTOR_FINALIZERS.has(one));
}

/**
 * Decides about a deletion. Pure: the storage may ask again, and `existing` is shared.
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
  const graceSeconds = strategy.gracePeriodSeconds?.(object, asked) ?? 0;
  if (graceSeconds === 0 && !kept) return { action: 'remove', object };
  const { metadata } = object;
  metadata.deletionTimestamp = timestampOf(nowMs + graceSeconds * SECOND_MS);
  metadata.deletionGracePeriodSeconds = graceSeconds;
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
  return { action: 'mark', object };
}

/** The object is being deleted already: a further request can shorten the grace period, nothing else. */
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
  if (asked === 0 && !kept) return { action: 'remove', object };
  const dueMs = Date.parse(metadata.deletionTimestamp ?? '') - (graceSeconds - asked) * SECOND_MS;
  metadata.deletionTimestamp = timestampOf(dueMs);
  metadata.deletionGracePeriodSeconds = asked;
  return { action: 'mark', object };
}
