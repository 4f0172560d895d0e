import type { WriteFence } from '../../client/transport/contract/write-fence.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { FENCE_HEADER, fenceHeader } from '../../meta/fence-token.ts';
import type { LeaseClock, Moment } from './lease-clock.ts';

export interface HeldLeaseOptions {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly uid: string;
  readonly epoch: number;
  /** How long a renewal counts, from the moment when it was sent. */
  readonly validityMs: number;
  readonly since: Moment;
  /** Whether writes carry the epoch. */
  readonly strict: boolean;
  readonly clock: LeaseClock;
  readonly runtime: Runtime;
}

/**
 * A lease while this process holds it. It is a fence for writes: `client.fencedBy(lease)`.
 *
 * Guarantees: once `check` has thrown, or `lost` has aborted, no write passes any more, also if a renewal is answered later.
 */
export class HeldLease implements WriteFence {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  /** Grows with each holder: a system that remembers the highest one can refuse writes of an earlier holder. */
  readonly epoch: number;
  readonly uid: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #options: HeldLeaseOptions;
  readonly #ended = new AbortController();
  #since: Moment;

  /** Made by `LeaderElector.run`. */
  constructor(options: HeldLeaseOptions) {
    const { namespace, name, identity, uid, epoch, strict } = options;
    this.namespace = namespace;
    this.name = name;
    this.identity = identity;
    this.uid = uid;
    this.epoch = epoch;
    this.headers = strict ? { [FENCE_HEADER]: fenceHeader({ namespace, name, uid, epoch }) } : {};
    this.#options = options;
    this.#since = options.since;
  }

  /** Aborts when the lease is lost or given back, with the reason. */
  get lost(): AbortSignal {
    return this.#ended.signal;
  }

  /** Milliseconds for which writes are allowed, unless it is renewed; 0 or less: none is. */
  get leftMs(): number {
    if (this.#ended.signal.aborted) return 0;
    return this.#options.validityMs - this.#options.clock.atMostMs(this.#since);
  }

  /** For how long the last renewal has counted no more, milliseconds; 0 while it counts. */
  get overdueMs(): number {
    const { clock, validityMs } = this.#options;
    return Math.max(0, clock.atMostMs(this.#since) - validityMs);
  }

  get validUntilMs(): number {
    return this.#options.runtime.monotonicMs() + this.leftMs;
  }

  /** @throws {ListwatchError} code LEADERSHIP_LOST or NOT_LEADING. */
  check(): void {
    if (this.leftMs <= 0) this.end(this.#expired());
    this.#ended.signal.throwIfAborted();
  }

  refused(): unknown {
    this.lose('the server has a later epoch: another replica has taken it');
    return this.#ended.signal.reason;
  }

  /** A renewal that was sent at this moment has succeeded. @throws as `check`: it came too late. @internal */
  renewed(sent: Moment): void {
    this.check();
    this.#since = sent;
  }

  /** @param why in words @internal */
  lose(why: string): void {
    this.end(this.#lostError(why));
  }

  /** No write passes from now on. @internal */
  end(reason: ListwatchError): void {
    if (!this.#ended.signal.aborted) this.#ended.abort(reason);
  }

  #expired(): ListwatchError {
    const seconds = this.#options.validityMs / 1000;
    return this.#lostError(
      `it could not be renewed for ${seconds} s; check that the API server answers, and that the process gets enough processor time`,
    );
  }

  #lostError(why: string): ListwatchError {
    const text = `${this.identity} has lost the lease ${this.namespace}/${this.name}: ${why}`;
    return new ListwatchError('LEADERSHIP_LOST', text);
  }
}
