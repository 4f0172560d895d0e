import type { WriteFence } from '../../client/transport/contract/write-fence.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { HeldLease } from '../election/held-lease.ts';
import type { LeaseClock, Moment } from '../election/lease-clock.ts';

/** A signal that never aborts. */
const NEVER = new AbortController().signal;

/**
 * The right of a member to work: its own Lease, and a table that was read lately. A table that was deleted is noticed by each member before
 * another table may take its place.
 */
export class ShardLease implements WriteFence {
  readonly headers = {};
  readonly #what: string;
  readonly #clock: LeaseClock;
  readonly #runtime: Runtime;
  readonly #validityMs: number;
  #held: HeldLease | undefined;
  #readAt: Moment | undefined;

  constructor(what: string, clock: LeaseClock, runtime: Runtime, validityMs: number) {
    this.#what = what;
    this.#clock = clock;
    this.#runtime = runtime;
    this.#validityMs = validityMs;
  }

  get held(): HeldLease | undefined {
    return this.#held;
  }

  join(held: HeldLease): void {
    this.#held = held;
    this.#readAt = undefined;
  }

  /** The table was read by a request that was sent at this moment. */
  confirm(sent: Moment): void {
    this.#readAt = sent;
  }

  /** The table is gone, or cannot be read. */
  revoke(): void {
    this.#readAt = undefined;
  }

  /** For how long this member may work; 0 or less: not now. */
  get leftMs(): number {
    if (this.#held === undefined || this.#readAt === undefined) return 0;
    return Math.min(this.#held.leftMs, this.#validityMs - this.#clock.atMostMs(this.#readAt));
  }

  get validUntilMs(): number {
    return this.#runtime.monotonicMs() + this.leftMs;
  }

  get lost(): AbortSignal {
    return this.#held?.lost ?? NEVER;
  }

  check(): void {
    this.#held?.check();
    if (this.leftMs > 0) return;
    const text = `this replica has no valid part of ${this.#what} at the moment, so that it may not write; another one takes its keys`;
    throw new ListwatchError('NOT_LEADING', text);
  }

  refused(): unknown {
    return this.#held?.refused();
  }
}
