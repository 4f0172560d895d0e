import { ListwatchError } from '../../kernel/errors.ts';

export interface ReconcileFailure {
  /** The loop's name. */
  readonly controller: string;
  /** The key as text. */
  readonly key: string;
  /** Failures of the key in a row, this one included. */
  readonly failures: number;
  /** When the key is tried again; undefined when it is not, until it is added anew. */
  readonly retryInMs: number | undefined;
}

/** A failed reconcile, as the error hook gets it: which key, how often, when it is tried again. `cause` is what was thrown. */
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

/** Thrown by a reconcile that is not to be retried: the object is wrong, and only a change of it can help. */
export class TerminalError extends ListwatchError {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super('RECONCILE_TERMINAL', message, options);
  }
}
