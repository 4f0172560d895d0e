import { LRUCache } from 'lru-cache';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Tracing } from '../../../kernel/report/tracing.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { isConflict } from '../../../meta/failure/failures.ts';
import {
  ReasonChain,
  reasonOf,
  type ReasonWriter,
  type ReconcileReason,
} from '../../change/reconcile-reasons.ts';
import type {
  ReconcileContext,
  ReconcileRequest,
  ReconcileResult,
} from '../../runtime/reconcile-loop.ts';
import type { RunCauses } from './run-causes.ts';
import { withinRunSpan, type RunSpan } from './run-span.ts';
import type { RunOutcome, RunRequest } from './object-runs.ts';
import { ReconcileHistory, type ReconcileRecord } from './reconcile-history.ts';
import type { SelfTriggers } from './self-triggers.ts';

/** Changes that are kept of one run; with more, the object is reconciled again in any case. */
const KEPT_CHANGES = 64;
/** Keys whose last failure is kept. Without it, a retry is a retry of an unknown failure. */
const KEPT_FAILURES = 1_000;

export interface NotedRunsOptions {
  readonly controller: string;
  readonly historySize: number;
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** Reconciles the object. */
  readonly run: (request: RunRequest, run: ReconcileContext) => Promise<RunOutcome>;
  /** Takes what the queue has noted of a key. */
  readonly takeNote: (key: string) => unknown;
  /** Adds what came during a run to the queue. */
  readonly add: (key: string, reason: ReasonWriter, priority: number) => void;
  /** Number of relists of all sources. */
  readonly relists: () => number;
  readonly causes: RunCauses;
  /** Undefined without a tracer. */
  readonly tracing: Tracing | undefined;
  /** Whether a change is exactly one that a run of the key has made. */
  readonly isOwnWrite: (key: string, reason: ReconcileReason) => boolean;
  readonly selfTriggers: SelfTriggers;
}

/** A change with the priority of the run that it asks for. */
interface HeldChange {
  readonly reason: ReasonWriter;
  readonly priority: number;
}

/** The changes of an object during a run. */
interface OpenRun {
  /** Number of relists before the run. */
  readonly relists: number;
  readonly changes: HeldChange[];
}

/**
 * The runs of a controller: why each takes place, what comes for its object meanwhile, and how it ends.
 *
 * Changes that arrive for an object while it is reconciled are held. The event of a write often comes before its answer, so only at the end
 * of the run it is known which of these changes the run itself has made. The object could not be reconciled before that anyway.
 */
export class NotedRuns {
  readonly history: ReconcileHistory;
  readonly #options: NotedRunsOptions;
  readonly #clock: ClockCheck;
  readonly #open = new Map<string, OpenRun>();
  /** The messages of the last failures, by key. Made at the first failure: it allocates memory for all. */
  #failures: LRUCache<string, string> | undefined;

  constructor(options: NotedRunsOptions) {
    this.#options = options;
    this.#clock = new ClockCheck(options.runtime);
    const named = (reasons: readonly ReconcileReason[]): readonly ReconcileReason[] =>
      options.causes.named(reasons);
    this.history = new ReconcileHistory(options.historySize, named);
  }

  /** Whether the change is held; otherwise the object is not being reconciled, or too many changes came. */
  hold(key: string, reason: ReasonWriter, priority: number): boolean {
    const open = this.#open.get(key);
    if (open === undefined || open.changes.length === KEPT_CHANGES) return false;
    open.changes.push({ reason, priority });
    return true;
  }

  reconcile(request: ReconcileRequest, context: ReconcileContext): Promise<ReconcileResult> {
    const { controller, runtime, causes, tracing } = this.#options;
    const { key, failures } = request;
    const reasons = causes.named(this.#takeReasons(key, failures));
    const run = { key, failures, reasons };
    if (tracing === undefined) return this.#run(run, context, undefined);
    return withinRunSpan({ ...run, controller, runtime, causes, tracing }, (span) =>
      this.#run(run, context, span),
    );
  }

  async #run(
    { key, failures, reasons }: RunRequest,
    context: ReconcileContext,
    span: RunSpan | undefined,
  ): Promise<ReconcileResult> {
    const { controller, runtime, logger, run, relists, causes, selfTriggers } = this.#options;
    this.#open.set(key, { relists: relists(), changes: [] });
    const jump = this.#clock.jump();
    if (jump !== undefined) logger.warn('clock jumped', { controller, problem: jump });
    const startedAtMs = runtime.wallMs();
    const begun = runtime.monotonicMs();
    const writesBefore = selfTriggers.began(key, reasons, begun);
    const record = (result: ReconcileRecord['result'], thrown?: unknown): void => {
      const durationMs = runtime.monotonicMs() - begun;
      const error = result === 'conflict' || result === 'failed' ? errorMessage(thrown) : undefined;
      if (error === undefined) this.#failures?.delete(key);
      else (this.#failures ??= new LRUCache({ max: KEPT_FAILURES })).set(key, error);
      const named = causes.named(reasons);
      this.history.add({ key, startedAtMs, durationMs, result, error, reasons: named });
      span?.end(result, thrown);
    };
    try {
      const { result, ...again } = await run({ key, failures, reasons }, context);
      record(result);
      return again;
    } catch (error) {
      record(isConflict(error) ? 'conflict' : 'failed', error);
      throw error;
    } finally {
      selfTriggers.ended(key, writesBefore, begun, runtime.monotonicMs());
      this.#release(key);
    }
  }

  /** At most five, the oldest first. */
  #takeReasons(key: string, failures: number): readonly ReconcileReason[] {
    const noted = this.#options.takeNote(key);
    if (noted instanceof ReasonChain) return noted.list();
    return [failures > 0 ? reasonOf('retry', this.#failures?.get(key)) : reasonOf('requeue')];
  }

  /** Passes on what came during the run, without what the run has written. */
  #release(key: string): void {
    const { add, isOwnWrite } = this.#options;
    const { relists, changes = [] } = this.#open.get(key) ?? {};
    this.#open.delete(key);
    const exact = relists === this.#options.relists();
    for (const { reason, priority } of changes) {
      if (!exact || !isOwnWrite(key, reason.reason)) add(key, reason, priority);
    }
  }
}

/** A difference between the two clocks that is no drift, milliseconds. */
const JUMP_MS = 60_000;

/** Notices when the clock of the machine is set: the time of day moves, and the time that has passed does not. */
class ClockCheck {
  readonly #runtime: Runtime;
  #offsetMs: number;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#offsetMs = runtime.wallMs() - runtime.monotonicMs();
  }

  /** The change of the clock since the last call, as text; undefined: nothing. */
  jump(): string | undefined {
    const offsetMs = this.#runtime.wallMs() - this.#runtime.monotonicMs();
    const byMs = offsetMs - this.#offsetMs;
    if (Math.abs(byMs) < JUMP_MS) return undefined;
    this.#offsetMs = offsetMs;
    const seconds = Math.round(Math.abs(byMs) / 1000);
    const way = byMs > 0 ? 'forward' : 'back';
    return `the clock of this machine was set ${way} by ${seconds} s, or the machine slept: delays go on as they were, times in conditions and events are those of the new clock; check its time synchronisation`;
  }
}
