import { isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { Latch } from '../../kernel/time/latch.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Lease } from '../../types/built-in/coordination-v1-kinds.ts';
import type { ElectionReport } from './election-report.ts';
import type { LeaseClock, Moment } from './lease-clock.ts';
import type { LeaseLock } from './lease-lock.ts';
import { preferredHolderOf, recordOf, type LeaseRecord } from './lease-record.ts';
import { LeaseWatch } from './lease-watch.ts';
import { JITTER, type ElectionTimes } from './leader-election-options.ts';
import { ObservedLease } from './observed-lease.ts';
import { ObservedPreemption } from './preemption.ts';

export interface CandidacyOptions {
  readonly lock: LeaseLock;
  readonly identity: string;
  readonly instance: string;
  readonly times: ElectionTimes;
  /** Asks the holder for the lease. */
  readonly preempts: boolean;
  /** A coordinator assigns the lease, and no replica takes it. */
  readonly coordinated?: (() => boolean) | undefined;
  readonly clock: LeaseClock;
  readonly report: ElectionReport;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** A lease that was won. */
export interface WonLease {
  readonly lease: Stored<Lease>;
  /** When the request was sent that made this replica its holder. */
  readonly since: Moment;
  /** Until the lease of an earlier holder has ended for sure, which has not given it back; milliseconds. */
  readonly quietMs: number;
}

/** Failures that another try does not heal. */
const FINAL = ['IDENTITY_TAKEN', 'LEASE_INVALID'] as const;

/** Part of the wait after a lease has expired that is random, so that not all candidates write at once, milliseconds. */
const SPREAD_MS = 200;
const RELEASE_TRIES = 3;

/** Looks after a lease until this replica can take it. */
export class Candidacy {
  readonly #options: CandidacyOptions;
  readonly #observed: ObservedLease;
  readonly #preemption: ObservedPreemption;
  /** When a coordinator has assigned the lease, and how long an earlier holder may have gone on from then. */
  #assigned: { readonly at: Moment; readonly quietMs: number } | undefined;
  /** Why this replica may not campaign, found by the watch. */
  #refusal: { readonly error: unknown } | undefined;
  /** Opens when the next look should not wait. */
  #wake = new Latch('a change of the lease');

  constructor(options: CandidacyOptions) {
    this.#options = options;
    const { clock, times } = options;
    this.#observed = new ObservedLease(clock, times.leaseDurationMs);
    this.#preemption = new ObservedPreemption(clock, times.leaseDurationMs);
  }

  /** Undefined: the signal has aborted before. @throws {ListwatchError} code IDENTITY_TAKEN or LEASE_INVALID. */
  async run(signal: AbortSignal | undefined): Promise<WonLease | undefined> {
    const { report } = this.#options;
    using watch = new LazyWatch(() => this.#watch());
    while (!isAborted(signal)) {
      if (this.#refusal !== undefined) throw this.#refusal.error;
      this.#wake = new Latch('a change of the lease');
      try {
        const won = await this.#attempt(signal);
        report.succeeded();
        if (won !== undefined) return won;
        watch.open();
      } catch (error) {
        if (isAborted(signal)) return undefined;
        if (FINAL.some((code) => isListwatchError(error, code))) throw error;
        report.failed(error);
      }
      await this.#rest(signal);
    }
    return undefined;
  }

  /** Gives a lease back. Somebody may have written it in between without taking it. */
  async release(lease: Stored<Lease>): Promise<void> {
    const { lock, times } = this.#options;
    const call = { timeoutMs: times.requestMs };
    let last: Stored<Lease> | undefined = lease;
    for (let tries = 0; tries < RELEASE_TRIES && last !== undefined; tries += 1) {
      if ((await lock.release(last, call)) !== undefined) return;
      const found: Stored<Lease> | undefined = await lock.read(call);
      last = found !== undefined && this.#isOwn(this.#recordOf(found)) ? found : undefined;
    }
  }

  async #attempt(signal: AbortSignal | undefined): Promise<WonLease | undefined> {
    const { lock, times, clock, report, preempts } = this.#options;
    // A write is not cut off by a stop: it would not be known who holds the lease.
    const call = { timeoutMs: times.requestMs };
    const found = await lock.read({ ...call, signal });
    const since = clock.now();
    if (found === undefined) {
      return this.#isCoordinated ? undefined : this.#outcome(await lock.create(call), since);
    }
    const record = this.#observe(found);
    const own = this.#isOwn(record);
    if (this.#isCoordinated) {
      if (!this.#isAssigned(found)) return undefined;
    } else if (!own && this.#observed.leftMs > 0) {
      if (preempts) await this.#askFor(found, record.holder);
      return undefined;
    }
    if (!own && !preempts && this.#leavesFree()) return undefined;
    // An own one was written by a request whose answer was lost: its epoch has not been used.
    const taken = await lock.take(found, own ? record.epoch : record.epoch + 1, call);
    if (taken === undefined) report.request('acquire', 'conflict');
    return this.#outcome(taken, since);
  }

  /** Does not take the lease from a holder that does not answer: it is asked again at the next look. */
  async #askFor(lease: Stored<Lease>, holder: string): Promise<void> {
    const { lock, times, report } = this.#options;
    report.asks(holder);
    await lock.askFor(lease, { timeoutMs: times.requestMs });
  }

  #leavesFree(): boolean {
    const { by } = this.#preemption;
    if (by !== undefined) this.#options.report.leavesTo(by);
    return by !== undefined;
  }

  #outcome(lease: Stored<Lease> | undefined, since: Moment): WonLease | undefined {
    if (lease === undefined) return undefined;
    const { report, clock } = this.#options;
    report.request('acquire', 'ok');
    const { at = since, quietMs = 0 } = this.#assigned ?? {};
    return { lease, since, quietMs: Math.max(0, quietMs - clock.atLeastMs(at)) };
  }

  /** @throws {ListwatchError} code IDENTITY_TAKEN or LEASE_INVALID. */
  #observe(lease: Stored<Lease>): LeaseRecord {
    const { report, identity, lock } = this.#options;
    const before = this.#observed.record;
    const leftBeforeMs = this.#observed.leftMs;
    const { record, changed, wentBack } = this.#observed.observe(lease);
    this.#preemption.observe(lease);
    if (wentBack) report.wentBack(record);
    const isCoordinated = this.#isCoordinated;
    if (isCoordinated && changed) this.#noteAssignment(record, before, leftBeforeMs);
    report.observed(record, this.#isOwn(record) || (isCoordinated && record.holder === identity));
    const { strategy } = lease.spec ?? {};
    if (typeof strategy === 'string' && strategy !== '' && !isCoordinated) {
      const text = `the lease ${lock.what} has the strategy ${strategy}: a coordinator assigns it, and this program would take it away; set option "coordinated", or use another name`;
      throw new ListwatchError('LEASE_INVALID', text);
    }
    const sameHolder =
      before !== undefined && before.uid === record.uid && before.holder === identity;
    // A coordinator writes a Lease that it has assigned again, and keeps the annotation of the last holder.
    if (isCoordinated && before?.instance === record.instance) return record;
    if (changed && sameHolder && record.holder === identity && !this.#isOwn(record)) {
      const text = `another process renews the lease ${lock.what} under the identity ${identity} of this one; give each replica an identity of its own, such as the name of its pod`;
      throw new ListwatchError('IDENTITY_TAKEN', text);
    }
    return record;
  }

  /**
   * A coordinator compares times of the clock of the holder with its own: it may assign a lease that its holder still has. As without a
   * coordinator, this process counts from the last renewal that it has seen.
   */
  #noteAssignment(
    { holder, instance }: LeaseRecord,
    before: LeaseRecord | undefined,
    leftBeforeMs: number,
  ): void {
    const { identity, clock, times } = this.#options;
    if (holder !== identity) this.#assigned = undefined;
    if (holder !== identity || before?.holder === identity) return;
    const wasHeld = instance !== undefined && before?.holder !== '';
    const heldMs = before === undefined ? times.leaseDurationMs : Math.max(0, leftBeforeMs);
    this.#assigned = { at: clock.now(), quietMs: wasHeld ? heldMs : 0 };
  }

  #recordOf(lease: Stored<Lease>): LeaseRecord {
    return recordOf(lease, this.#options.times.leaseDurationMs);
  }

  get #isCoordinated(): boolean {
    return this.#options.coordinated?.() === true;
  }

  /** Whether a coordinator wants this replica to hold it. */
  #isAssigned(lease: Stored<Lease>): boolean {
    const { identity } = this.#options;
    return lease.spec?.holderIdentity === identity && preferredHolderOf(lease, identity) === '';
  }

  #isOwn({ holder, instance }: LeaseRecord): boolean {
    return holder === this.#options.identity && instance === this.#options.instance;
  }

  /** Until the next look: sooner when the lease is given back, or expires. */
  async #rest(signal: AbortSignal | undefined): Promise<void> {
    const { runtime, times } = this.#options;
    const retryMs = times.retryMs * (1 + JITTER * runtime.random());
    const expiresInMs = this.#observed.leftMs + SPREAD_MS * runtime.random();
    const timeoutMs = this.#observed.leftMs > 0 ? Math.min(retryMs, expiresInMs) : retryMs;
    const describe = (): string => 'the lease';
    // The caller looks at the reason that ended the wait.
    await untilOpen(runtime, [this.#wake], { timeoutMs, signal, describe }).catch(() => {});
  }

  #watch(): LeaseWatch {
    const { lock, runtime, logger } = this.#options;
    return new LeaseWatch({
      leases: lock.leases,
      selector: { fieldSelector: `metadata.name=${lock.name}` },
      onChange: (lease, type) => this.#changed(lease, type === 'deleted'),
      runtime,
      logger,
      what: `the lease ${lock.what}`,
    });
  }

  #changed(lease: Stored<Lease>, gone: boolean): void {
    try {
      if (!gone) this.#observe(lease);
    } catch (error) {
      this.#refusal ??= { error };
    }
    const isDue =
      gone || this.#observed.leftMs <= 0 || (this.#isCoordinated && this.#isAssigned(lease));
    if (isDue || this.#refusal !== undefined) this.#wake.open();
  }
}

/** A watch that is opened after the first look, because the first look often wins. */
class LazyWatch implements Disposable {
  readonly #make: () => LeaseWatch;
  #watch: LeaseWatch | undefined;

  constructor(make: () => LeaseWatch) {
    this.#make = make;
  }

  open(): void {
    this.#watch ??= this.#make();
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
