import type { Client } from '../../client/rest/client.ts';
import { requireClient } from '../../kernel/options/require-client.ts';
import type { WriteFence } from '../../client/transport/contract/write-fence.ts';
import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import { guardedLogger } from '../../kernel/report/guarded-logger.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { silentMetrics } from '../../kernel/report/metrics.ts';
import { abortable, onAbort } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen, withDeadline } from '../../kernel/time/wait.ts';
import { LeaseClock, type Moment } from '../election/lease-clock.ts';
import { leasesOf } from '../election/lease-lock.ts';
import { LeaseWatch } from '../election/lease-watch.ts';
import type { ShareWorker } from './contract/work-share.ts';
import { HeldSlots } from './held-slots.ts';
import { MemberLease } from './member-lease.ts';
import { SlotAssignment } from './rendezvous.ts';
import { ShardGroup, type GroupState, type StoredTable } from './shard-group.ts';
import { ShardLease } from './shard-lease.ts';
import { shardingMetrics } from './sharding-metrics.ts';
import {
  resolveSharding,
  type ShardingTimes,
  type ShardMemberOptions,
} from './sharding-options.ts';
import type { SlotOwners } from './slot-table.ts';
import { TableHistory } from './table-history.ts';

/**
 * The state of a member at one moment.
 *
 * @experimental
 */
export interface ShardingInspection {
  /** Names this replica in the table; it changes when it has lost its lease. Undefined: it has not joined. */
  readonly member: string | undefined;
  /** How many of the 256 parts of all keys it works on. */
  readonly slots: number;
  /** Parts that another replica gets as soon as their runs have ended. */
  readonly leaving: number;
  /** The members that it has seen last. */
  readonly members: readonly string[];
  /** Why it cannot work, or why the last look at the group failed; undefined once one has succeeded. */
  readonly failure: string | undefined;
}

/** @experimental */
export interface CloseMemberOptions {
  /** Longest wait for runs, whose signals abort at once, milliseconds. @defaultValue 25 000 */
  readonly timeoutMs?: number | undefined;
}

/** The wanted table. */
interface WantedTable {
  readonly owners: SlotOwners;
  /** Slots that were to leave, and do not. */
  readonly kept: readonly number[];
}

const CLOSE_MS = 25_000;
/** Runs that go on for so long after their signals have aborted are logged. */
const LONG_MS = 30_000;

/**
 * The part of all keys that one of several replicas works on.
 *
 * Each member has a Lease of its own, which it renews. A table in the Lease of the group says which member has which of 256 slots of keys; it
 * changes by compare and swap only. A slot leaves a member in two ways: the member gives it away, when no run of its keys is left; or another
 * one takes it, when the member has no Lease any more. The Lease of another member is taken away when it was not seen to change for as long as
 * it lasts, and only in the state that was seen.
 *
 * Guarantees:
 * - No key is run by two replicas that both hold valid leases by their own clocks. Clocks need not agree; their speeds may differ by the
 *   quotient of `leaseDurationMs` and `renewDeadlineMs`.
 * - Each key has a replica a few seconds after members have come or gone, and at most `leaseDurationMs` and three `retryMs` after one has
 *   crashed; its runs have to end for that. When the member that a key is to go to crashes too, that time begins again.
 * - A member that loses its Lease ends its runs, and joins again under another name.
 *
 * Not guaranteed: that no write of a former member arrives, as with leader election; and the first point for members that start while the
 * Leases of a running group are deleted by hand or its storage is restored. Members that have seen a later table wait.
 *
 * The user needs the verbs `get`, `list`, `watch`, `create`, `update`, `patch` and `delete` for leases of `coordination.k8s.io`.
 *
 * @example
 * const share = new ShardMember(client, { name: 'reports', namespace: 'shop' });
 * const running = share.run({ signal });
 * if (share.has('shop/first')) await writeReport(client.fencedBy(share.fence), 'shop/first');
 * await running;
 * @experimental
 */
export class ShardMember implements AsyncDisposable {
  readonly fence: WriteFence;
  readonly #options: ShardMemberOptions;
  readonly #times: ShardingTimes;
  readonly #what: string;
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #clock: LeaseClock;
  readonly #group: ShardGroup;
  readonly #lease: MemberLease;
  readonly #right: ShardLease;
  readonly #workers = new Set<ShareWorker>();
  readonly #assignment = new SlotAssignment();
  readonly #slots: HeldSlots;
  readonly #history: TableHistory;
  readonly #stop = new AbortController();
  #wake = new Latch('a change of the group');
  #members: readonly string[] = [];
  /** The member whose Lease says that it knows a table. */
  #marked: string | undefined;
  #failure: string | undefined;
  #running: Promise<void> | undefined;
  #left: Promise<void> | undefined;
  /** Since when runs go on whose right has ended. */
  #overdueSince: Moment | undefined;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(client: Client, options: ShardMemberOptions) {
    requireClient('ShardMember', client, 'resource');
    const resolved = resolveSharding(options);
    const { name, namespace = client.namespace, runtime } = resolved;
    this.#times = resolved;
    this.#what = `${namespace}/${name}`;
    this.#options = resolved;
    this.#runtime = runtime;
    this.#logger = guardedLogger(resolved.logger);
    this.#clock = new LeaseClock(runtime);
    const { leaseDurationMs, requestMs, renewDeadlineMs, undisturbedMs } = this.#times;
    this.#history = new TableHistory(this.#clock);
    this.#slots = new HeldSlots({
      workers: this.#workers,
      undisturbedMs,
      onDrained: () => this.#wake.open(),
      runtime,
    });
    this.#group = new ShardGroup({
      leases: leasesOf(client, namespace),
      namespace,
      name,
      leaseDurationMs,
      requestMs,
      clock: this.#clock,
      runtime,
    });
    this.#lease = new MemberLease({
      client,
      namespace,
      name,
      labels: this.#group.labels,
      times: this.#times,
      clock: this.#clock,
      logger: this.#logger,
      runtime,
    });
    const keys = `the keys of ${this.#what}`;
    this.#right = new ShardLease(keys, this.#clock, runtime, renewDeadlineMs);
    this.fence = this.#right;
  }

  get isActive(): boolean {
    return this.#slots.owned > 0 && this.#right.leftMs > 0;
  }

  /** Whether the lease of this replica is valid by its own clock. */
  get isValid(): boolean {
    return this.#right.leftMs > 0;
  }

  has(key: string): boolean {
    return this.#slots.has(key) && this.#right.leftMs > 0;
  }

  /** @internal */
  join(worker: ShareWorker): () => void {
    this.#workers.add(worker);
    return () => {
      this.#workers.delete(worker);
    };
  }

  /**
   * Joins the group, and resolves when it has left: after `close`, or when the signal aborts.
   * @throws {ListwatchError} code LEASE_INVALID: another try does not help, and the member works no more; ALREADY_STARTED.
   */
  async run({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.#running !== undefined || this.#left !== undefined) {
      throw new ListwatchError('ALREADY_STARTED', 'a shard member runs once; make a new one');
    }
    const release = onAbort(signal, () => void this.close());
    this.#running = this.#work(this.#stop.signal);
    try {
      await this.#running;
    } catch (error) {
      this.#right.revoke();
      this.#slots.drop();
      throw error;
    } finally {
      release();
    }
    await this.close();
  }

  /**
   * Ends the runs, gives the keys to the other members, and leaves. When runs go on after the time, keys are not given away: others take them
   * when the Lease has ended. Never rejects. May be called again.
   */
  close({ timeoutMs = CLOSE_MS }: CloseMemberOptions = {}): Promise<void> {
    this.#left ??= this.#close(timeoutMs);
    return this.#left;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * For a health endpoint: throws while runs whose right has ended go on for longer than another Lease lasts, so that the process is restarted.
   * @throws {ListwatchError} code LEADERSHIP_LOST.
   */
  check(): void {
    const since = this.#overdueSince;
    if (since === undefined) return;
    if (this.#clock.atMostMs(since) <= 2 * this.#times.leaseDurationMs) return;
    const text = `the right of this replica to its part of ${this.#what} has ended, and runs still go on; pass their signal on to what they wait for`;
    throw new ListwatchError('LEADERSHIP_LOST', text);
  }

  inspect(): ShardingInspection {
    return {
      member: this.#lease.member,
      slots: this.#right.leftMs > 0 ? this.#slots.owned : 0,
      leaving: this.#slots.leaving,
      members: this.#members,
      failure: this.#failure,
    };
  }

  async #close(timeoutMs: number): Promise<void> {
    const closed = this.#slots.close();
    this.#stop.abort();
    this.#wake.open();
    const describe = (): string => 'runs to end';
    const haveEnded = await withDeadline(this.#runtime, closed, { timeoutMs, describe }).then(
      () => true,
      () => false,
    );
    await this.#running?.catch(() => {});
    await this.#leave(haveEnded);
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { name } = this.#options;
    using _watch = new LeaseWatch({
      leases: this.#group.leases,
      selector: this.#group.selector,
      onChange: ({ metadata, spec }, type) => {
        const isRenewal = type === 'updated' && (spec?.holderIdentity ?? '') !== '';
        if (metadata.name === name || !isRenewal) this.#wake.open();
      },
      runtime: this.#runtime,
      logger: this.#logger,
      what: `the leases of ${this.#what}`,
    });
    while (!signal.aborted) {
      this.#wake = new Latch('a change of the group');
      try {
        await this.#awaitDropped(signal);
        if (signal.aborted) return;
        if (this.#right.held === undefined || this.#right.held.lost.aborted)
          await this.#joinGroup(signal);
        this.#failure = await this.#cycle();
      } catch (error) {
        if (isListwatchError(error, 'LEASE_INVALID')) throw error;
        this.#warn(errorMessage(error));
      }
      this.#report();
      const timeoutMs = this.#times.retryMs * (0.8 + 0.4 * this.#runtime.random());
      const describe = (): string => 'a change of the group';
      await untilOpen(this.#runtime, [this.#wake], { timeoutMs, signal, describe }).catch(() => {});
    }
  }

  /** Reports a failure once, until there is another one or none. */
  #warn(problem: string): string {
    const text = problem.replaceAll(/\s+/g, ' ');
    if (text !== this.#failure)
      this.#logger.warn('sharding failed', { group: this.#what, problem: text });
    this.#failure = text;
    return text;
  }

  /** A member that has lost its Lease comes back as another one: others may have taken its keys. */
  async #joinGroup(signal: AbortSignal): Promise<void> {
    await this.#lease.endRenewal();
    await this.#awaitDropped(signal);
    if (signal.aborted) return;
    // No run of its keys is left.
    await this.#lease.giveBack();
    const held = await this.#lease.make();
    if (held === undefined) return;
    onAbort(held.lost, () => {
      this.#slots.drop();
      this.#wake.open();
      if (this.#stop.signal.aborted) return;
      this.#warn(`${errorMessage(held.lost.reason)}; this replica joins again as another member`);
    });
    this.#right.join(held);
  }

  /** Reads the group, and takes and gives what its members ask for. Returns what keeps it from that; undefined: nothing. */
  async #cycle(): Promise<string | undefined> {
    const me = this.#lease.member;
    const held = this.#right.held;
    if (me === undefined || held === undefined) return this.#failure;
    const state = await this.#group.read(me);
    if (held.leftMs <= 0) return this.#failure;
    const { table } = state;
    if (table === undefined) return await this.#makeTable(state);
    this.#members = state.members;
    if (this.#marked !== me) {
      await this.#group.markMember(me);
      this.#marked = me;
      this.#wake.open();
      return this.#failure;
    }
    const doubt = this.#doubt(table, state.longestMs, me);
    if (doubt !== undefined) {
      this.#right.revoke();
      this.#slots.drop();
      return doubt;
    }
    this.#follow(table.table.owners, me);
    this.#right.confirm(state.sent);
    const next = this.#wanted(state, table.table.owners, me);
    if (next === undefined) return this.#overdue();
    const written = await this.#group.writeTable(table, next.owners);
    this.#wake.open();
    if (written === undefined || held.leftMs <= 0) return this.#failure;
    this.#history.wrote({ uid: table.lease.metadata.uid, table: written });
    this.#slots.keep(next.kept);
    this.#follow(written.owners, me);
    return this.#overdue();
  }

  #overdue(): string | undefined {
    if (this.#slots.overdueMs < LONG_MS) return undefined;
    return this.#warn(
      `runs go on ${LONG_MS / 1000} s after their signals have aborted because their keys are to move, so that no replica begins runs of these keys; pass the signal of runs on to what they wait for`,
    );
  }

  async #makeTable(state: GroupState): Promise<string | undefined> {
    this.#right.revoke();
    this.#slots.drop();
    const wasKnown = this.#history.isKnown;
    const failure = wasKnown
      ? this.#warn(
          `the lease ${this.#what} with the table of slots was deleted: replicas work again in ${state.longestMs / 1000} s, when each has noticed; do not delete it while replicas run`,
        )
      : undefined;
    this.#history.missing();
    await this.#awaitDropped(this.#stop.signal);
    if (this.#stop.signal.aborted) return failure;
    const knewTable = state.knewTable || wasKnown;
    if (await this.#group.createTable({ ...state, knewTable })) this.#wake.open();
    return failure;
  }

  /** Why this member may not work by a table; undefined: it may. */
  #doubt({ lease, table }: StoredTable, waitMs: number, me: string): string | undefined {
    const seconds = waitMs / 1000;
    const read = this.#history.read({ uid: lease.metadata.uid, table }, waitMs);
    if (read === 'back') {
      return this.#warn(
        `the table of slots in the lease ${this.#what} went back to change ${table.change}: its storage was restored, or it was edited; replicas that have noticed work again in ${seconds} s; stop all replicas before such a change`,
      );
    }
    if (read === 'waiting') {
      return (
        this.#failure ??
        `a table of slots in the lease ${this.#what} has been replaced, and replicas wait until each has noticed`
      );
    }
    const taken = this.#slots.taken(table.owners, me);
    if (taken === 0) return undefined;
    this.#wake.open();
    return this.#warn(
      `the lease ${this.#what} gives ${taken} slots of ${me} to others, which this replica has not given away: a person or a program has edited the table or the Lease of ${me}; its runs are cut off; do not edit them while replicas run`,
    );
  }

  #report(): void {
    const { name, metrics = silentMetrics } = this.#options;
    metrics.gauge(shardingMetrics.slots.name, this.inspect().slots, { name });
    metrics.gauge(shardingMetrics.members.name, this.#members.length, { name });
  }

  /** The wanted table, as far as this member may change it; undefined: as it is. */
  #wanted(state: GroupState, owners: SlotOwners, me: string): WantedTable | undefined {
    const leaving: number[] = [];
    const kept: number[] = [];
    let changed = false;
    const assigned = this.#assignment.of(state.members);
    const next = owners.map((owner, slot) => {
      const wanted = assigned[slot];
      const hasEnded = this.#slots.hasEnded(slot);
      if (owner === me && wanted === me) {
        // An earlier write that gave it away may still be under way: it begins again after a later one only, which makes that one void.
        if (hasEnded) kept.push(slot);
        return owner;
      }
      if (owner === me && !hasEnded) {
        if (!this.#slots.isLeaving(slot)) leaving.push(slot);
        return owner;
      }
      const mayTake = wanted === me && (owner === undefined || !state.all.has(owner));
      if (owner !== me && !mayTake) return owner;
      changed = true;
      return wanted;
    });
    this.#slots.drain(leaving);
    return changed || kept.length > 0 ? { owners: next, kept } : undefined;
  }

  #follow(owners: SlotOwners, me: string): void {
    if (!this.#slots.follow(owners, me)) return;
    // The right may be confirmed in this step only.
    this.#runtime.queueTask(() => {
      for (const worker of this.#workers) worker.gained();
    });
  }

  /** Runs from before must have ended when this replica has a right again: others may have taken their keys. */
  async #awaitDropped(signal: AbortSignal): Promise<void> {
    const timer = this.#runtime.setTimer(LONG_MS, () => {
      this.#warn(
        `runs go on ${LONG_MS / 1000} s after the right of this replica to their keys has ended, so that it cannot work again; pass their signal on to what they wait for`,
      );
    });
    this.#overdueSince = this.#clock.now();
    await abortable(this.#slots.dropped(), signal).catch(() => {});
    timer.cancel();
    this.#overdueSince = undefined;
  }

  async #leave(haveEnded: boolean): Promise<void> {
    const me = this.#lease.member;
    const held = this.#right.held;
    await this.#lease.endRenewal();
    if (me === undefined || held === undefined || held.lost.aborted) return;
    const later = `other replicas take them in ${this.#times.leaseDurationMs / 1000} s`;
    if (!haveEnded) {
      const problem = `runs go on; ${later}; pass the signal of runs on to all that they await`;
      this.#logger.warn('keys were not given away', { group: this.#what, member: me, problem });
      return;
    }
    try {
      const timeoutMs = Math.max(0, Math.min(held.leftMs, this.#times.requestMs));
      const describe = (): string => 'the answers about its leases';
      await withDeadline(this.#runtime, this.#group.leave(me), { timeoutMs, describe });
    } catch (error) {
      const problem = `${errorMessage(error)}; ${later}`;
      const about = { group: this.#what, member: me, problem, error };
      this.#logger.warn('keys were not given away', about);
    }
    held.end(new ListwatchError('NOT_LEADING', `${me} has left the group`));
  }
}
