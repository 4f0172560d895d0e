import type { ResourceClient } from '../../client/rest/resource-client.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { deriveAbort } from '../../kernel/time/abort.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../meta/failure/failures.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Lease } from '../../types/built-in/coordination-v1-kinds.ts';
import type { LeaseClock, Moment } from '../election/lease-clock.ts';
import { ObservedLease } from '../election/observed-lease.ts';
import { memberOf } from './rendezvous.ts';
import {
  decodeTable,
  EMPTY_TABLE,
  encodeTable,
  TABLE_ANNOTATION,
  type SlotTable,
} from './slot-table.ts';

export interface ShardGroupOptions {
  readonly leases: ResourceClient<Lease>;
  readonly namespace: string;
  readonly name: string;
  readonly leaseDurationMs: number;
  readonly requestMs: number;
  readonly clock: LeaseClock;
  readonly runtime: Runtime;
}

/** A group at one moment. */
export interface GroupState {
  /** When it was asked for. */
  readonly sent: Moment;
  /** Undefined: there is none. */
  readonly table: SlotTable | undefined;
  readonly lease: Stored<Lease> | undefined;
  /** Members that get slots: those whose Leases are renewed. */
  readonly members: readonly string[];
  /** Members whose Leases are there: they may work on what they have. */
  readonly all: ReadonlySet<string>;
  /** Whether one of them has known a table, so that it may work on keys that an earlier table gave it. */
  readonly knewTable: boolean;
}

const GROUP_LABEL = 'sharding.listwatch.dev/group';
const KNOWS_TABLE = 'sharding.listwatch.dev/knows-table';
const LEAVE_TRIES = 5;

/** The Leases of a group: its table, and those of its members. */
export class ShardGroup {
  readonly leases: ResourceClient<Lease>;
  readonly labels: Readonly<Record<string, string>>;
  readonly selector: { readonly labelSelector: string };
  readonly #options: ShardGroupOptions;
  readonly #what: string;
  /** By the names of the Leases that are there. */
  readonly #observed = new Map<string, ObservedLease>();
  /** When a Lease was first seen without a holder. */
  readonly #retired = new Map<string, Moment>();
  /** When the Lease of a member with slots was first seen to be gone. */
  readonly #gone = new Map<string, Moment>();
  /** Since when there has been no table. */
  #missingSince: Moment | undefined;

  constructor(options: ShardGroupOptions) {
    const { leases, namespace, name } = options;
    this.leases = leases;
    this.labels = { [GROUP_LABEL]: name };
    this.selector = { labelSelector: `${GROUP_LABEL}=${name}` };
    this.#options = options;
    this.#what = `${namespace}/${name}`;
  }

  /**
   * Reads all Leases in one request, and takes those away that were not seen to be renewed for as long as they last.
   * @throws {ListwatchError} code LEASE_INVALID for a table of another program.
   */
  async read(me: string): Promise<GroupState> {
    const { clock, name, leaseDurationMs } = this.#options;
    const sent = clock.now();
    const { items } = await this.#limited((signal) =>
      this.leases.list({ ...this.selector, signal }),
    );
    const all = new Set<string>();
    const members: string[] = [];
    let lease: Stored<Lease> | undefined;
    let knewTable = false;
    const expired: Stored<Lease>[] = [];
    const retired: Stored<Lease>[] = [];
    for (const item of items) {
      const member = item.metadata.name;
      if (member === name) {
        lease = item;
        continue;
      }
      all.add(member);
      const observed = this.#observed.get(member) ?? new ObservedLease(clock, leaseDurationMs);
      this.#observed.set(member, observed);
      const { record } = observed.observe(item);
      if (record.holder !== '' && item.metadata.annotations?.[KNOWS_TABLE] !== undefined)
        knewTable = true;
      if (record.holder === '') {
        all.delete(member);
        retired.push(item);
      } else if (member === me || observed.leftMs > 0) members.push(member);
      else expired.push(item);
    }
    for (const member of this.#observed.keys()) {
      if (!items.some(({ metadata }) => metadata.name === member)) this.#observed.delete(member);
    }
    for (const item of expired) if (await this.#retire(item)) all.delete(item.metadata.name);
    for (const item of retired) await this.#forget(item);
    if (lease !== undefined) this.#missingSince = undefined;
    const text = lease?.metadata.annotations?.[TABLE_ANNOTATION];
    const table = lease === undefined ? undefined : decodeTable(text, this.#what);
    const present = new Set(items.map(({ metadata }) => metadata.name));
    for (const owner of this.#vanished(table ?? [], present)) all.add(owner);
    return { sent, table, lease, members: members.toSorted(), all, knewTable };
  }

  /**
   * Makes the table of a group without one: at once when no member has known one; otherwise after the time in which each has noticed that it
   * is gone.
   */
  async createTable({ knewTable }: GroupState): Promise<void> {
    const { clock, name, namespace, leaseDurationMs } = this.#options;
    this.#missingSince ??= clock.now();
    if (knewTable && clock.atLeastMs(this.#missingSince) < leaseDurationMs) return;
    const annotations = { [TABLE_ANNOTATION]: encodeTable(EMPTY_TABLE) };
    const metadata = { name, namespace, labels: this.labels, annotations };
    try {
      await this.#limited((signal) => this.leases.create({ metadata, spec: {} }, { signal }));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** Writes into the Lease of a member that it knows a table. It may work on keys after that only, by a table that it reads then. */
  async markMember(me: string): Promise<void> {
    const patch = { metadata: { annotations: { [KNOWS_TABLE]: 'true' } } };
    await this.#limited((signal) => this.leases.patch(me, patch, { type: 'merge', signal }));
  }

  /** False: it has changed meanwhile. */
  async writeTable({ lease }: Pick<GroupState, 'lease'>, table: SlotTable): Promise<boolean> {
    if (lease === undefined) return false;
    const annotations = { ...lease.metadata.annotations, [TABLE_ANNOTATION]: encodeTable(table) };
    const metadata = { ...lease.metadata, annotations };
    try {
      await this.#limited((signal) => this.leases.update({ ...lease, metadata }, { signal }));
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  /**
   * Gives all slots of a member to the others, and deletes its Lease. No run of its keys may be left. Its Lease says first that it leaves:
   * otherwise another member could give slots back to it.
   */
  async leave(me: string): Promise<void> {
    const retired = { spec: { holderIdentity: null } };
    await this.#limited((signal) => this.leases.patch(me, retired, { type: 'merge', signal }));
    for (let tries = 0; tries < LEAVE_TRIES; tries += 1) {
      const state = await this.read(me);
      if (state.table === undefined) break;
      const others = state.members.filter((member) => member !== me);
      const table = state.table.map((owner, slot) =>
        owner === me ? memberOf(slot, others) : owner,
      );
      if (await this.writeTable(state, table)) break;
    }
    await this.#limited((signal) => this.leases.delete(me, { ignoreNotFound: true, signal }));
  }

  /**
   * Takes the Lease of a member away that does not renew it, only in the state that was seen: a renewal that comes in between keeps it. The
   * Lease stays for a while, so that each other member sees why the slots are free.
   */
  async #retire(lease: Stored<Lease>): Promise<boolean> {
    const { holderIdentity: _, ...spec } = lease.spec ?? {};
    try {
      await this.#limited((signal) => this.leases.update({ ...lease, spec }, { signal }));
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  /** Deletes the Lease of a member that was retired long ago. */
  async #forget({ metadata: { name, uid } }: Stored<Lease>): Promise<void> {
    const { clock, leaseDurationMs } = this.#options;
    const since = this.#retired.get(name) ?? clock.now();
    this.#retired.set(name, since);
    if (clock.atLeastMs(since) < leaseDurationMs) return;
    const preconditions = { uid };
    await this.#limited((signal) =>
      this.leases.delete(name, { preconditions, ignoreNotFound: true, signal }),
    );
    this.#retired.delete(name);
    this.#observed.delete(name);
  }

  /**
   * Members that have slots and no Lease: it was deleted by another program, and they may not know it yet. They count as present for as long
   * as a lease lasts.
   */
  #vanished(table: SlotTable, present: ReadonlySet<string>): string[] {
    const { clock, leaseDurationMs } = this.#options;
    const gone = new Set(table.filter((owner) => owner !== undefined && !present.has(owner)));
    for (const member of this.#gone.keys()) if (!gone.has(member)) this.#gone.delete(member);
    const kept: string[] = [];
    for (const member of gone) {
      if (member === undefined) continue;
      const since = this.#gone.get(member) ?? clock.now();
      this.#gone.set(member, since);
      if (clock.atLeastMs(since) < leaseDurationMs) kept.push(member);
    }
    return kept;
  }

  async #limited<R>(call: (signal: AbortSignal) => Promise<R>): Promise<R> {
    const { runtime, requestMs } = this.#options;
    const abort = deriveAbort();
    const timer = runtime.setTimer(requestMs, () => {
      const text = `no answer about the leases of ${this.#what} within ${requestMs} ms; check that the API server answers`;
      abort.abort(new ListwatchError('TIMEOUT', text));
    });
    try {
      return await call(abort.signal);
    } finally {
      timer.cancel();
      abort.dispose();
    }
  }
}
