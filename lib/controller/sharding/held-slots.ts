import type { Runtime } from '../../kernel/time/runtime.ts';
import type { ShareWorker } from './contract/work-share.ts';
import { slotOf } from './rendezvous.ts';
import type { SlotOwners } from './slot-table.ts';

export interface HeldSlotsOptions {
  readonly workers: ReadonlySet<ShareWorker>;
  readonly undisturbedMs: number;
  /** A slot that leaves has no run any more. */
  readonly onDrained: () => void;
  readonly runtime: Runtime;
}

/** A slot that waits for its last runs. */
interface Leaving {
  readonly sinceMs: number;
  hasEnded: boolean;
}

/** The slots that a member has: those whose keys may begin, and those that it is to give away. */
export class HeldSlots {
  readonly #options: HeldSlotsOptions;
  readonly #owned = new Set<number>();
  readonly #leaving = new Map<number, Leaving>();
  /** Resolves when the runs have ended that a lost right has cut off. */
  #dropped: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: HeldSlotsOptions) {
    this.#options = options;
  }

  get owned(): number {
    return this.#owned.size;
  }

  get leaving(): number {
    return this.#leaving.size;
  }

  /** Whether runs of the key may begin. */
  has(key: string): boolean {
    return this.#owned.has(slotOf(key));
  }

  isLeaving(slot: number): boolean {
    return this.#leaving.has(slot);
  }

  /** Whether the slot is to leave, and its last run has ended. */
  hasEnded(slot: number): boolean {
    return this.#leaving.get(slot)?.hasEnded === true;
  }

  /** For how long runs have gone on whose signals have aborted, because their slots are to leave, milliseconds. */
  get overdueMs(): number {
    const { undisturbedMs, runtime } = this.#options;
    const running = [...this.#leaving.values()].filter(({ hasEnded }) => !hasEnded);
    const sinceMs = Math.min(...running.map((one) => one.sinceMs));
    return Math.max(0, runtime.monotonicMs() - sinceMs - undisturbedMs);
  }

  /** How many slots a table gives to others while keys of them may run here. A member does not give those away. */
  taken(owners: SlotOwners, me: string): number {
    const isOther = (slot: number): boolean => owners[slot] !== me;
    const running = [...this.#leaving].filter(([slot, { hasEnded }]) => !hasEnded && isOther(slot));
    return running.length + [...this.#owned].filter(isOther).length;
  }

  /** Has what the table gives to this member, and nothing else. Returns whether there is more than before. */
  follow(owners: SlotOwners, me: string): boolean {
    let gained = false;
    for (const [slot, owner] of owners.entries()) {
      if (owner !== me) {
        this.#owned.delete(slot);
        this.#leaving.delete(slot);
      } else if (!this.#owned.has(slot) && !this.#leaving.has(slot) && !this.#isClosed) {
        this.#owned.add(slot);
        gained = true;
      }
    }
    return gained;
  }

  /** No further run of them begins. Each slot by itself: one with a long run does not hold up the others. */
  drain(slots: readonly number[]): void {
    const { workers, undisturbedMs, onDrained, runtime } = this.#options;
    for (const slot of slots) {
      const leaving: Leaving = { sinceMs: runtime.monotonicMs(), hasEnded: false };
      this.#owned.delete(slot);
      this.#leaving.set(slot, leaving);
      const covers = (key: string): boolean => slotOf(key) === slot;
      const drains = Array.from(workers, (worker) => worker.drained(covers, undisturbedMs));
      void Promise.all(drains).then(() => {
        leaving.hasEnded = true;
        onDrained();
      });
    }
  }

  /** They do not leave after all. */
  keep(slots: readonly number[]): void {
    for (const slot of slots) this.#leaving.delete(slot);
  }

  /** The right to all keys has ended: runs that go on are cut off. */
  drop(): void {
    if (this.#owned.size + this.#leaving.size === 0) return;
    this.#dropped = Promise.all([this.#dropped, this.#drainAll()]);
  }

  /** Resolves when no run is left that was cut off. */
  async dropped(): Promise<void> {
    for (let seen: unknown; seen !== this.#dropped; ) {
      seen = this.#dropped;
      await seen;
    }
  }

  /** No run begins any more. Resolves when none is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#dropped, this.#drainAll()]);
  }

  #drainAll(): Promise<unknown> {
    this.#owned.clear();
    this.#leaving.clear();
    const { workers } = this.#options;
    return Promise.all(Array.from(workers, (worker) => worker.drained(() => true, 0)));
  }
}
