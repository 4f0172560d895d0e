import type { LeaseClock, Moment } from '../election/lease-clock.ts';
import type { SlotTable } from './slot-table.ts';

/** The table that a member has read, and where it is kept. */
export interface ReadTable {
  /** Of the Lease: another one has another table. */
  readonly uid: string;
  readonly table: SlotTable;
}

/**
 * The tables that a member has seen. It works by one that goes on from the last one. One that went back in time gives slots to members that
 * have given them away, and others may still work by the later one: so each member that notices stops, and works by the earlier one when
 * all others have noticed too, or may not work for lack of a table.
 */
export class TableHistory {
  readonly #clock: LeaseClock;
  #last: ReadTable | undefined;
  /** Since when there has been none. */
  #missingSince: Moment | undefined;
  #doubtSince: Moment | undefined;

  constructor(clock: LeaseClock) {
    this.#clock = clock;
  }

  /** Whether a table was seen before. */
  get isKnown(): boolean {
    return this.#last !== undefined;
  }

  missing(): void {
    this.#missingSince ??= this.#clock.now();
  }

  /**
   * `good`: this member may work by it; `back`: it went back in time, or another one has taken its place, which is reported once; `waiting`: not
   * yet.
   * @param waitMs after which each other member has noticed
   */
  read(next: ReadTable, waitMs: number): 'good' | 'back' | 'waiting' {
    const last = this.#last;
    this.#last = next;
    const isOther = last !== undefined && last.uid !== next.uid;
    const isBack = last !== undefined && (isOther || next.table.change < last.table.change);
    if (isBack) this.#doubtSince = (isOther ? this.#missingSince : undefined) ?? this.#clock.now();
    const wasMissing = this.#missingSince !== undefined;
    this.#missingSince = undefined;
    if (this.#doubtSince === undefined) return 'good';
    if (this.#clock.atLeastMs(this.#doubtSince) < waitMs)
      return isBack && !wasMissing ? 'back' : 'waiting';
    this.#doubtSince = undefined;
    return 'good';
  }

  /** This member has written it. */
  wrote(next: ReadTable): void {
    this.#last = next;
  }
}
