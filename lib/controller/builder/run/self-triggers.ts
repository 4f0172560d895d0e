import { LRUCache } from 'lru-cache';
import type { WriteCause } from '../../../client/rest/request/write-causes.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { ReconcileReason } from '../../change/reconcile-reasons.ts';

/** Runs in a row, each started by a write of the run before, that are no progress any more. */
const MOST_RUNS = 20;
/** Keys whose last run has written something. A forgotten one is counted anew. */
const KEPT = 1_000;

export interface SelfTriggersOptions {
  readonly controller: string;
  readonly logger: Logger;
  /** The number of writes so far, of all clients of the controller. */
  readonly writes: () => number;
  /** The write of one of these clients that has made the change. */
  readonly writeOf: (reason: ReconcileReason) => WriteCause | undefined;
}

/** Runs of one key, each started by a write to the same object that was made during the run before. */
interface Chain {
  readonly beganAtMs: number;
  /** Of the last run. */
  readonly lastBeganAtMs: number;
  readonly lastEndedAtMs: number;
  readonly runs: number;
  /** The object that is written. */
  readonly object: string | undefined;
}

/**
 * Notices a controller that starts itself again and again, such as by a time in an annotation that it writes in each run. It is logged once,
 * with the write that does it. Writes through `context.resource` are no reason for a run, so these are writes through the client itself, JSON
 * patches, and all with option `ownWrites`.
 *
 * Cost: nothing for runs that write nothing.
 */
export class SelfTriggers {
  readonly #options: SelfTriggersOptions;
  #chains: LRUCache<string, Chain> | undefined;
  #isReported = false;

  constructor(options: SelfTriggersOptions) {
    this.#options = options;
  }

  /** The number of writes before a run, for `ended`. */
  began(key: string, reasons: readonly ReconcileReason[], nowMs: number): number {
    const chain = this.#chains?.get(key);
    if (chain !== undefined) this.#follow(key, chain, reasons, nowMs);
    return this.#options.writes();
  }

  ended(key: string, writesBefore: number, beganAtMs: number, endedAtMs: number): void {
    if (this.#isReported) return;
    if (this.#options.writes() === writesBefore) {
      this.#chains?.delete(key);
      return;
    }
    this.#chains ??= new LRUCache({ maxSize: KEPT, sizeCalculation: () => 1 });
    const chain = this.#chains.get(key) ?? { beganAtMs, runs: 1, object: undefined };
    this.#chains.set(key, { ...chain, lastBeganAtMs: beganAtMs, lastEndedAtMs: endedAtMs });
  }

  #follow(key: string, chain: Chain, reasons: readonly ReconcileReason[], nowMs: number): void {
    const { lastBeganAtMs, lastEndedAtMs } = chain;
    const isOfRun = ({ atMs }: WriteCause): boolean =>
      atMs >= lastBeganAtMs && atMs <= lastEndedAtMs;
    for (const reason of reasons) {
      const write = this.#options.writeOf(reason);
      if (write === undefined || !isOfRun(write)) continue;
      const object = `${write.resource} ${write.key}`;
      if (chain.object !== undefined && chain.object !== object) continue;
      const runs = chain.runs + 1;
      if (runs >= MOST_RUNS) this.#report(key, write, nowMs - chain.beganAtMs, runs);
      else this.#chains?.set(key, { ...chain, runs, object });
      return;
    }
    this.#chains?.delete(key);
  }

  #report(key: string, write: WriteCause, tookMs: number, runs: number): void {
    this.#isReported = true;
    this.#chains = undefined;
    const { controller, logger } = this.#options;
    const { verb, resource, subresource } = write;
    const part = subresource === undefined ? '' : ` (${subresource})`;
    const problem =
      `${runs} runs in a row within ${(tookMs / 1000).toFixed(1)} s, each started by a write of the run before: ` +
      `${verb} ${resource} ${write.key}${part}; write only what differs from the stored object, write with context.resource, or leave the change out with .where(…)`;
    logger.warn('controller starts itself', { controller, key, problem });
  }
}
