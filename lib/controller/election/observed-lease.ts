import type { Stored } from '../../meta/stored.ts';
import type { Lease } from '../../types/built-in/coordination-v1-kinds.ts';
import type { LeaseClock, Moment } from './lease-clock.ts';
import { recordOf, type LeaseRecord } from './lease-record.ts';

/** The changes that an observation has shown. */
export interface Observed {
  readonly record: LeaseRecord;
  /** It differs from the last one: its holder has renewed it, or it has another one. */
  readonly changed: boolean;
  /** The same Lease was at a later epoch before: its storage was restored, or a person or a program wrote it. */
  readonly wentBack: boolean;
}

/**
 * The Lease of another process, as this process has seen it change. It has expired when this process, by its own clock, has seen no change
 * for as long as the Lease says.
 */
export class ObservedLease {
  readonly #clock: LeaseClock;
  readonly #durationMs: number;
  #record: LeaseRecord | undefined;
  #changedAt: Moment | undefined;

  /** @param durationMs of a Lease that does not say one. */
  constructor(clock: LeaseClock, durationMs: number) {
    this.#clock = clock;
    this.#durationMs = durationMs;
  }

  get record(): LeaseRecord | undefined {
    return this.#record;
  }

  /** Call it after the Lease was received: the time counts from now. */
  observe(lease: Stored<Lease>): Observed {
    const last = this.#record;
    const record = recordOf(lease, this.#durationMs);
    const same = record.uid === last?.uid;
    const changed = !same || record.text !== last?.text;
    this.#record = record;
    if (changed) this.#changedAt = this.#clock.now();
    return { record, changed, wentBack: same && record.epoch < (last?.epoch ?? 0) };
  }

  /** Milliseconds until another process may take it; 0 or less: now. */
  get leftMs(): number {
    const { holder = '', durationMs = 0 } = this.#record ?? {};
    if (holder === '' || this.#changedAt === undefined) return 0;
    return durationMs - this.#clock.atLeastMs(this.#changedAt);
  }
}
