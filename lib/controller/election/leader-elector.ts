import type { Client } from '../../client/rest/client.ts';
import { requireClient } from '../../kernel/options/require-client.ts';
import { isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import { guardedLogger } from '../../kernel/report/guarded-logger.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { onAbort } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';
import { randomUuid } from '../../kernel/time/random.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen, withDeadline } from '../../kernel/time/wait.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Lease } from '../../types/built-in/coordination-v1-kinds.ts';
import { Candidacy, type WonLease } from './candidacy.ts';
import { CoordinatedEntry } from './coordinated-entry.ts';
import { ElectionReport } from './election-report.ts';
import { HeldLease } from './held-lease.ts';
import { LeaseClock, type Moment } from './lease-clock.ts';
import { LeaseLock } from './lease-lock.ts';
import { recordOf } from './lease-record.ts';
import { LeaseRenewal } from './lease-renewal.ts';
import {
  resolveElection,
  newIdentity,
  type ElectionTimes,
  type LeaderElectorOptions,
} from './leader-election-options.ts';

/** The argument of the work of a leader. */
export interface LeaderContext {
  /** Needed by writes: `client.fencedBy(lease)`. Writes pass until the work has ended, or the lease is lost. */
  readonly lease: HeldLease;
  /** Aborts when the work has to end: the elector was stopped, or has lost the lease. */
  readonly signal: AbortSignal;
}

export interface RunElectorOptions {
  /** The work of the leader. When it ends by itself, the lease is given back, and `run` resolves. */
  readonly lead: (context: LeaderContext) => Promise<void>;
  /** Stops gracefully: the signal of the work aborts, the lease is renewed until it has ended, and then given back. */
  readonly signal?: AbortSignal | undefined;
}

/** The state of an elector at one moment. */
export interface ElectionInspection {
  /** `draining`: it leads, and the signal of its work has aborted. */
  readonly phase: 'new' | 'standby' | 'leading' | 'draining' | 'stopped';
  readonly identity: string;
  /** The leader, as this replica has seen it last; undefined: no replica, or not known. */
  readonly leader: string | undefined;
  readonly epoch: number | undefined;
  /** While it leads: for how long writes are allowed without another renewal, milliseconds. */
  readonly leftMs: number | undefined;
  /** Why the last request for the lease failed; undefined once one has succeeded. */
  readonly failure: string | undefined;
}

/**
 * Lets one of several replicas do the work, by a Lease.
 *
 * Guarantees:
 * - Clocks need not agree: a replica compares no time of another one with its own. Their speeds may differ by the quotient of
 *   `leaseDurationMs` and `renewDeadlineMs`.
 * - A write through `client.fencedBy(lease)` is not sent when the lease has ended by the local clock, also after the process was stopped
 *   for any time, and has no answer for longer than the lease lasts.
 * - On a stop the work ends first, while the lease is renewed; then it is given back, and a waiting replica takes it at once.
 * - `lead` is called once at most, and never before the lease is held. `run` rejects with LEADERSHIP_LOST when it is lost.
 * - A replica that another one with option `preempt` asks for the lease ends its work as on a stop, gives it back, and
 *   `run` rejects with LEADERSHIP_PREEMPTED.
 * - Each holder has a later epoch than those before it, also after a restart under the same identity.
 *
 * Not guaranteed without `fencing: 'strict'`: that no write of an earlier leader arrives. A process can be stopped between the check and
 * the socket, and a network can deliver late.
 *
 * The user needs the verbs `get`, `create` and `update` for leases of `coordination.k8s.io`; with `watch` and `list`, a replica sees at
 * once that the lease was given back.
 *
 * @example
 * const elector = new LeaderElector(client, { name: 'reports', namespace: 'shop' });
 * await elector.run({ signal, lead: async ({ lease, signal }) => await writeReports(client.fencedBy(lease), signal) });
 */
export class LeaderElector {
  readonly name: string;
  readonly namespace: string;
  readonly identity: string;
  readonly #options: LeaderElectorOptions;
  readonly #times: ElectionTimes;
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #clock: LeaseClock;
  readonly #lock: LeaseLock;
  readonly #candidacy: Candidacy;
  readonly #report: ElectionReport;
  readonly #client: Client;
  /** While a coordinator chooses the leader. */
  #entry: CoordinatedEntry | undefined;
  #phase: ElectionInspection['phase'] = 'new';
  #held: HeldLease | undefined;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(client: Client, options: LeaderElectorOptions) {
    requireClient('LeaderElector', client, 'resource');
    const resolved = resolveElection('LeaderElector', options);
    const { name, namespace = client.namespace, labels, runtime } = resolved;
    this.#client = client;
    this.#times = resolved;
    this.name = name;
    this.namespace = namespace;
    this.identity = resolved.identity ?? newIdentity(runtime, resolved.coordinated !== undefined);
    this.#options = resolved;
    this.#runtime = runtime;
    this.#logger = guardedLogger(resolved.logger);
    this.#clock = new LeaseClock(runtime);
    const { identity } = this;
    const instance = randomUuid(runtime);
    const { leaseDurationMs } = this.#times;
    this.#lock = new LeaseLock({
      client,
      namespace,
      name,
      identity,
      instance,
      leaseDurationMs,
      labels,
      runtime,
    });
    this.#report = new ElectionReport({
      namespace,
      name,
      identity,
      logger: this.#logger,
      metrics: resolved.metrics,
      onLeader: resolved.onLeader,
    });
    this.#candidacy = new Candidacy({
      lock: this.#lock,
      identity,
      instance,
      times: this.#times,
      preempts: resolved.preempt,
      coordinated: () => this.#entry !== undefined,
      clock: this.#clock,
      report: this.#report,
      runtime,
      logger: this.#logger,
    });
  }

  /** Whether this replica holds the lease at this moment. */
  get leads(): boolean {
    return this.#held !== undefined && this.#held.leftMs > 0;
  }

  /**
   * Waits until this replica is the leader, does the work, and gives the lease back.
   * @throws {ListwatchError} code LEADERSHIP_LOST; LEADERSHIP_PREEMPTED when another replica has asked for it, once the work has
   * ended; IDENTITY_TAKEN when another process renews the lease under this identity; LEASE_INVALID
   * for a Lease that a coordinator assigns, without option `coordinated`; FENCING_UNSUPPORTED; TIMEOUT when the work does not end; ALREADY_STARTED. What `lead` throws.
   */
  async run({ lead, signal }: RunElectorOptions): Promise<void> {
    if (this.#phase !== 'new') {
      const text = `the elector of ${this.namespace}/${this.name} runs once; make a new one`;
      throw new ListwatchError('ALREADY_STARTED', text);
    }
    this.#phase = 'standby';
    try {
      this.#entry = await this.#enter(signal);
      const won = await this.#candidacy.run(signal);
      if (won !== undefined) await this.#leadWith(won, lead, signal);
    } finally {
      await this.#entry?.leave();
      this.#phase = 'stopped';
      this.#report.stopped();
    }
  }

  /**
   * For a health endpoint: throws while the work of a lost lease goes on for longer than the lease lasts, so that the process is restarted.
   * @throws {ListwatchError} code LEADERSHIP_LOST.
   */
  check(): void {
    const held = this.#held;
    if (held === undefined || this.#phase === 'stopped') return;
    const { leaseDurationMs, renewDeadlineMs } = this.#times;
    if (held.overdueMs <= leaseDurationMs - renewDeadlineMs + leaseDurationMs) return;
    const text = `the lease ${this.namespace}/${this.name} has ended, and the work of the leader still goes on; pass its signal on to what it waits for`;
    throw new ListwatchError('LEADERSHIP_LOST', text);
  }

  inspect(): ElectionInspection {
    const { leader, epoch, failure } = this.#report;
    const leads = this.#phase === 'leading' || this.#phase === 'draining';
    const leftMs = leads ? Math.max(0, this.#held?.leftMs ?? 0) : undefined;
    return { phase: this.#phase, identity: this.identity, leader, epoch, leftMs, failure };
  }

  async #enter(signal: AbortSignal | undefined): Promise<CoordinatedEntry | undefined> {
    const { coordinated: versions } = this.#options;
    if (versions === undefined) return undefined;
    const { namespace, name, identity } = this;
    const { retryMs, requestMs } = this.#times;
    const parts = { client: this.#client, report: this.#report, runtime: this.#runtime };
    const about = { namespace, name, identity, versions, retryMs, requestMs };
    return await CoordinatedEntry.enter({ ...parts, ...about, logger: this.#logger }, signal);
  }

  async #leadWith(
    { lease, since, quietMs }: WonLease,
    lead: RunElectorOptions['lead'],
    stop: AbortSignal | undefined,
  ): Promise<void> {
    const held = this.#hold(lease, since);
    const asked = new AbortController();
    const renewal = new LeaseRenewal({
      lock: this.#lock,
      held,
      lease,
      times: this.#times,
      clock: this.#clock,
      report: this.#report,
      runtime: this.#runtime,
      onAsked:
        this.#options.preempt === true ? undefined : (by) => asked.abort(this.#preempted(by)),
      onPreferred: this.#entry === undefined ? undefined : (by) => asked.abort(this.#replaced(by)),
    });
    renewal.start();
    try {
      if (quietMs > 0) await this.#awaitQuiet(quietMs, [stop, held.lost, asked.signal]);
      if (held.lost.aborted) throw held.lost.reason;
      if (asked.signal.aborted && stop?.aborted !== true) throw asked.signal.reason;
      if (this.#options.fencing === 'strict') await this.#requireFencing(lease, held);
      if (stop?.aborted !== true) await this.#work(held, lead, stop, asked.signal);
    } catch (error) {
      await this.#end(renewal, held, error);
      throw error;
    }
    await this.#end(renewal, held, undefined);
  }

  /** Renews the lease, and does not work yet: an earlier holder may still write. Ends early when one of the signals aborts. */
  async #awaitQuiet(
    timeoutMs: number,
    signals: readonly (AbortSignal | undefined)[],
  ): Promise<void> {
    const ended = new Latch('the end of the lease of the earlier holder');
    const releases = signals.map((signal) => onAbort(signal, () => ended.open()));
    const describe = (): string => ended.name;
    try {
      await untilOpen(this.#runtime, [ended], { timeoutMs, describe });
    } catch (error) {
      // The time is over.
      if (!isListwatchError(error, 'TIMEOUT')) throw error;
    } finally {
      for (const release of releases) release();
    }
  }

  #hold(lease: Stored<Lease>, since: Moment): HeldLease {
    const { namespace, name, identity } = this;
    const { uid, epoch } = recordOf(lease, this.#times.leaseDurationMs);
    const held = new HeldLease({
      namespace,
      name,
      identity,
      uid,
      epoch,
      validityMs: this.#times.renewDeadlineMs,
      since,
      strict: this.#options.fencing === 'strict',
      clock: this.#clock,
      runtime: this.#runtime,
    });
    this.#held = held;
    this.#phase = 'leading';
    this.#report.leads(epoch);
    return held;
  }

  async #requireFencing(lease: Stored<Lease>, held: HeldLease): Promise<void> {
    const { requestMs: timeoutMs } = this.#times;
    if (await this.#lock.isFenced(lease, { timeoutMs, signal: held.lost })) return;
    throw new ListwatchError(
      'FENCING_UNSUPPORTED',
      `the server does not compare the epoch of writes with the lease ${this.namespace}/${this.name}, as fencing: 'strict' asks for; use fencing: 'local', or a server that does`,
    );
  }

  #preempted(by: string): ListwatchError {
    const { identity, namespace, name } = this;
    const text = `${identity} gives the lease ${namespace}/${name} to ${by}, which has option "preempt"; start this program again, so that it waits as a standby`;
    return new ListwatchError('LEADERSHIP_PREEMPTED', text);
  }

  #replaced(by: string): ListwatchError {
    const { identity, namespace, name } = this;
    const text = `${identity} gives the lease ${namespace}/${name} to ${by}, which the coordinator prefers; start this program again, so that it waits as a standby`;
    return new ListwatchError('LEADERSHIP_PREEMPTED', text);
  }

  /** Until the work has ended, after its signal has aborted or by itself. @throws what it throws; LEADERSHIP_LOST; TIMEOUT. */
  async #work(
    held: HeldLease,
    lead: RunElectorOptions['lead'],
    stop: AbortSignal | undefined,
    asked: AbortSignal,
  ): Promise<void> {
    const work = new AbortController();
    const ending = new Latch('the signal of the work of the leader to abort');
    const ended = new Latch('the work of the leader to end');
    const end = (reason: unknown): void => {
      if (this.#phase === 'leading') this.#phase = 'draining';
      work.abort(reason);
      ending.open();
    };
    const releases = [
      onAbort(stop, () => end(stop?.reason)),
      onAbort(held.lost, () => end(held.lost.reason)),
      onAbort(asked, () => end(asked.reason)),
    ];
    let failure: { readonly error: unknown } | undefined;
    void (async () => await lead({ lease: held, signal: work.signal }))()
      .catch((error: unknown) => {
        failure = { error };
      })
      .finally(() => ended.open());
    const { drainTimeoutMs: timeoutMs } = this.#times;
    const describe = (): string =>
      `the work of the leader of ${this.namespace}/${this.name} to end; pass its signal on to what it waits for, or raise drainTimeoutMs`;
    try {
      await untilOpen(this.#runtime, [ended, ending], { describe });
      await untilOpen(this.#runtime, [ended], { timeoutMs, describe });
    } finally {
      for (const release of releases) release();
    }
    // An error of the work because it was cut off is not its own failure.
    if (held.lost.aborted) throw held.lost.reason;
    if (failure !== undefined && failure.error !== work.signal.reason) throw failure.error;
    if (asked.aborted && stop?.aborted !== true) throw asked.reason;
  }

  async #end(renewal: LeaseRenewal, held: HeldLease, error: unknown): Promise<void> {
    // Work that goes on could write under the lease, if it were given back; it ends by itself.
    const workGoesOn = isListwatchError(error, 'TIMEOUT');
    // The coordinator must not choose it again for the lease that it gives back.
    await this.#entry?.leave();
    const lease = await renewal.stop();
    // None is left of a lease that was lost.
    const { leftMs } = held;
    held.end(new ListwatchError('NOT_LEADING', `${this.identity} has given the lease back`));
    if (workGoesOn || leftMs <= 0) return;
    await this.#release(lease, leftMs);
  }

  async #release(lease: Stored<Lease>, leftMs: number): Promise<void> {
    try {
      const work = this.#candidacy.release(lease);
      const timeoutMs = Math.min(leftMs, this.#times.requestMs);
      const describe = (): string => 'the answer to the release';
      await withDeadline(this.#runtime, work, { timeoutMs, describe });
      this.#report.request('release', 'ok');
    } catch (error) {
      this.#report.request('release', 'error');
      const about = { lease: `${this.namespace}/${this.name}`, identity: this.identity };
      const { leaseDurationMs } = this.#times;
      const text = 'lease was not given back; another replica takes it when it has expired';
      this.#logger.warn(text, { ...about, leaseDurationMs, error });
    }
  }
}
