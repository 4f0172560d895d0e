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
  type SlotOwners,
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
  readonly table: StoredTable | undefined;
  /** Members that get slots: those whose Leases are renewed. */
  readonly members: readonly string[];
  /** Members whose Leases are there: they may work on what they have. */
  readonly all: ReadonlySet<string>;
  /** Whether one of them has known a table, so that it may work on keys that an earlier table gave it. */
  readonly knewTable: boolean;
  /** The longest duration of a Lease of the group, milliseconds: after it each member has noticed a change, or may not work. */
  readonly longestMs: number;
}

/** A table, and the Lease that has it. */
export interface StoredTable {
  readonly table: SlotTable;
  readonly lease: Stored<Lease>;
}

/** A member with slots and without a Lease. */
interface Vanished {
  readonly since: Moment;
  /** How long its Lease lasted, milliseconds. */
  readonly durationMs: number;
}

const GROUP_LABEL = 'sharding.listwatch.dev/group';
const KNOWS_TABLE = 'sharding.listwatch.dev/knows-table';
/** Of a write that others have come before: each of the other members may write at the same time. */
const LEAVE_TRIES = 10;

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
  readonly #vanished = new Map<string, Vanished>();
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
   * @throws {ListwatchError} code LEASE_INVALID for a table of another program or version; TIMEOUT.
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
    let longestMs = leaseDurationMs;
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
      longestMs = Math.max(longestMs, record.durationMs);
      if (record.holder !== '' && item.metadata.annotations?.[KNOWS_TABLE] !== undefined)
        knewTable = true;
      if (record.holder === '') {
        all.delete(member);
        retired.push(item);
      } else if (member === me || observed.leftMs > 0) members.push(member);
      else expired.push(item);
    }
    const present = new Set(items.map(({ metadata }) => metadata.name));
    const text = lease?.metadata.annotations?.[TABLE_ANNOTATION];
    const table = lease && { table: decodeTable(text, this.#what), lease };
    if (table !== undefined) this.#missingSince = undefined;
    for (const owner of this.#vanishedOwners(table?.table.owners ?? [], present)) all.add(owner);
    for (const known of [this.#observed, this.#retired]) {
      for (const member of known.keys()) if (!present.has(member)) known.delete(member);
    }
    for (const item of expired) if (await this.#retire(item)) all.delete(item.metadata.name);
    for (const item of retired) await this.#forget(item);
    return { sent, table, members: members.toSorted(), all, knewTable, longestMs };
  }

  /**
   * Makes the table of a group without one: at once when no member has known one; otherwise after the time in which each has noticed that it
   * is gone. False: that time is not over.
   * @throws {ListwatchError} code LEASE_INVALID when another program has a Lease of this name; TIMEOUT.
   */
  async createTable({ knewTable, longestMs }: GroupState): Promise<boolean> {
    const { clock, name, namespace } = this.#options;
    this.#missingSince ??= clock.now();
    if (knewTable && clock.atLeastMs(this.#missingSince) < longestMs) return false;
    const annotations = { [TABLE_ANNOTATION]: encodeTable(EMPTY_TABLE) };
    const metadata = { name, namespace, labels: this.labels, annotations };
    try {
      await this.#limited((signal) => this.leases.create({ metadata, spec: {} }, { signal }));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await this.#requireLabel();
    }
    return true;
  }

  /** A Lease of this name without the label is not found by a read of the group. */
  async #requireLabel(): Promise<void> {
    const { name } = this.#options;
    const lease = await this.#limited((signal) =>
      this.leases.get(name, { signal }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      }),
    );
    if (lease === undefined || lease.metadata.labels?.[GROUP_LABEL] === name) return;
    const holder = lease.spec?.holderIdentity ?? '';
    const whose = holder === '' ? 'it has no holder' : `${holder} holds it`;
    throw new ListwatchError(
      'LEASE_INVALID',
      `the lease ${this.#what} is not one of sharding: it lacks the label ${GROUP_LABEL}, and ${whose}; use another name for the group, or delete the lease when its program does not run`,
    );
  }

  /** Writes into the Lease of a member that it knows a table. It may work on keys after that only, by a table that it reads then. */
  async markMember(me: string): Promise<void> {
    const patch = { metadata: { annotations: { [KNOWS_TABLE]: 'true' } } };
    await this.#limited((signal) => this.leases.patch(me, patch, { type: 'merge', signal }));
  }

  /**
   * Undefined: it has changed meanwhile. When it throws, the write may still arrive; it has no effect after any later one.
   * @throws {ListwatchError} code TIMEOUT.
   */
  async writeTable(
    { lease, table: { change } }: StoredTable,
    owners: SlotOwners,
  ): Promise<SlotTable | undefined> {
    const table = { change: change + 1, owners };
    const annotations = { ...lease.metadata.annotations, [TABLE_ANNOTATION]: encodeTable(table) };
    const metadata = { ...lease.metadata, annotations };
    try {
      await this.#limited((signal) => this.leases.update({ ...lease, metadata }, { signal }));
      return table;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Says that a member works no more: others may take its slots at once. No run of its keys may be left. */
  async release(member: string): Promise<void> {
    const retired = { spec: { holderIdentity: null } };
    try {
      await this.#limited((signal) =>
        this.leases.patch(member, retired, { type: 'merge', signal }),
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /**
   * Gives all slots of a member to the others, and deletes its Lease. No run of its keys may be left. Its Lease says first that it leaves:
   * otherwise another member could give slots back to it.
   */
  async leave(me: string): Promise<void> {
    await this.release(me);
    if (!(await this.#giveAll(me))) return;
    await this.#limited((signal) => this.leases.delete(me, { ignoreNotFound: true, signal }));
  }

  /** False: the slots are still its own. Its Lease has to stay then, because it says that they may be taken. */
  async #giveAll(me: string): Promise<boolean> {
    for (let tries = 0; tries < LEAVE_TRIES; tries += 1) {
      const { table, members } = await this.read(me);
      if (table === undefined || !table.table.owners.includes(me)) return true;
      const others = members.filter((member) => member !== me);
      const owners = table.table.owners.map((owner, slot) =>
        owner === me ? memberOf(slot, others) : owner,
      );
      if ((await this.writeTable(table, owners)) !== undefined) return true;
    }
    return false;
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
   * as their Leases lasted.
   */
  #vanishedOwners(owners: SlotOwners, present: ReadonlySet<string>): string[] {
    const { clock, leaseDurationMs } = this.#options;
    const gone = new Set<string>();
    for (const owner of owners) if (owner !== undefined && !present.has(owner)) gone.add(owner);
    for (const member of this.#vanished.keys())
      if (!gone.has(member)) this.#vanished.delete(member);
    const kept: string[] = [];
    for (const member of gone) {
      const { durationMs = leaseDurationMs } = this.#observed.get(member)?.record ?? {};
      const entry = this.#vanished.get(member) ?? { since: clock.now(), durationMs };
      this.#vanished.set(member, entry);
      if (clock.atLeastMs(entry.since) < entry.durationMs) kept.push(member);
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
      abort.destroy();
    }
  }
}
