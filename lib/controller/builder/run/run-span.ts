import type { SpanOptions } from '../../../kernel/report/tracer.ts';
import type { OpenSpan, Tracing } from '../../../kernel/report/tracing.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { describeReason, type ReconcileReason } from '../../change/reconcile-reasons.ts';
import type { ReconcileRecord } from './reconcile-history.ts';
import type { RunCauses } from './run-causes.ts';

export interface TracedRun {
  readonly tracing: Tracing;
  readonly causes: RunCauses;
  readonly controller: string;
  readonly key: string;
  readonly failures: number;
  readonly reasons: readonly ReconcileReason[];
  readonly runtime: Runtime;
}

/** Calls `work` within a span that begins a trace: one of many writes may have led to the run, and links name them. */
export function withinRunSpan<R>(
  run: TracedRun,
  work: (span: RunSpan | undefined) => Promise<R>,
): Promise<R> {
  const { tracing, causes, controller, key, failures, runtime } = run;
  const links = causes.links(run.reasons);
  const options = {
    root: true,
    startTime: runtime.wallMs(),
    links,
    attributes: {
      'listwatch.controller': controller,
      'listwatch.key': key,
      'listwatch.attempt': failures + 1,
    },
  };
  return tracing.within(`reconcile ${controller}`, options, (span) =>
    work(span && new RunSpan(run, span, links)),
  );
}

/** The span of one run. */
export class RunSpan {
  readonly #run: TracedRun;
  readonly #span: OpenSpan;
  /** Those that the span has. */
  readonly #links: NonNullable<SpanOptions['links']>;

  constructor(run: TracedRun, span: OpenSpan, links: NonNullable<SpanOptions['links']>) {
    this.#run = run;
    this.#span = span;
    this.#links = links;
    span.set(() => ({ 'listwatch.reasons': run.reasons.map(describeReason) }));
  }

  /** The event of a write may come before its answer. The span then ends when the answer has named the write, with the time of the run. */
  end(result: ReconcileRecord['result'], error?: unknown): void {
    const { causes, reasons, runtime } = this.#run;
    this.#span.set(() => ({ 'listwatch.result': result }));
    if (result === 'failed') this.#span.fail(error, { thrown: true });
    const known = causes.whenKnown(reasons);
    if (known === undefined) {
      this.#close();
      return;
    }
    const endMs = runtime.wallMs();
    void known.then(() => this.#close(endMs));
  }

  #close(endMs?: number): void {
    const linked = this.#links.map(({ context }) => context);
    const links = this.#run.causes.links(this.#run.reasons);
    this.#span.link(links.filter(({ context }) => !linked.includes(context)));
    this.#span.end(endMs);
  }
}
