import { errorMessage, isError } from '../failure/errors.ts';
import { guardedCall } from '../failure/guarded-call.ts';
import { guardedLogger } from './guarded-logger.ts';
import type { Logger } from './logger.ts';
import type { Span, SpanAttributes, SpanContext, SpanOptions, Tracer } from './tracer.ts';

/** Of `SpanStatusCode` of `@opentelemetry/api`. */
const STATUS_ERROR = 2;

/**
 * The tracer of the user. When it throws, the error is logged once, no further span is made, and the work goes on.
 */
export class Tracing {
  #tracer: Tracer | undefined;
  readonly #logger: Pick<Logger, 'error'>;

  constructor(tracer: Tracer, logger: Logger) {
    this.#tracer = tracer;
    this.#logger = guardedLogger(logger);
  }

  /** Starts a span below the active one; undefined: the tracer has failed. */
  start(name: string, options: SpanOptions): OpenSpan | undefined {
    let open: OpenSpan | undefined;
    this.#call((tracer) => {
      open = this.#open(tracer.startSpan(name, options));
    });
    return open;
  }

  /** Calls `work` once, within a span if the tracer makes one; `work` ends the span. */
  within<R>(
    name: string,
    options: SpanOptions,
    work: (span: OpenSpan | undefined) => Promise<R>,
  ): Promise<R> {
    let running: Promise<R> | undefined;
    this.#call((tracer) =>
      // Nothing is returned to the tracer: it could make a promise of it whose rejection is handled nowhere.
      tracer.startActiveSpan(name, options, (span) => {
        running ??= work(this.#open(span));
      }),
    );
    // One that calls back later finds that the work has begun.
    return (running ??= work(undefined));
  }

  #open(span: Span): OpenSpan | undefined {
    let open: OpenSpan | undefined;
    this.#call(() => {
      open = new OpenSpan(span, (call) => this.#call(call));
    });
    return open;
  }

  #call(call: (tracer: Tracer) => unknown): void {
    const tracer = this.#tracer;
    if (tracer === undefined) return;
    guardedCall(
      () => call(tracer),
      (error) => {
        if (this.#tracer === undefined) return;
        this.#tracer = undefined;
        const problem =
          'it threw, so no further spans are made; the program goes on; mend the tracer, or leave option "tracer" out';
        this.#logger.error('tracer failed', { problem, error });
      },
    );
  }
}

/** A span that its owner ends. Its methods do not throw. */
export class OpenSpan {
  /** Undefined: it has none, so that nothing can be linked to it. */
  readonly context: SpanContext | undefined;
  /** Whether attributes are kept; otherwise they need not be made. */
  readonly isRecording: boolean;
  readonly #span: Span;
  readonly #call: (call: () => unknown) => void;

  constructor(span: Span, call: (call: () => unknown) => void) {
    this.#span = span;
    this.#call = call;
    const context = span.spanContext();
    this.context = isValid(context) ? context : undefined;
    this.isRecording = span.isRecording();
  }

  /** The headers by which a server continues the trace. @see https://www.w3.org/TR/trace-context/ */
  get headers(): Readonly<Record<string, string>> {
    const { context } = this;
    if (context === undefined) return {};
    const { traceId, spanId, traceFlags } = context;
    const flags = (traceFlags & 0xff).toString(16).padStart(2, '0');
    let state: string | undefined;
    this.#call(() => {
      state = context.traceState?.serialize();
    });
    return {
      traceparent: `00-${traceId}-${spanId}-${flags}`,
      ...(isHeader(state) ? { tracestate: state } : {}),
    };
  }

  /** `attributes` is called only if they are kept. */
  set(attributes: () => SpanAttributes): void {
    if (!this.isRecording) return;
    const made = attributes();
    this.#call(() => this.#span.setAttributes(made));
  }

  /** Its work has failed. `thrown`: by the user's code, whose stack is of interest. */
  fail(error: unknown, { thrown }: { readonly thrown: boolean }): void {
    if (!this.isRecording) return;
    this.#call(() => {
      this.#span.setStatus({ code: STATUS_ERROR, message: errorMessage(error) });
      if (thrown) this.#span.recordException(isError(error) ? error : errorMessage(error));
    });
  }

  link(links: NonNullable<SpanOptions['links']>): void {
    if (links.length > 0) this.#call(() => this.#span.addLinks?.(links));
  }

  /** `endMs`: the time of day, if it has ended before now. */
  end(endMs?: number): void {
    this.#call(() => this.#span.end(endMs));
  }
}

function isValid({ traceId, spanId }: SpanContext): boolean {
  return (
    /^[\da-f]{32}$/.test(traceId) &&
    /^[\da-f]{16}$/.test(spanId) &&
    !/^0+$/.test(traceId) &&
    !/^0+$/.test(spanId)
  );
}

/** A text that cannot be a header would fail the request. */
function isHeader(text: unknown): text is string {
  return typeof text === 'string' && /^[\x20-\x7e]+$/.test(text);
}
