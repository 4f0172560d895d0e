import { ListwatchError } from '../../kernel/failure/errors.ts';

export interface ReconcileFailure {
  /** The loop's name. */
  readonly controller: string;
  /** The key as text. */
  readonly key: string;
  /** Consecutive failures of the key, including this one. */
  readonly failures: number;
  /** Delay until the next try; undefined when the key is not retried until it is added again. */
  readonly retryInMs: number | undefined;
}

/** A failed reconcile as the error hook receives it: the key, its failures, and the next try. `cause` is the error that was thrown. */
export class ReconcileError extends ListwatchError implements ReconcileFailure {
  readonly controller: string;
  readonly key: string;
  readonly failures: number;
  readonly retryInMs: number | undefined;

  constructor(what: string, failure: ReconcileFailure, cause: unknown) {
    super('RECONCILE', `${failure.controller}: ${failure.key}: ${what}`, { cause });
    this.controller = failure.controller;
    this.key = failure.key;
    this.failures = failure.failures;
    this.retryInMs = failure.retryInMs;
  }
}

/** Thrown by a reconcile that must not be retried: the object is wrong, and only a change of the object can help. */
export class TerminalError extends ListwatchError {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super('RECONCILE_TERMINAL', message, options);
  }
}
