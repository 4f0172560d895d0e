import { errorMessage } from '../../kernel/failure/errors.ts';
import { runHook } from '../../kernel/report/run-hook.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { electionMetrics } from './election-metrics.ts';
import type { LeaseRecord } from './lease-record.ts';

export interface ElectionReportOptions {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly onLeader: ((identity: string) => void) | undefined;
}

/** The reports of an elector: its log, its metrics, who leads. A failure that goes on is logged once, and when it is over. */
export class ElectionReport {
  readonly #options: ElectionReportOptions;
  #leader: string | undefined;
  #epoch: number | undefined;
  #failure: string | undefined;
  /** The holder that was asked for the lease, or the replica that asks for it. */
  #asked: string | undefined;

  constructor(options: ElectionReportOptions) {
    this.#options = options;
    this.#gauge(electionMetrics.leads.name, 0);
  }

  get leader(): string | undefined {
    return this.#leader;
  }

  get epoch(): number | undefined {
    return this.#epoch;
  }

  get failure(): string | undefined {
    return this.#failure;
  }

  request(operation: 'acquire' | 'renew' | 'release', result: 'ok' | 'conflict' | 'error'): void {
    const { name, metrics } = this.#options;
    metrics.count(electionMetrics.requests.name, 1, { name, operation, result });
  }

  succeeded(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#options.logger.info('lease is answered again', { lease: this.#lease });
  }

  failed(error: unknown): void {
    const text = errorMessage(error).replaceAll(/\s+/g, ' ');
    if (text !== this.#failure)
      this.#options.logger.warn('lease failed', { lease: this.#lease, error: text });
    this.#failure = text;
  }

  /** @param isOwn this process holds it: `leads` reports that when the answer to its write is there, which may come after the event. */
  observed({ holder, epoch }: LeaseRecord, isOwn: boolean): void {
    this.#sawEpoch(epoch);
    if (isOwn) return;
    const leader = holder === '' ? undefined : holder;
    if (leader === this.#leader) return;
    this.#leader = leader;
    if (leader === undefined) return;
    const { identity, logger } = this.#options;
    logger.info('another replica leads; this one is a standby', {
      lease: this.#lease,
      identity,
      leader,
    });
    this.#notify(leader);
  }

  /** The holder was asked for the lease. */
  asks(holder: string): void {
    if (this.#asked === holder) return;
    this.#asked = holder;
    const { identity, logger } = this.#options;
    logger.info(
      'lease is asked for, by option preempt; programs of other libraries do not give it away',
      { lease: this.#lease, identity, holder },
    );
  }

  /** Another replica asks for the lease. */
  leavesTo(by: string): void {
    if (this.#asked === by) return;
    this.#asked = by;
    this.#options.logger.info('lease is given to a replica that asks for it', {
      lease: this.#lease,
      by,
    });
  }

  wentBack({ epoch }: LeaseRecord): void {
    const problem =
      'its storage was restored, or it was edited; no replica takes it until it was unchanged for its duration';
    const from = this.#epoch ?? 0;
    this.#options.logger.warn('lease went back', { lease: this.#lease, from, to: epoch, problem });
  }

  leads(epoch: number): void {
    const { identity, logger } = this.#options;
    this.#leader = identity;
    this.#sawEpoch(epoch);
    this.#gauge(electionMetrics.leads.name, 1);
    logger.info('this replica leads', { lease: this.#lease, identity, epoch });
    this.#notify(identity);
  }

  stopped(): void {
    const { identity, logger } = this.#options;
    this.#gauge(electionMetrics.leads.name, 0);
    if (this.#leader !== identity) return;
    this.#leader = undefined;
    logger.info('this replica leads no more', { lease: this.#lease, identity });
  }

  get #lease(): string {
    return `${this.#options.namespace}/${this.#options.name}`;
  }

  #sawEpoch(epoch: number): void {
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#gauge(electionMetrics.epoch.name, epoch);
  }

  #gauge(metric: string, value: number): void {
    this.#options.metrics.gauge(metric, value, { name: this.#options.name });
  }

  #notify(leader: string): void {
    const { onLeader, logger } = this.#options;
    runHook(logger, 'onLeader', () => onLeader?.(leader), { lease: this.#lease });
  }
}
