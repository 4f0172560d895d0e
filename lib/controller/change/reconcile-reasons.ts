import { LRUCache } from 'lru-cache';

/** Why a key is reconciled. */
export interface ReconcileReason {
  /**
   * `added`, `updated`, `deleted`, `resync`: of `object`. `retry`: the last run failed. `requeue`: the last run asked for it.
   * `enqueued`: the program asked for it. `external`: an external source named the key.
   */
  readonly type:
    | 'added'
    | 'updated'
    | 'deleted'
    | 'resync'
    | 'retry'
    | 'requeue'
    | 'enqueued'
    | 'external';
  /** The resource of the changed object, e.g. `apps/v1/deployments`; undefined without an object. */
  readonly resource: string | undefined;
  /** The key of the changed object. */
  readonly object: string | undefined;
  /** The version of the changed object. */
  readonly resourceVersion: string | undefined;
  /**
   * Which mapping led from the change to this key: `own`: the object itself; `owned`: its owner; `watched`: the function of `watches`. Of an
   * external source: its name. Of a retry: the message of the failure.
   */
  readonly via?: string | undefined;
}

/** A reason without an object. */
export function reasonOf(type: ReconcileReason['type'], via?: string): ReconcileReason {
  return { type, resource: undefined, object: undefined, resourceVersion: undefined, via };
}

/** Reasons that are kept of one run; many changes of one object lead to one run. */
const KEPT = 5;
const NO_MORE: readonly undefined[] = Array.from({ length: KEPT - 2 });

/** Keys whose last failure is kept. Without it, a retry is a retry of an unknown failure. */
const FAILED = 1_000;

/** The reasons for which waiting keys are reconciled: the first of each key, and how many more there were. */
export class ReconcileReasons {
  /** A list is made for the second reason of a key; it is as long as it can be, so that it never grows. */
  readonly #waiting = new Map<string, ReconcileReason | (ReconcileReason | undefined)[]>();
  /** Made at the first failure: it reserves room for all. */
  #failures: LRUCache<string, string> | undefined;

  /** Number of keys with a reason. */
  get size(): number {
    return this.#waiting.size;
  }

  add(key: string, reason: ReconcileReason): void {
    const known = this.#waiting.get(key);
    if (known === undefined) this.#waiting.set(key, reason);
    else if (!Array.isArray(known)) this.#waiting.set(key, [known, reason, ...NO_MORE]);
    else if (known[KEPT - 1] === undefined) known[known.indexOf(undefined)] = reason;
  }

  /** The last run of a key has failed; undefined: it has not. */
  ended(key: string, failure: string | undefined): void {
    if (failure === undefined) {
      this.#failures?.delete(key);
      return;
    }
    this.#failures ??= new LRUCache({ max: FAILED });
    this.#failures.set(key, failure);
  }

  /** The reasons of a key whose run begins, the oldest first; at most five. */
  take(key: string, failures: number): readonly ReconcileReason[] {
    const reasons = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (reasons !== undefined) {
      return Array.isArray(reasons) ? reasons.filter((one) => one !== undefined) : [reasons];
    }
    return [failures > 0 ? reasonOf('retry', this.#failures?.get(key)) : reasonOf('requeue')];
  }
}

/** One line: `updated v1/pods shop/web-1 @42 (owned)`. */
export function describeReason({
  type,
  resource,
  object,
  resourceVersion,
  via,
}: ReconcileReason): string {
  const way = via === undefined || via === 'own' ? '' : ` (${via})`;
  if (resource === undefined) return type + way;
  return `${type} ${resource} ${object ?? ''} @${resourceVersion ?? '?'}${way}`;
}
