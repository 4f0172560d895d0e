import { context, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import type { Tracer } from '../../lib/kernel/report/tracer.ts';

/** Spans of the SDK of OpenTelemetry, in memory. Dispose it: the API is one for the whole process. */
export class RecordedSpans implements Disposable {
  readonly tracer: Tracer;
  readonly #exporter = new InMemorySpanExporter();

  constructor() {
    const spanProcessors = [new SimpleSpanProcessor(this.#exporter)];
    new NodeTracerProvider({ spanProcessors }).register();
    this.tracer = trace.getTracer('spec');
  }

  /** Those that have ended, with this name or of this form. */
  named(name: string | RegExp): readonly ReadableSpan[] {
    const spans = this.#exporter.getFinishedSpans();
    return spans.filter((span) =>
      typeof name === 'string' ? span.name === name : name.test(span.name),
    );
  }

  [Symbol.dispose](): void {
    trace.disable();
    context.disable();
  }
}
