import { timestampOf } from '../rules/duration.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import type { DeleteRequest } from '../contract/rest-storage.ts';
import type { DeleteStrategy } from '../contract/strategy.ts';

type PropagationPolicy = NonNullable<DeleteRequest['propagationPolicy']>;

/** The finalizer of a propagation policy, which the garbage collector removes when it has treated the dependents. */
const POLICY_FINALIZERS: Readonly<Record<PropagationPolicy, string>> = {
  Orphan: 'orphan',
  Foreground: 'foregroundDeletion',
  Background: '',
};

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
  return [...(strategy.finalizersOf?.(object) ?? object.metadata.finalizers ?? [])];
}

export interface DeletionWish {
  readonly askedSeconds: number | undefined;
  /** @defaultValue what the finalizers of the object say, else the policy of the kind */
  readonly policy?: PropagationPolicy | undefined;
  readonly nowMs: number;
}

/**
 * Decides about a deletion. Has no side effects: the storage may call it again, and `existing` is shared.
 * @see apiserver pkg/registry/rest/delete.go BeforeDelete @ 24a394e
 */
export function planDeletion(
  strategy: DeleteStrategy,
  existing: MutableObject,
  { askedSeconds, policy, nowMs }: DeletionWish,
): DeletionPlan {
  const object: MutableObject = { ...existing, metadata: { ...existing.metadata } };
  const asked = askedSeconds !== undefined && askedSeconds < 0 ? 1 : askedSeconds;
  if (object.metadata.deletionTimestamp !== undefined) {
    return planAgain(strategy, object, asked, policy);
  }
  strategy.prepareForDelete?.(object, { nowMs });
  setPolicyFinalizer(strategy, object, policy);
  const kept = blockingFinalizers(strategy, object).length > 0;
  const graceful = strategy.gracePeriodSeconds?.(object, asked);
  const graceSeconds = graceful ?? 0;
  if (graceful === undefined && !kept) return { action: 'remove', object };
  const { metadata } = object;
  metadata.deletionTimestamp = timestampOf(nowMs + graceSeconds * SECOND_MS);
  if (strategy.recordsGracePeriod !== false) metadata.deletionGracePeriodSeconds = graceSeconds;
  const counts = strategy.countsDeletion !== false && (metadata.generation ?? 0) > 0;
  if (counts) metadata.generation = (metadata.generation ?? 0) + 1;
  return { action: graceSeconds === 0 && !kept ? 'mark and remove' : 'mark', object };
}

/** For an object whose grace period has ended: another request can only change the policy. */
function planPolicy(
  strategy: DeleteStrategy,
  object: MutableObject,
  policy: PropagationPolicy | undefined,
): DeletionPlan {
  // Finalizers elsewhere than in the metadata know no policy.
  const changed =
    strategy.finalizersOf === undefined && setPolicyFinalizer(strategy, object, policy);
  const kept = blockingFinalizers(strategy, object).length > 0;
  if (changed) return { action: kept ? 'mark' : 'mark and remove', object };
  return { action: kept ? 'wait' : 'remove', object };
}

/** For an object that is being deleted already: another request can shorten the grace period, and change the policy. */
function planAgain(
  strategy: DeleteStrategy,
  object: MutableObject,
  asked: number | undefined,
  policy: PropagationPolicy | undefined,
): DeletionPlan {
  const { metadata } = object;
  const graceSeconds = metadata.deletionGracePeriodSeconds ?? 0;
  if (graceSeconds === 0) return planPolicy(strategy, object, policy);
  if (asked === undefined || asked >= graceSeconds) return { action: 'wait', object };
  setPolicyFinalizer(strategy, object, policy);
  const kept = blockingFinalizers(strategy, object).length > 0;
  const dueMs = Date.parse(metadata.deletionTimestamp ?? '') - (graceSeconds - asked) * SECOND_MS;
  metadata.deletionTimestamp = timestampOf(dueMs);
  metadata.deletionGracePeriodSeconds = asked;
  return { action: asked === 0 && !kept ? 'mark and remove' : 'mark', object };
}

/**
 * Replaces the finalizers of other propagation policies by that of the policy that counts. Kinds without dependents have none.
 * Returns whether the finalizers have changed.
 * @see apiserver pkg/registry/generic/registry/store.go deletionFinalizersForGarbageCollection @ v0.36.3
 */
function setPolicyFinalizer(
  { defaultPropagation }: DeleteStrategy,
  { metadata }: MutableObject,
  asked: PropagationPolicy | undefined,
): boolean {
  const finalizers = metadata.finalizers ?? [];
  const { Orphan, Foreground } = POLICY_FINALIZERS;
  let wanted = '';
  if (defaultPropagation !== 'Unsupported') {
    const present = finalizers.find((one) => one === Orphan || one === Foreground);
    wanted =
      asked === undefined
        ? (present ?? POLICY_FINALIZERS[defaultPropagation ?? 'Background'])
        : POLICY_FINALIZERS[asked];
  }
  const others = finalizers.filter((one) => one !== Orphan && one !== Foreground);
  if (wanted === '' && others.length === finalizers.length) return false;
  if (finalizers.includes(wanted) && others.length === finalizers.length - 1) return false;
  metadata.finalizers = wanted === '' ? others : [...others, wanted];
  if (metadata.finalizers.length === 0) delete metadata.finalizers;
  return true;
}
