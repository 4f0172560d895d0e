import { LRUCache } from 'lru-cache';
import { abortable } from '../../../kernel/time/abort.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { startAtUser } from '../../../kernel/failure/user-frames.ts';
import { runHook } from '../../../kernel/report/run-hook.ts';
import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import { LOGGER } from '../../../kernel/report/logger-rule.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Tracer } from '../../../kernel/report/tracer.ts';
import { Tracing } from '../../../kernel/report/tracing.ts';
import { is, optionsOf, type OptionsSchema } from '../../../kernel/options/options-schema.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { ApiCall } from '../../../meta/api-call.ts';
import { INCOMPLETE, JsonScanner } from '../../../meta/json/json-scanner.ts';
import { scannerKind } from '../../../meta/json/wasm/fast-scanner.ts';
import type { ClientInspection } from './client-inspection.ts';
import { isStatus } from '../../../meta/failure/status.ts';
import { LONGEST_BODY_BYTES, readBody, readBodyStart } from '../../transport/body/read-body.ts';
import type { MessageSocket } from '../../transport/contract/message-socket.ts';
import { type ExchangeTarget, TransportError } from '../../transport/contract/transport-error.ts';
import type {
  ResponseBody,
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../transport/contract/transport.ts';
import { parseWarningHeader, type ServerWarning } from '../../transport/warning-header.ts';
import type { WriteFence } from '../../transport/contract/write-fence.ts';
import { FencedTransport } from './fenced-transport.ts';
import { DiscoveryLookUp } from '../explain/discovery-look-up.ts';
import { HTML_ANSWER, isHtml } from './html-answer.ts';
import { InterceptedReads } from './intercepted-reads.ts';
import type { SentWrite } from './own-change.ts';
import { responseError, shownText, statusError } from './response-error.ts';
import { TransportLayer } from '../../transport/contract/transport-layer.ts';
import { tracedSend } from './traced-send.ts';
import { WriteCauses } from './write-causes.ts';

export interface RestClientOptions {
  readonly transport: Transport;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
  /** Called for each `Warning` header. @defaultValue each different text once to `logger.warn` */
  readonly onWarning?: ((warning: ServerWarning) => void) | undefined;
  /** The largest answer that is read into memory, bytes. @defaultValue 536 870 888, the longest string of V8 */
  readonly maxResponseBytes?: number | undefined;
  /**
   * A tracer of OpenTelemetry, such as `trace.getTracer('shop')`: each request is a span, which the server continues, and so is each reconcile of controllers of this client,
   * with links to the writes that led to it. A tracer that throws is reported once, and no longer called. @defaultValue none
   */
  readonly tracer?: Tracer | undefined;
}

export const REST_CLIENT: OptionsSchema<RestClientOptions> = optionsOf<RestClientOptions>()(
  'RestClient',
  {
    transport: is.object().required,
    runtime: is.object(),
    logger: LOGGER,
    onWarning: is.callback(),
    maxResponseBytes: is.integer({ min: 1, max: LONGEST_BODY_BYTES }),
    tracer: is.methods(
      "a tracer of @opentelemetry/api, such as trace.getTracer('shop')",
      'startSpan',
      'startActiveSpan',
    ),
  },
);

export interface RestRequest {
  readonly method: TransportRequest['method'];
  /** Path and query. */
  readonly path: string;
  /** The purpose of the request; errors name it. */
  readonly call?: ApiCall | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** @defaultValue 'application/json' */
  readonly contentType?: string | undefined;
  /** @defaultValue 'application/json' */
  readonly accept?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The ETag of an answer that the caller has: a 304 counts as an answer then. Only for `document`. */
  readonly etag?: string | undefined;
  /** See `TransportRequest.resend`. */
  readonly resend?: boolean | undefined;
  /** See `TransportRequest.retry`. */
  readonly retry?: boolean | undefined;
  /** See `TransportRequest.compress`. */
  readonly compress?: boolean | undefined;
  /** See `TransportRequest.webSocket`. */
  readonly webSocket?: TransportRequest['webSocket'];
  /** Of a write: gets the span of the request. */
  readonly sent?: SentWrite | undefined;
}

/** The number of different warnings in memory, so that each is logged once. */
const REMEMBERED_WARNINGS = 256;

const JSON_TYPE = 'application/json';

/** The largest discovery document that is read to explain a failure; that of a large cluster has about 1 MB. */
const LONGEST_DOCUMENT_BYTES = 8 * 1024 * 1024;

/** Requests with JSON bodies: an answer that is not 2xx becomes an `ApiError`. */
export class RestClient {
  readonly #transport: Transport;
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #onWarning: (warning: ServerWarning) => void;
  readonly #maxResponseBytes: number;
  #served: DiscoveryLookUp;
  #reads: InterceptedReads = new InterceptedReads();
  #causes = new WriteCauses();
  #tracing: Tracing | undefined;

  constructor(options: RestClientOptions) {
    const { transport, runtime, logger, onWarning, maxResponseBytes, tracer } =
      REST_CLIENT.read(options);
    this.#transport = transport;
    this.#runtime = runtime ?? realRuntime;
    this.#logger = logger ?? consoleLogger;
    this.#onWarning = onWarning ?? logEachOnce(this.#logger, this.server);
    this.#maxResponseBytes = maxResponseBytes ?? LONGEST_BODY_BYTES;
    this.#tracing = tracer && new Tracing(tracer, this.#logger);
    if (tracer !== undefined) this.#causes.keep();
    this.#served = new DiscoveryLookUp({
      runtime: this.#runtime,
      lookUp: (path, accept, signal) => this.#lookUp(path, accept, signal),
    });
  }

  /** The same connections, for requests that this signal aborts too. */
  boundTo(signal: AbortSignal): RestClient {
    return this.#over(new BoundTransport(this.#transport, signal));
  }

  /** The same connections, for requests whose writes need what the fence stands for. */
  fencedBy(fence: WriteFence): RestClient {
    return this.#over(new FencedTransport(this.#transport, fence, this.#runtime));
  }

  /** The same connections, for requests that make no spans. */
  untraced(): RestClient {
    const made = this.#over(this.#transport);
    made.#tracing = undefined;
    return made;
  }

  #over(transport: Transport): RestClient {
    const options = {
      transport,
      runtime: this.#runtime,
      logger: this.#logger,
      onWarning: this.#onWarning,
      maxResponseBytes: this.#maxResponseBytes,
    };
    const made = new RestClient(options);
    made.#served = this.#served;
    made.#reads = this.#reads;
    made.#causes = this.#causes;
    made.#tracing = this.#tracing;
    return made;
  }

  /** The server's address, for messages. */
  get server(): string {
    return this.#transport.server;
  }

  get runtime(): Runtime {
    return this.#runtime;
  }

  get logger(): Logger {
    return this.#logger;
  }

  /** Interceptors of lists and watches of collections. @internal */
  get reads(): InterceptedReads {
    return this.#reads;
  }

  /** The last writes of all copies. @internal */
  get causes(): WriteCauses {
    return this.#causes;
  }

  /** Undefined without a tracer. @internal */
  get tracing(): Tracing | undefined {
    return this.#tracing;
  }

  target(request: Pick<RestRequest, 'method' | 'path'>): ExchangeTarget {
    const hide = (text: string): string => this.#hidden(text);
    return { server: this.server, method: request.method, path: request.path, hide };
  }

  /** Largest answer that is read into memory, in bytes. */
  get maxResponseBytes(): number {
    return this.#maxResponseBytes;
  }

  /** The body of a 2xx answer. @throws {ApiError} for any other answer. {TransportError} when there was none. */
  async bytes(request: RestRequest): Promise<Buffer> {
    const body = await this.body(request);
    return await readBody(body, this.#maxResponseBytes, this.target(request));
  }

  /** The body of a 2xx answer, to be read while it arrives. @throws as `bytes` does. */
  async body(request: RestRequest): Promise<ResponseBody> {
    const { body } = await this.#accepted(request, false);
    return body;
  }

  /** The decoded body of a 2xx answer. @throws also {TransportError} code MALFORMED_RESPONSE when it is not a JSON object, CONNECTION_FAILED when it was cut. */
  async json<R extends object>(request: RestRequest): Promise<R> {
    return this.#decoded(await this.bytes(request), request) as R;
  }

  /** A JSON object with its ETag; undefined if the server says that the one with the ETag of the request is the same. @throws as `json` does. */
  async document(
    request: RestRequest,
  ): Promise<{ readonly value: object; readonly etag: string | undefined } | undefined> {
    const { status, headers, body } = await this.#accepted(request, false);
    const bytes = await readBody(body, this.#maxResponseBytes, this.target(request));
    if (status === 304) return undefined;
    return { value: this.#decoded(bytes, request), etag: headers['etag'] };
  }

  #decoded(body: Buffer, request: RestRequest): object {
    const decoded = parse(body);
    const target = this.target(request);
    if (isStatus(decoded) && decoded.status === 'Failure')
      throw statusError(decoded, { ...request, target });
    if (typeof decoded === 'object' && decoded !== null) return decoded;
    if (isHtml(body)) throw new TransportError('MALFORMED_RESPONSE', target, HTML_ANSWER);
    if (decoded === undefined && endsTooEarly(body)) {
      const problem =
        body.length === 0
          ? 'the answer is empty; check that no proxy drops its body'
          : `the answer ended in the middle, after ${body.length} bytes; try again`;
      throw new TransportError('CONNECTION_FAILED', target, problem);
    }
    const problem = `the answer is not a JSON object (${body.length} bytes); check the server address`;
    throw new TransportError('MALFORMED_RESPONSE', target, problem);
  }

  /** A 2xx answer whose body stays open. @throws {ApiError} for any other answer. {TransportError} when there was none. */
  async stream(request: RestRequest): Promise<TransportResponse> {
    return await this.#accepted(request, true);
  }

  /** The text without the credentials of this client. */
  #hidden(text: string): string {
    return this.#transport.hide?.(text) ?? text;
  }

  inspect(): ClientInspection | undefined {
    const found = this.#transport.inspect?.();
    return found && { ...found, scanner: scannerKind() };
  }

  /** The WebSocket that the connection of a GET has become. @throws {ApiError} for any other answer. {TransportError} when there was none. */
  async webSocket(request: RestRequest): Promise<MessageSocket> {
    const { socket } = await this.#accepted(request, true);
    if (socket !== undefined) return socket;
    const problem =
      'the answer is no WebSocket; streams of pods need a transport with sockets, and a server that has them';
    throw new TransportError('SUBPROTOCOL', this.target(request), problem);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async #accepted(request: RestRequest, stream: boolean): Promise<TransportResponse> {
    const { method, path, body, contentType, accept, etag, signal } = request;
    const { compress, resend, retry, webSocket, sent } = request;
    try {
      const response = await this.#send(sent, {
        method,
        path,
        headers: {
          accept: accept ?? JSON_TYPE,
          ...(body === undefined ? {} : { 'content-type': contentType ?? JSON_TYPE }),
          ...(etag === undefined ? {} : { 'if-none-match': etag }),
        },
        ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
        stream,
        compress,
        signal,
        resend,
        retry,
        webSocket,
      });
      this.#reportWarnings(response.headers['warning'], request);
      const { status, socket } = response;
      if ((status >= 200 && status < 300) || (status === 304 && etag !== undefined)) {
        return response;
      }
      if (socket !== undefined) return response;
      const refused = responseError(response, {
        ...request,
        target: this.target(request),
        served: this.#served,
        nowWallMs: this.#runtime.wallMs(),
      });
      throw await abortable(refused, signal);
    } catch (error) {
      // The line that waits for the answer, in place of those that have read it.
      if (error instanceof ListwatchError) startAtUser(error);
      throw error;
    }
  }

  #send(sent: SentWrite | undefined, request: TransportRequest): Promise<TransportResponse> {
    if (this.#tracing === undefined) return this.#transport.send(request);
    return tracedSend({ transport: this.#transport, tracing: this.#tracing, sent }, request);
  }

  /** A discovery document for an explanation. Errors of this request are not explained. */
  async #lookUp(path: string, accept: string, signal: AbortSignal): Promise<unknown> {
    const headers = { accept };
    const response = await this.#send(undefined, { method: 'GET', path, headers, signal });
    if (response.status === 404) {
      await readBodyStart(response.body, LONGEST_DOCUMENT_BYTES);
      return undefined;
    }
    const target = this.target({ method: 'GET', path });
    const body = await readBody(response.body, LONGEST_DOCUMENT_BYTES, target);
    if (response.status !== 200) throw new TransportError('MALFORMED_RESPONSE', target, 'refused');
    return JSON.parse(body.toString('utf8')) as unknown;
  }

  #reportWarnings(header: string | undefined, request: RestRequest): void {
    if (header === undefined) return;
    const answered = { ...request, target: this.target(request) };
    for (const { code, agent, text } of parseWarningHeader(header)) {
      const warning = { code, agent: this.#hidden(agent), text: shownText(text, answered) };
      runHook(this.#logger, 'onWarning', () => this.#onWarning(warning));
    }
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // The parser's message quotes the text, which may be a Secret.
    return undefined;
  }
}

/** Whether the text is the beginning of a JSON text: a body without a length may have been cut without an error. */
function endsTooEarly(body: Buffer): boolean {
  const json = new JsonScanner();
  json.load(body, body.length);
  const start = json.skipSpace(0);
  return start >= body.length || json.skipValue(start) === INCOMPLETE;
}

function logEachOnce(logger: Logger, server: string): (warning: ServerWarning) => void {
  const seen = new LRUCache<string, true>({ max: REMEMBERED_WARNINGS });
  return ({ code, text }) => {
    if (seen.has(text)) return;
    seen.set(text, true);
    logger.warn('the server warns', { server, code, text });
  };
}

/** The problem of a body, with what to do about it. */
function withCheck(problem: string): string {
  return problem.includes('; ')
    ? problem
    : `${problem}; check the server address, and the proxies in front of it`;
}

/** Adds the exchange to an error that only describes the body. */
export function located(error: unknown, target: ExchangeTarget, place: string = ''): unknown {
  if (!(error instanceof ListwatchError)) return error;
  switch (error.code) {
    case 'CONNECTION_FAILED':
    case 'MALFORMED_FRAME':
    case 'MALFORMED_RESPONSE':
    case 'FRAME_TOO_LARGE':
      return new TransportError(error.code, target, place + withCheck(error.message));
    default:
      return error;
  }
}

/** A transport whose requests all have a signal, besides one of their own. */
class BoundTransport extends TransportLayer {
  readonly #signal: AbortSignal;

  constructor(transport: Transport, signal: AbortSignal) {
    super(transport);
    this.#signal = signal;
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    const { signal } = request;
    return this.below.send({ ...request, signal: this.#both(signal) });
  }

  /** Work that passes on the signal it was given has the same one twice. A combined one takes long to make, and stays in memory for long. */
  #both(signal: AbortSignal | undefined): AbortSignal {
    if (signal === undefined || signal === this.#signal) return this.#signal;
    return AbortSignal.any([signal, this.#signal]);
  }
}
