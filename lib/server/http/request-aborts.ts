import { deriveAbort, type DerivedAbort } from '../../kernel/time/abort.ts';
import type { ApiRequest } from './api-request.ts';

/** How the time limit of a request ends it. */
export interface RequestAbort {
  /** Aborts with the signal of the request as well. */
  readonly signal: AbortSignal;
  abort(reason: Error): void;
  /** The request has ended. */
  destroy(): void;
}

/** Most that are kept for one signal of callers. */
const MOST_KEPT = 32;

/**
 * The signals of requests with a time limit. A program in the process often passes one signal to all of its requests; what was derived
 * from it and has not aborted serves its later requests, since making a signal takes longer than decoding a small object.
 */
export class RequestAborts {
  readonly #kept = new WeakMap<AbortSignal, DerivedAbort[]>();

  /** The request's own abort function; without one, a derived signal. */
  of({ signal, abort }: Pick<ApiRequest, 'signal' | 'abort'>): RequestAbort {
    if (abort !== undefined) return new OwnAbort(signal, abort);
    const derived = this.#kept.get(signal)?.pop() ?? deriveAbort(signal);
    return new KeptAbort(this, signal, derived);
  }

  /** Takes back what a request has left. */
  keep(parent: AbortSignal, derived: DerivedAbort): void {
    const kept = this.#kept.get(parent);
    if (derived.signal.aborted || (kept?.length ?? 0) >= MOST_KEPT) derived.destroy();
    else if (kept === undefined) this.#kept.set(parent, [derived]);
    else kept.push(derived);
  }
}

class OwnAbort implements RequestAbort {
  readonly signal: AbortSignal;
  readonly abort: (reason: Error) => void;

  constructor(signal: AbortSignal, abort: (reason: Error) => void) {
    this.signal = signal;
    this.abort = abort;
  }

  destroy(): void {}
}

class KeptAbort implements RequestAbort {
  readonly #owner: RequestAborts;
  readonly #parent: AbortSignal;
  readonly #derived: DerivedAbort;

  constructor(owner: RequestAborts, parent: AbortSignal, derived: DerivedAbort) {
    this.#owner = owner;
    this.#parent = parent;
    this.#derived = derived;
  }

  get signal(): AbortSignal {
    return this.#derived.signal;
  }

  abort(reason: Error): void {
    this.#derived.abort(reason);
  }

  destroy(): void {
    this.#owner.keep(this.#parent, this.#derived);
  }
}
