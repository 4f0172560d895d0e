/** Why a key is reconciled. */
export interface ReconcileReason {
  /**
   * `added`, `updated`, `deleted`, `resync`: of `object`. `retry`: the last run failed. `requeue`: the last run asked for it.
   * `enqueued`: the program asked for it.
   */
  readonly type: 'added' | 'updated' | 'deleted' | 'resync' | 'retry' | 'requeue' | 'enqueued';
  /** The resource of the changed object, e.g. `apps/v1/deployments`; undefined without an object. */
  readonly resource: string | undefined;
  /** The key of the changed object. */
  readonly object: string | undefined;
  /** The version of the changed object. */
  readonly resourceVersion: string | undefined;
}

/** Reasons that are kept of one run; many changes of one object lead to one run. */
const KEPT = 5;

/** The reasons for which waiting keys are reconciled: the first of each key, and how many more there were. */
export class ReconcileReasons {
  readonly #waiting = new Map<string, ReconcileReason[]>();

  /** Number of keys with a reason. */
  get size(): number {
    return this.#waiting.size;
  }

  add(key: string, reason: ReconcileReason): void {
    const reasons = this.#waiting.get(key);
    if (reasons === undefined) this.#waiting.set(key, [reason]);
    else if (reasons.length < KEPT) reasons.push(reason);
  }

  /** The reasons of a key whose run begins, the oldest first; at most five. */
  take(key: string, failures: number): readonly ReconcileReason[] {
    const reasons = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (reasons !== undefined) return reasons;
    const type = failures > 0 ? 'retry' : 'requeue';
    return [{ type, resource: undefined, object: undefined, resourceVersion: undefined }];
  }
}

/** One line: `updated v1/pods shop/web-1 @42`. */
export function describeReason({
  type,
  resource,
  object,
  resourceVersion,
}: ReconcileReason): string {
  if (resource === undefined) return type;
  return `${type} ${resource} ${object ?? ''} @${resourceVersion ?? '?'}`;
}
