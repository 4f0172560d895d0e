import type { OpenSpan, Tracing } from '../../../kernel/report/tracing.ts';
import { RequestTiming } from '../../transport/contract/request-timing.ts';
import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../transport/contract/transport.ts';
import { requestName } from '../../transport/flow/request-name.ts';
import {
  errorType,
  requestAttributes,
  tracedServer,
  type EndedParts,
} from '../../transport/flow/request-trace.ts';
import type { SentWrite } from './own-change.ts';

/** Of `SpanKind` of `@opentelemetry/api`. */
const KIND_CLIENT = 2;

export interface TracedSend {
  readonly transport: Transport;
  readonly tracing: Tracing;
  /** Gets the span. */
  readonly sent: SentWrite | undefined;
}

/**
 * Sends a request within a span, whose context goes with it in the headers. The span ends when the headers of the answer have arrived. A watch
 * begins a trace, because it goes on for longer than what has opened it.
 */
export async function tracedSend(
  { transport, tracing, sent }: TracedSend,
  request: TransportRequest,
): Promise<TransportResponse> {
  const { method, path } = request;
  const name = requestName(request);
  const server = tracedServer(transport.server);
  const timing = new RequestTiming();
  const span = tracing.start(`${method} ${name.template}`, {
    kind: KIND_CLIENT,
    root: name.verb === 'watch',
    attributes: {
      'http.request.method': method,
      ...server,
      'url.template': name.template,
      'listwatch.verb': name.verb,
      'listwatch.resource': name.resource,
    },
  });
  if (span === undefined) return await transport.send(request);
  if (sent !== undefined) sent.span = span.context;
  const parts = { method, path, name, server, timing };
  try {
    const headers = { ...request.headers, ...span.headers };
    const response = await transport.send({ ...request, headers, timing });
    end(span, { ...parts, status: response.status, error: undefined });
    return response;
  } catch (error) {
    end(span, { ...parts, status: undefined, error: errorType(error) }, error);
    throw error;
  }
}

function end(span: OpenSpan, parts: EndedParts, error?: unknown): void {
  const { status } = parts;
  span.set(() => ({ ...requestAttributes(parts) }));
  if (error !== undefined) span.fail(error, { thrown: false });
  else if (status !== undefined && status >= 400) span.fail(`HTTP ${status}`, { thrown: false });
  span.end();
}
