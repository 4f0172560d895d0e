import { deriveAbort, onAbort } from '../../kernel/time/abort.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import { sleep } from '../../kernel/time/wait.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Lease } from '../../types/built-in/coordination-v1-kinds.ts';
import type { ElectionReport } from './election-report.ts';
import type { HeldLease } from './held-lease.ts';
import type { LeaseClock } from './lease-clock.ts';
import type { LeaseLock } from './lease-lock.ts';
import { INSTANCE_ANNOTATION, preferredHolderOf, recordOf } from './lease-record.ts';
import type { ElectionTimes } from './leader-election-options.ts';
import { preemptorOf } from './preemption.ts';

export interface LeaseRenewalOptions {
  readonly lock: LeaseLock;
  readonly held: HeldLease;
  /** As it was stored when it was won. */
  readonly lease: Stored<Lease>;
  readonly times: ElectionTimes;
  readonly clock: LeaseClock;
  readonly report: ElectionReport;
  readonly runtime: Runtime;
  /** Another replica asks for the lease. Left out: it is not given away. */
  readonly onAsked?: ((identity: string) => void) | undefined;
  /** A coordinator prefers another holder. */
  readonly onPreferred?: ((by: string) => void) | undefined;
}

/** A timer of less could fire at the same moment again and again. */
const SHORTEST_MS = 1;

/** Renews a lease until it is stopped or the lease is lost. */
export class LeaseRenewal {
  readonly #options: LeaseRenewalOptions;
  readonly #stop = deriveAbort();
  #lease: Stored<Lease>;
  #expiry: Timer | undefined;
  #running: Promise<void> | undefined;

  constructor(options: LeaseRenewalOptions) {
    this.#options = options;
    this.#lease = options.lease;
  }

  start(): void {
    onAbort(this.#options.held.lost, () => {
      this.#stop.abort();
    });
    this.#awaitExpiry();
    this.#running = this.#run(this.#stop.signal);
  }

  /** Resolves to the Lease as it was stored last, when no request is under way. */
  async stop(): Promise<Stored<Lease>> {
    this.#stop.abort();
    this.#expiry?.cancel();
    await this.#running;
    return this.#lease;
  }

  /** Never rejects. */
  async #run(signal: AbortSignal): Promise<void> {
    const { runtime, times, report } = this.#options;
    while (!signal.aborted) {
      try {
        await sleep(runtime, times.retryMs, { signal });
        await this.#renew(signal);
        report.succeeded();
      } catch (error) {
        if (signal.aborted) return;
        report.request('renew', 'error');
        report.failed(error);
      }
    }
  }

  /** The lease may have been written by another program that did not take it: then it is renewed from its new state. */
  async #renew(signal: AbortSignal): Promise<void> {
    const { lock, held, times, clock, report } = this.#options;
    while (!signal.aborted) {
      const sent = clock.now();
      const call = { timeoutMs: Math.max(1, Math.min(times.requestMs, held.leftMs)), signal };
      const renewed = await lock.renew(this.#lease, call);
      if (renewed !== undefined) {
        held.renewed(sent);
        this.#lease = renewed;
        report.request('renew', 'ok');
        return;
      }
      report.request('renew', 'conflict');
      const found = await lock.read(call);
      if (found === undefined) {
        return held.lose('it was deleted; do not delete the Lease of a running program');
      }
      const why = this.#takenBy(found);
      if (why !== undefined) return held.lose(why);
      this.#lease = found;
      const preemptor = preemptorOf(found);
      if (preemptor !== undefined) this.#options.onAsked?.(preemptor);
      const preferred = preferredHolderOf(found, held.identity);
      if (preferred !== '') this.#options.onPreferred?.(preferred);
    }
  }

  /** Why a Lease is not that of this holder any more. */
  #takenBy(found: Stored<Lease>): string | undefined {
    const { held, times } = this.#options;
    const { uid, holder, epoch, instance } = recordOf(found, times.leaseDurationMs);
    if (uid !== held.uid) return 'it was deleted, and created again by another replica';
    if (holder !== held.identity) {
      return holder === '' ? 'another program has given it back' : `${holder} holds it`;
    }
    if (epoch !== held.epoch)
      return `it went from epoch ${held.epoch} to ${epoch}: it was restored or edited, or another process has the same identity`;
    if (instance !== this.#options.lease.metadata.annotations?.[INSTANCE_ANNOTATION]) {
      return 'another process has the same identity; give each replica one of its own';
    }
    return undefined;
  }

  #awaitExpiry(): void {
    const { runtime, held } = this.#options;
    this.#expiry = runtime.setTimer(Math.max(SHORTEST_MS, held.leftMs), () => {
      try {
        held.check();
        // It was renewed since, or the clocks differ by a part of a millisecond.
        this.#awaitExpiry();
      } catch {
        // The lease has ended, and notifies its listeners.
      }
    });
  }
}
