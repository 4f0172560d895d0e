/** The identity of a span, as `SpanContext` of `@opentelemetry/api`. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly traceFlags: number;
  readonly traceState?: TraceState;
}

/** Values that tracing systems pass on with a span. */
export interface TraceState {
  set(key: string, value: string): TraceState;
  unset(key: string): TraceState;
  get(key: string): string | undefined;
  serialize(): string;
}

export interface SpanAttributes {
  [name: string]: string | number | boolean | string[];
}

export interface SpanOptions {
  /** 0: within the process, 2: a request to a server. */
  kind?: number;
  attributes?: SpanAttributes;
  links?: { context: SpanContext; attributes?: SpanAttributes }[];
  /** Begins a trace, also below an active span. */
  root?: boolean;
  /** Milliseconds since 1970. */
  startTime?: number;
}

export interface Span {
  spanContext(): SpanContext;
  isRecording(): boolean;
  setAttributes(attributes: SpanAttributes): unknown;
  /** Code 2 is an error. */
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(error: Error | string): unknown;
  /** Not in each version of the package. */
  addLinks?(links: NonNullable<SpanOptions['links']>): unknown;
  end(endTime?: number): void;
}

/**
 * The part of a tracer of OpenTelemetry that the package calls: `trace.getTracer('shop')` of `@opentelemetry/api`, or anything else with these methods.
 */
export interface Tracer {
  /** Starts a span below the active one. */
  startSpan(name: string, options?: SpanOptions): Span;
  /** Calls `work`, and makes the span the active one meanwhile, and for all that `work` awaits. */
  startActiveSpan<R>(name: string, options: SpanOptions, work: (span: Span) => R): R;
}
