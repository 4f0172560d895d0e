import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import { listenError } from '../../../kernel/failure/listen-address.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { deriveAbort } from '../../../kernel/time/abort.ts';
import { Latch } from '../../../kernel/time/latch.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { withDeadline } from '../../../kernel/time/wait.ts';
import type { WebhookMeter } from './webhook-meter.ts';
import { CallBodies, RefusedBody, type ReadBody } from './call-bodies.ts';

export interface WebhookCall {
  readonly body: Buffer;
  /** Aborts when the answer would come too late, or is not waited for. */
  readonly signal: AbortSignal;
}

/** The answer: JSON, or one line that says what went wrong, which is sent as a Status. */
export interface CallAnswer {
  readonly status: number;
  readonly body: object | string;
}

export type AnswerCall = (call: WebhookCall) => Promise<CallAnswer>;

export interface Route {
  readonly answer: AnswerCall;
  /** Larger bodies are refused. */
  readonly largestBytes: number;
}

export interface WebhookListenerOptions {
  /** By path. */
  readonly routes: ReadonlyMap<string, Route>;
  /** Measures the calls of known paths. */
  readonly meter: WebhookMeter;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** One call at a time for each. An API server opens as many as it has calls at once. */
const MOST_CONNECTIONS = 1_000;
/** All bodies that are in memory at once. */
const MOST_BODY_BYTES = 256 * 1024 * 1024;
/** From the first byte of a request to its last one; an API server sends it at once. */
const REQUEST_TIMEOUT_MS = 15_000;
/** A connection without TLS must not take the place of others. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
const CHECK_CONNECTIONS_MS = 1_000;
/** Longer than the 90 s after which Go's client closes an idle connection: a call must not meet a connection that is being closed. */
const KEEP_ALIVE_MS = 120_000;
/** The time that an API server waits by default, and the longest that a call may name. */
const LONGEST_CALL_MS = 30_000;
/** The answer is sent so long before the end of the call. */
const LONGEST_SPARE_MS = 500;
const SPARE_SHARE = 0.2;
const LONGEST_PATH = 120;

/**
 * The HTTPS server of webhooks: reads calls, and sends what their routes answer.
 *
 * Guarantees:
 * - A call is answered before the API server gives up, also when its route does not answer.
 * - At most 1,000 connections, and 256 MiB of bodies. What is beyond is refused, with 503 for bodies.
 * - A request that takes more than 15 s to arrive is ended with 408.
 * - A new certificate is presented to each connection that begins after it was set; the others stay.
 */
export class WebhookListener {
  readonly #options: WebhookListenerOptions;
  readonly #server: Server;
  readonly #bodies = new CallBodies(MOST_BODY_BYTES);
  readonly #idle = new Set<Latch>();
  #running = 0;
  #port = 0;

  constructor(options: WebhookListenerOptions) {
    this.#options = options;
    const limits = {
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    };
    this.#server = createServer({ ...limits, minVersion: 'TLSv1.2' }, (request, response) => {
      void this.#answer(request, response);
    });
    this.#server.maxConnections = MOST_CONNECTIONS;
    // A failed handshake is the matter of its client, who logs why; a scan must not fill our log.
    this.#server.on('tlsClientError', (error) => {
      options.logger.debug('webhooks: a TLS handshake failed', { error: errorMessage(error) });
    });
  }

  /** 0 before `listen`. */
  get port(): number {
    return this.#port;
  }

  /** Calls that are not answered yet. */
  get running(): number {
    return this.#running;
  }

  /** @throws {ListwatchError} code PORT_IN_USE or LISTEN_FAILED. */
  async listen(host: string, port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => {
        reject(listenError(error, host, port));
      });
      this.#server.listen(port, host, resolve);
    });
    this.#server.on('error', (error) => {
      this.#options.logger.error('the webhook server failed', { error });
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** The certificate of connections from now on. */
  present({ certificate, privateKey }: { certificate: string; privateKey: string }): void {
    this.#server.setSecureContext({ cert: certificate, key: privateKey, minVersion: 'TLSv1.2' });
  }

  /** Takes no further connections, and resolves when the running calls are answered; they have `timeoutMs`. */
  async close(timeoutMs: number): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
    this.#server.closeIdleConnections();
    if (this.#running > 0) {
      const idle = new Latch('the running calls to end');
      this.#idle.add(idle);
      const describe = (): string => idle.name;
      const { runtime } = this.#options;
      // Calls that are left have their signals aborted by the end of their connections.
      await withDeadline(runtime, idle.opened, { timeoutMs, describe }).catch(() => {});
      this.#idle.delete(idle);
    }
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#running += 1;
    const { routes, meter } = this.#options;
    const [path = ''] = (request.url ?? '/').split('?', 1);
    const end = routes.has(path) ? meter.begin(path) : undefined;
    const call = deriveAbort();
    response.once('close', () => {
      call.abort();
    });
    try {
      const answer = await this.#answerTo(request, call);
      end?.(answer.status);
      send(response, answer, this.#server.listening);
    } catch (error) {
      end?.(error instanceof RefusedBody ? error.status : 500);
      if (error instanceof RefusedBody) {
        const { status, message, isRead } = error;
        send(response, { status, body: message }, isRead);
      } else if (!response.destroyed && !response.closed) {
        const text = errorMessage(error);
        this.#options.logger.error('webhooks: call failed', { error });
        send(response, { status: 500, body: text }, false);
      }
    } finally {
      call.destroy();
      this.#running -= 1;
      if (this.#running === 0) for (const latch of this.#idle) latch.open();
    }
  }

  async #answerTo(
    request: IncomingMessage,
    call: ReturnType<typeof deriveAbort>,
  ): Promise<CallAnswer> {
    const { routes, runtime } = this.#options;
    const [path = '/', query] = (request.url ?? '/').split('?', 2);
    const route = routes.get(path);
    if (route === undefined) {
      const known = [...routes.keys()].join(', ');
      const shown = JSON.stringify(path.slice(0, LONGEST_PATH));
      throw new RefusedBody(404, `no webhook has the path ${shown}; there are ${known}`, request);
    }
    checkHeaders(request);
    const timeoutMs = callMs(query);
    const limitMs = timeoutMs - Math.min(LONGEST_SPARE_MS, timeoutMs * SPARE_SHARE);
    const tooLate = `there was no answer to the webhook within ${limitMs} ms; raise timeoutSeconds, or let the function pass on its signal`;
    const timer = runtime.setTimer(limitMs, () => {
      this.#options.logger.warn('webhooks: call was not answered in time', {
        path,
        limitMs,
        problem: tooLate,
      });
      call.abort(new LateAnswer(tooLate));
    });
    const late = new Promise<CallAnswer>((resolve) => {
      call.signal.addEventListener('abort', () => {
        resolve({ status: 504, body: tooLate });
      });
    });
    let read: ReadBody | undefined;
    try {
      read = await this.#bodies.read(request, route.largestBytes);
      return await Promise.race([route.answer({ body: read.body, signal: call.signal }), late]);
    } finally {
      timer.cancel();
      read?.release();
    }
  }
}

/** The reason of the signal of a function that took too long. */
class LateAnswer extends Error {}

/** @throws {RefusedBody} */
function checkHeaders(request: IncomingMessage): void {
  const { method, headers } = request;
  if (method !== 'POST') throw new RefusedBody(405, 'webhooks take POST only', request);
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  if (type.trim().toLowerCase() !== 'application/json') {
    const shown = JSON.stringify(type.slice(0, LONGEST_PATH));
    throw new RefusedBody(415, `the Content-Type must be application/json, not ${shown}`, request);
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw new RefusedBody(415, 'the body must not have a Content-Encoding', request);
  }
}

const TIMEOUT = /(?:^|&)timeout=(\d{1,6})(ms|s)(?:&|$)/;

/** How long the API server waits, which it says as `timeout=10s`. */
function callMs(query: string = ''): number {
  const [, amount, unit] = TIMEOUT.exec(query) ?? [];
  if (amount === undefined) return LONGEST_CALL_MS;
  return Math.min(LONGEST_CALL_MS, Number(amount) * (unit === 's' ? 1_000 : 1));
}

/** @param stays whether the connection may be used for further calls */
function send(response: ServerResponse, { status, body }: CallAnswer, stays: boolean): void {
  if (response.destroyed || response.headersSent) return;
  const bytes = Buffer.from(
    JSON.stringify(typeof body === 'string' ? statusOf(status, body) : body),
  );
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    'x-content-type-options': 'nosniff',
    ...(stays ? {} : { connection: 'close' }),
  });
  response.end(bytes);
}

/** API servers show the message of a Status with any code; of other bodies they show the text for some codes only. */
function statusOf(code: number, message: string): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code };
}
