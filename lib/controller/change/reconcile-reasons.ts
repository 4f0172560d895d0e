import { NO_NUMBER, type NoteWriter } from '../workqueue/keys/key-note.ts';

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
  /**
   * The run whose write was this change, of a controller of the same client. Undefined: another program, or not known. While a run takes place, an answer that
   * its own event overtakes may be missing; the history has it.
   */
  readonly causedBy?: { readonly controller: string; readonly key: string } | undefined;
}

/** A reason without an object. */
export function reasonOf(type: ReconcileReason['type'], via?: string): ReconcileReason {
  return { type, resource: undefined, object: undefined, resourceVersion: undefined, via };
}

/** Reasons that are kept of one run; many changes of one object lead to one run. */
const KEPT = 5;

/** The first reasons of one run, the latest in front. It never changes, so the controllers of an informer share it. */
export class ReasonChain {
  readonly #reason: ReconcileReason;
  readonly #earlier: ReasonChain | undefined;
  readonly length: number;

  constructor(reason: ReconcileReason, earlier?: ReasonChain) {
    this.#reason = reason;
    this.#earlier = earlier;
    this.length = earlier === undefined ? 1 : earlier.length + 1;
  }

  /** The oldest first, in an array that has no room to grow: histories keep it. */
  list(): readonly ReconcileReason[] {
    if (this.#earlier === undefined) return [this.#reason];
    return this.#earlier.list().concat(this.#reason);
  }
}

/** Adds one reason to the chains of a key in the queues of any number of controllers. */
export class ReasonWriter implements NoteWriter {
  readonly reason: ReconcileReason;
  readonly keyNumber: number;
  /** The last chain that was made. It is not kept by the chain: each one would keep all before it. */
  #chain: ReasonChain | undefined;
  #earlier: ReasonChain | undefined;

  constructor(reason: ReconcileReason, keyNumber: number = NO_NUMBER) {
    this.reason = reason;
    this.keyNumber = keyNumber;
  }

  write(earlier: ReasonChain | undefined): ReasonChain {
    if (this.#chain !== undefined && this.#earlier === earlier) return this.#chain;
    if (earlier?.length === KEPT) return earlier;
    this.#earlier = earlier;
    this.#chain = new ReasonChain(this.reason, earlier);
    return this.#chain;
  }
}

/** One line: `updated v1/pods shop/web-1 @42 (owned), written by sites for shop/web`. */
export function describeReason({
  type,
  resource,
  object,
  resourceVersion,
  via,
  causedBy,
}: ReconcileReason): string {
  const way = via === undefined || via === 'own' ? '' : ` (${via})`;
  if (resource === undefined) return type + way;
  const by = causedBy && `, written by ${causedBy.controller} for ${causedBy.key}`;
  return `${type} ${resource} ${object ?? ''} @${resourceVersion ?? '?'}${way}${by ?? ''}`;
}
