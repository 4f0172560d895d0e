import type { Client } from '../../client/rest/client.ts';
import type { WriteFence } from '../../client/transport/contract/write-fence.ts';
import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import { numberOption } from '../../kernel/options/options.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { guardedLogger } from '../../kernel/report/guarded-logger.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { silentMetrics, type Metrics } from '../../kernel/report/metrics.ts';
import { onAbort } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';
import { randomText, randomUuid } from '../../kernel/time/random.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import { ElectionReport } from '../election/election-report.ts';
import { HeldLease } from '../election/held-lease.ts';
import {
  electionTimes,
  newIdentity,
  type ElectionTimes,
} from '../election/leader-election-options.ts';
import { LeaseClock } from '../election/lease-clock.ts';
import { LeaseLock } from '../election/lease-lock.ts';
import { LeaseRenewal } from '../election/lease-renewal.ts';
import { LeaseWatch } from '../election/lease-watch.ts';
import type { ShareWorker, WorkShare } from '../share/work-share.ts';
import { memberOf, slotOf } from './rendezvous.ts';
import { ShardGroup, type GroupState } from './shard-group.ts';
import { ShardLease } from './shard-lease.ts';
import { shardingMetrics } from './sharding-metrics.ts';
import type { ShardingOptions } from './sharding-options.ts';
import type { SlotTable } from './slot-table.ts';

export interface ShardMemberOptions extends ShardingOptions {
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

/** The state of a member at one moment. */
export interface ShardingInspection {
  /** Names this replica in the table; it changes when it has lost its lease. Undefined: it has not joined. */
  readonly member: string | undefined;
  /** How many of the 256 parts of all keys it works on. */
  readonly slots: number;
  /** Parts that another replica gets as soon as their runs have ended. */
  readonly leaving: number;
  /** The members that it has seen last. */
  readonly members: readonly string[];
  readonly failure: string | undefined;
}

const UNDISTURBED_MS = 10_000;
/** Runs that go on for so long after the end of a lease are told. */
const LONG_MS = 30_000;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * The part of all keys that one of several replicas works on.
 *
 * Each member has a Lease of its own, which it renews. A table in the Lease of the group says which member has which of 256 slots of keys; it
 * changes by compare and swap only. A slot leaves a member in two ways: the member gives it away, when no run of its keys is left; or another
 * one takes it, when the member has no Lease any more. The Lease of another member is taken away when it was not seen to change for as long as
 * it lasts, and only in the state that was seen.
 *
 * Guarantees: no key is run by two replicas that both hold valid leases by their own clocks.
 */
export class ShardMember implements WorkShare {
  readonly fence: WriteFence;
  readonly #options: ShardMemberOptions;
  readonly #client: Client;
  readonly #times: ElectionTimes;
  readonly #undisturbedMs: number;
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #clock: LeaseClock;
  readonly #group: ShardGroup;
  readonly #right: ShardLease;
  readonly #workers = new Set<ShareWorker>();
  /** Slots whose keys may begin. */
  readonly #owned = new Set<number>();
  /** Slots that wait for their last runs; true: they have ended. */
  readonly #leaving = new Map<number, boolean>();
  readonly #stop = new AbortController();
  #wake = new Latch('a change of the group');
  #renewal: LeaseRenewal | undefined;
  #member: string | undefined;
  #members: readonly string[] = [];
  /** The member whose Lease says that it knows a table. */
  #marked: string | undefined;
  #failure: string | undefined;
  #running: Promise<void> | undefined;
  /** Resolves when the runs have ended that a lost right has cut off. */
  #dropped: Promise<unknown> = Promise.resolve();

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(client: Client, options: ShardMemberOptions) {
    const { undisturbedMs, ...election } = options;
    this.#times = electionTimes('sharding', election);
    const { name, namespace = client.namespace, runtime = realRuntime } = options;
    this.#undisturbedMs = numberOption('sharding', 'undisturbedMs', undisturbedMs, UNDISTURBED_MS, {
      min: 0,
    });
    this.#options = options;
    this.#client = client;
    this.#runtime = runtime;
    this.#logger = guardedLogger(options.logger ?? consoleLogger);
    this.#clock = new LeaseClock(runtime);
    const { leaseDurationMs, requestMs, renewDeadlineMs } = this.#times;
    this.#group = new ShardGroup({
      leases: client.resource('coordination.k8s.io/v1', 'leases', { namespace }),
      namespace,
      name,
      leaseDurationMs,
      requestMs,
      clock: this.#clock,
      runtime,
    });
    this.#right = new ShardLease(
      `the keys of ${namespace}/${name}`,
      this.#clock,
      runtime,
      renewDeadlineMs,
    );
    this.fence = this.#right;
  }

  get isActive(): boolean {
    return this.#owned.size > 0 && this.#right.leftMs > 0;
  }

  /** Whether the lease of this replica is valid by its own clock. */
  get isValid(): boolean {
    return this.#right.leftMs > 0;
  }

  has(key: string): boolean {
    return this.#owned.has(slotOf(key)) && this.#right.leftMs > 0;
  }

  join(worker: ShareWorker): () => void {
    this.#workers.add(worker);
    return () => {
      this.#workers.delete(worker);
    };
  }

  /** Joins the group. @param onFailure a failure that another try does not heal */
  start(onFailure: (error: unknown) => void): void {
    this.#running = this.#run(this.#stop.signal).catch(onFailure);
  }

  /** Gives its keys to the other members, and leaves. No run may be left. Never rejects. */
  async end(): Promise<void> {
    this.#owned.clear();
    this.#stop.abort();
    this.#wake.open();
    await this.#running;
    await this.#leave();
  }

  inspect(): ShardingInspection {
    return {
      member: this.#member,
      slots: this.#right.leftMs > 0 ? this.#owned.size : 0,
      leaving: this.#leaving.size,
      members: this.#members,
      failure: this.#failure,
    };
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { namespace = this.#client.namespace, name } = this.#options;
    using _watch = new LeaseWatch({
      leases: this.#group.leases,
      selector: this.#group.selector,
      onChange: ({ metadata, spec }, type) => {
        const isRenewal = type === 'updated' && (spec?.holderIdentity ?? '') !== '';
        if (metadata.name === name || !isRenewal) this.#wake.open();
      },
      runtime: this.#runtime,
      logger: this.#logger,
      what: `the leases of ${namespace}/${name}`,
    });
    while (!signal.aborted) {
      this.#wake = new Latch('a change of the group');
      try {
        await this.#awaitDropped();
        if (this.#right.held === undefined || this.#right.held.lost.aborted)
          await this.#joinGroup();
        await this.#cycle();
        this.#failure = undefined;
      } catch (error) {
        if (isListwatchError(error, 'LEASE_INVALID')) throw error;
        const text = errorMessage(error).replaceAll(/\s+/g, ' ');
        if (text !== this.#failure) this.#logger.warn(`sharding ${namespace}/${name}: ${text}`);
        this.#failure = text;
      }
      const timeoutMs = this.#times.retryMs * (0.8 + 0.4 * this.#runtime.random());
      const describe = (): string => 'a change of the group';
      await untilOpen(this.#runtime, [this.#wake], { timeoutMs, signal, describe }).catch(() => {});
    }
  }

  /** A member that has lost its Lease comes back as another one: others may have taken its keys. */
  async #joinGroup(): Promise<void> {
    await this.#renewal?.stop();
    const { namespace = this.#client.namespace, name } = this.#options;
    const { leaseDurationMs, renewDeadlineMs, requestMs: timeoutMs } = this.#times;
    const member = `${name}-${randomText(this.#runtime, 10, ALPHABET)}`;
    const identity = newIdentity(this.#runtime);
    const instance = randomUuid(this.#runtime);
    const labels = this.#group.labels;
    const common = { namespace, name: member, identity, runtime: this.#runtime };
    const lock = new LeaseLock({
      ...common,
      client: this.#client,
      instance,
      leaseDurationMs,
      labels,
    });
    const since = this.#clock.now();
    const lease = await lock.create({ timeoutMs });
    if (lease === undefined) return;
    const held = new HeldLease({
      ...common,
      uid: lease.metadata.uid,
      epoch: 0,
      validityMs: renewDeadlineMs,
      since,
      strict: false,
      clock: this.#clock,
    });
    const report = new ElectionReport({
      namespace,
      name: member,
      identity,
      logger: this.#logger,
      metrics: silentMetrics,
      onLeader: undefined,
    });
    const parts = { lock, held, lease, times: this.#times, clock: this.#clock, report };
    this.#renewal = new LeaseRenewal({ ...parts, runtime: this.#runtime });
    this.#renewal.start();
    onAbort(held.lost, () => {
      this.#dropAll();
      this.#wake.open();
    });
    this.#member = member;
    this.#right.join(held);
  }

  /** Reads the group, and takes and gives what its members ask for. */
  async #cycle(): Promise<void> {
    const me = this.#member;
    if (me === undefined) return;
    const state = await this.#group.read(me);
    if (state.table === undefined) {
      this.#right.revoke();
      this.#dropAll();
      await this.#awaitDropped();
      await this.#group.createTable(state);
      this.#wake.open();
      return;
    }
    this.#members = state.members;
    this.#report();
    if (this.#marked !== me) {
      await this.#group.markMember(me);
      this.#marked = me;
      this.#wake.open();
      return;
    }
    this.#follow(state.table, me);
    this.#right.confirm(state.sent);
    const next = this.#wanted(state, state.table, me);
    if (next === undefined) return;
    if (await this.#group.writeTable(state, next)) this.#follow(next, me);
    this.#wake.open();
  }

  #report(): void {
    const { name, metrics = silentMetrics } = this.#options;
    metrics.gauge(shardingMetrics.slots.name, this.#owned.size, { name });
    metrics.gauge(shardingMetrics.members.name, this.#members.length, { name });
  }

  /** What the table should be, as far as this member may change it; undefined: as it is. */
  #wanted(state: GroupState, table: SlotTable, me: string): SlotTable | undefined {
    const leaving: number[] = [];
    let changed = false;
    const next = table.map((owner, slot) => {
      const wanted = memberOf(slot, state.members);
      if (owner === me) {
        if (wanted === me) {
          // It was to leave, and its runs have ended: it may begin again.
          if (this.#leaving.get(slot) === true) {
            this.#leaving.delete(slot);
            this.#wake.open();
          }
          return owner;
        }
        if (this.#leaving.get(slot) !== true) {
          leaving.push(slot);
          return owner;
        }
        changed = true;
        return wanted;
      }
      if (wanted !== me || (owner !== undefined && state.all.has(owner))) return owner;
      changed = true;
      return me;
    });
    this.#drain(leaving.filter((slot) => !this.#leaving.has(slot)));
    return changed ? next : undefined;
  }

  /** Works on what the table gives to this member, and on nothing else. */
  #follow(table: SlotTable, me: string): void {
    let gained = false;
    for (const [slot, owner] of table.entries()) {
      if (owner !== me) {
        this.#owned.delete(slot);
        this.#leaving.delete(slot);
      } else if (!this.#owned.has(slot) && !this.#leaving.has(slot) && !this.#stop.signal.aborted) {
        this.#owned.add(slot);
        gained = true;
      }
    }
    if (!gained) return;
    // The right may be confirmed in this step only.
    this.#runtime.queueTask(() => {
      for (const worker of this.#workers) worker.gained();
    });
  }

  /** Each slot by itself: one with a long run does not hold up the others. */
  #drain(slots: readonly number[]): void {
    for (const slot of slots) {
      this.#owned.delete(slot);
      this.#leaving.set(slot, false);
      const covers = (key: string): boolean => slotOf(key) === slot;
      const drains = Array.from(this.#workers, (worker) =>
        worker.drained(covers, this.#undisturbedMs),
      );
      void Promise.all(drains).then(() => {
        if (!this.#leaving.has(slot)) return;
        this.#leaving.set(slot, true);
        this.#wake.open();
      });
    }
  }

  /** The right to all keys has ended: runs that go on are cut off. */
  #dropAll(): void {
    if (this.#owned.size + this.#leaving.size === 0) return;
    this.#owned.clear();
    this.#leaving.clear();
    const drains = Array.from(this.#workers, (worker) => worker.drained(() => true, 0));
    this.#dropped = Promise.all([this.#dropped, ...drains]);
  }

  /** Runs from before must have ended when this replica has a right again: others may have taken their keys. */
  async #awaitDropped(): Promise<void> {
    const { namespace = this.#client.namespace, name } = this.#options;
    const timer = this.#runtime.setTimer(LONG_MS, () => {
      const text = `runs go on ${LONG_MS / 1000} s after the lease of their replica has ended, so that it cannot work again; pass their signal on to what they wait for`;
      this.#logger.warn(`sharding ${namespace}/${name}: ${text}`);
    });
    await this.#dropped;
    timer.cancel();
  }

  async #leave(): Promise<void> {
    const me = this.#member;
    const held = this.#right.held;
    await this.#renewal?.stop();
    if (me === undefined || held === undefined || held.lost.aborted) return;
    try {
      await this.#group.leave(me);
    } catch (error) {
      const seconds = this.#times.leaseDurationMs / 1000;
      this.#logger.warn(
        `${me} could not give its keys away: ${errorMessage(error)}; other replicas take them in ${seconds} s`,
      );
    }
    held.end(new ListwatchError('NOT_LEADING', `${me} has left the group`));
  }
}
