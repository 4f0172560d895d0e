import type { WriteFence } from '../../client/transport/contract/write-fence.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { onAbort } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';
import type { HeldLease } from '../election/held-lease.ts';
import type { LeaderElector } from '../election/leader-elector.ts';
import type { ShareWorker, WorkShare } from '../sharding/contract/work-share.ts';

export interface LeadershipHooks {
  /** This replica leads: what has to be ready before controllers begin. */
  readonly onLeading: () => Promise<void>;
  /** The lease is lost, another replica asks for it, or the election has failed. */
  readonly onFailure: (error: unknown) => void;
}

/** A signal that never aborts. */
const NEVER = new AbortController().signal;

/** The share of a replica that may lead: all keys while it does, otherwise none. */
export class Leadership implements WorkShare {
  readonly elector: LeaderElector;
  readonly fence: WriteFence;
  readonly #workers = new Set<ShareWorker>();
  readonly #stop = new AbortController();
  readonly #workEnded = new Latch('the work of the leader to end');
  #held: HeldLease | undefined;
  #isActive = false;
  #workGoesOn = false;
  #running: Promise<void> | undefined;

  constructor(elector: LeaderElector) {
    this.elector = elector;
    this.fence = new LeaderFence(elector, () => this.#held);
  }

  get isActive(): boolean {
    return this.#isActive && this.#held?.lost.aborted !== true;
  }

  has(): boolean {
    return this.#isActive && (this.#held?.leftMs ?? 0) > 0;
  }

  join(worker: ShareWorker): () => void {
    this.#workers.add(worker);
    return () => {
      this.#workers.delete(worker);
    };
  }

  /** Begins to campaign. */
  start({ onLeading, onFailure }: LeadershipHooks): void {
    const lead = async (lease: HeldLease, signal: AbortSignal): Promise<void> => {
      this.#held = lease;
      onAbort(lease.lost, () => {
        if (!this.#stop.signal.aborted) onFailure(lease.lost.reason);
      });
      // Another replica asks for the lease: it is held until the work has ended.
      onAbort(signal, () => {
        if (!this.#stop.signal.aborted && !lease.lost.aborted) onFailure(signal.reason);
      });
      await onLeading();
      if (!signal.aborted) {
        this.#isActive = true;
        for (const worker of this.#workers) worker.gained();
      }
      await this.#workEnded.opened;
      // It could write under a lease that is given back, so the lease ends by itself.
      if (this.#workGoesOn) {
        throw new ListwatchError('TIMEOUT', 'the work of the leader goes on');
      }
    };
    const { signal } = this.#stop;
    this.#running = this.elector
      .run({ signal, lead: async (context) => await lead(context.lease, context.signal) })
      .catch((error: unknown) => {
        if (!signal.aborted) onFailure(error);
      });
  }

  /** The work has ended, and the lease is given back; or some of it goes on, and the lease is left to end by itself. */
  async end(workGoesOn: boolean): Promise<void> {
    this.#workGoesOn = workGoesOn;
    this.#isActive = false;
    this.#stop.abort();
    this.#workEnded.open();
    await this.#running;
  }
}

/** The lease of this replica, while it has one. */
class LeaderFence implements WriteFence {
  readonly #elector: LeaderElector;
  readonly #held: () => HeldLease | undefined;

  constructor(elector: LeaderElector, held: () => HeldLease | undefined) {
    this.#elector = elector;
    this.#held = held;
  }

  check(): void {
    const held = this.#held();
    if (held === undefined) throw this.#notLeading();
    held.check();
  }

  get validUntilMs(): number {
    return this.#held()?.validUntilMs ?? 0;
  }

  get lost(): AbortSignal {
    return this.#held()?.lost ?? NEVER;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#held()?.headers ?? {};
  }

  refused(): unknown {
    return this.#held()?.refused() ?? this.#notLeading();
  }

  #notLeading(): ListwatchError {
    const { identity, namespace, name } = this.#elector;
    const text = `${identity} does not hold the lease ${namespace}/${name}, so that it may not write; write in a reconcile or in a runnable of the leader`;
    return new ListwatchError('NOT_LEADING', text);
  }
}
