import type { ReasonWriter } from '../../change/reconcile-reasons.ts';

/** Changes that are kept of one run; with more, the object is reconciled again in any case. */
const KEPT = 64;

/** A change with the priority of the run that it asks for. */
export interface HeldChange {
  readonly reason: ReasonWriter;
  readonly priority: number;
}

/** The changes of an object during a run. */
export interface HeldRun {
  /** Number of relists before the run. */
  readonly relists: number;
  readonly changes: readonly HeldChange[];
}

interface OpenRun extends HeldRun {
  readonly changes: HeldChange[];
}

/**
 * Changes that arrive for an object while it is reconciled. The event of a write often comes before its answer, so only at the end of the
 * run it is known which of these changes the run itself has made. The object could not be reconciled before that anyway.
 */
export class HeldChanges {
  readonly #running = new Map<string, OpenRun>();

  begin(key: string, relists: number): void {
    this.#running.set(key, { relists, changes: [] });
  }

  /** Whether the change is held; otherwise the object is not being reconciled, or too many changes came. */
  hold(key: string, reason: ReasonWriter, priority: number): boolean {
    const run = this.#running.get(key);
    if (run === undefined || run.changes.length === KEPT) return false;
    run.changes.push({ reason, priority });
    return true;
  }

  end(key: string): HeldRun | undefined {
    const run = this.#running.get(key);
    this.#running.delete(key);
    return run;
  }
}
