import { RingBuffer } from '../../../kernel/data/ring-buffer.ts';
import type { ReconcileReason } from '../../change/reconcile-reasons.ts';

/** One past run. */
export interface ReconcileRecord {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  /**
   * `done`; `requeue`: it runs again after a time that it named; `gone`: there was no such object; `cleaned`: it is being deleted, and
   * the run has removed the controller's finalizers; `conflict`: a write was refused because the object had changed; `failed`.
   */
  readonly result: 'done' | 'requeue' | 'gone' | 'cleaned' | 'conflict' | 'failed';
  /** The message of the failure. */
  readonly error: string | undefined;
  /** Why it ran, at most five. */
  readonly reasons: readonly ReconcileReason[];
}

/** How many runs have ended in each way since the start. */
export type ReconcileCounts = Readonly<Record<ReconcileRecord['result'], number>>;

type Reasons = readonly ReconcileReason[];

/** The last runs of a controller, and the number of all. */
export class ReconcileHistory {
  readonly #records = new RingBuffer<ReconcileRecord>();
  readonly #limit: number;
  readonly #named: (reasons: Reasons) => Reasons;
  readonly #counts: Record<ReconcileRecord['result'], number> = {
    done: 0,
    requeue: 0,
    gone: 0,
    cleaned: 0,
    conflict: 0,
    failed: 0,
  };

  /** `named`: the reasons, with causes that have become known since. */
  constructor(limit: number, named: (reasons: Reasons) => Reasons = (reasons) => reasons) {
    this.#limit = limit;
    this.#named = named;
  }

  get counts(): ReconcileCounts {
    return { ...this.#counts };
  }

  add(record: ReconcileRecord): void {
    this.#counts[record.result] += 1;
    if (this.#limit === 0) return;
    if (this.#records.size >= this.#limit) this.#records.shift();
    this.#records.push(record);
  }

  /** The oldest first. */
  list(): readonly ReconcileRecord[] {
    return Array.from(this.#records, (record) => {
      const reasons = this.#named(record.reasons);
      return reasons === record.reasons ? record : { ...record, reasons };
    });
  }
}
