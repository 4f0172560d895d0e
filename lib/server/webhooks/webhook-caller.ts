import { Agent } from 'node:https';
import type { Readable } from 'node:stream';
import type { AxiosRequestConfig, AxiosResponse } from 'axios';
import { abortable, deriveAbort, onAbort } from '../../kernel/time/abort.ts';
import { isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import { dependencyFailure } from '../../kernel/options/dependency-failure.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import {
  clusterServices,
  resolvedOrigin,
  serviceHost,
  type ServiceResolver,
  type WebhookService,
} from './service-resolver.ts';
import { answeredObject, webhookFailed, type AnyRecord } from './webhook-answer.ts';
import { noAnswerText, refusedText } from './webhook-failure-text.ts';

const SLASH = 0x2f;
/** Characters that Go does not escape in the path of a URL. */
const PLAIN = /[A-Za-z\d\-_.~$&+,/:;=@]/;

/**
 * The path at which a webhook is called: percent-encoding is read first, so `%2F` separates as well; then empty segments, `.` and `..` are
 * resolved, and what is left is encoded in Go's way.
 */
export function webhookPath(text: string): string {
  const kept: string[] = [];
  for (const segment of segmentsOf(decoded(text))) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/** The bytes of a path; `%` without two hexadecimal digits is itself, as validation refuses it. */
function decoded(text: string): Buffer {
  const pieces = text.split(/(%[\dA-Fa-f]{2})/);
  return Buffer.concat(
    pieces.map((piece, index) =>
      index % 2 === 0 ? Buffer.from(piece) : Buffer.from(piece.slice(1), 'hex'),
    ),
  );
}

/** The segments of a path, encoded. */
function segmentsOf(path: Buffer): string[] {
  const segments = [''];
  for (const byte of path) {
    if (byte === SLASH) segments.push('');
    else segments[segments.length - 1] += encoded(byte);
  }
  return segments;
}

function encoded(byte: number): string {
  const character = String.fromCharCode(byte);
  return PLAIN.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Where a webhook is: `url`, or `service`. */
export interface WebhookClientConfig {
  readonly url?: string | undefined;
  readonly service?: (WebhookService & { readonly path?: string | undefined }) | undefined;
  /** The authorities that may sign its certificate, or that certificate itself, PEM. @defaultValue those of the system */
  readonly caBundle?: string | undefined;
}

export interface WebhookCallOptions {
  readonly timeoutMs: number;
  /** Whether the time limit is one of the request, as errors say it; else it is one of the client. @defaultValue false */
  readonly ofRequest?: boolean | undefined;
  /** The kind of an answer that does not name it. @defaultValue an error */
  readonly answerType?: { readonly apiVersion: string; readonly kind: string } | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface WebhookCallerOptions {
  readonly runtime: Runtime;
  /** @defaultValue `clusterServices` */
  readonly resolveService?: ServiceResolver | undefined;
}

/** Largest answer that is read, bytes. */
export const LARGEST_ANSWER_BYTES: number = 32 * 1024 * 1024;

/** Connections to one webhook that are kept for later calls. */
const KEPT_CONNECTIONS = 16;

/** One webhook with its connections. */
export interface WebhookClient {
  /**
   * Sends `body` as JSON and returns the object in the answer.
   * @throws {ListwatchError} code WEBHOOK_FAILED, in the words of kube-apiserver; ABORTED; CLOSED.
   */
  post(body: unknown, options: WebhookCallOptions): Promise<AnyRecord>;
  /** Closes the connections after the calls that are running. */
  close(): void;
}

/**
 * Calls webhooks: one POST over HTTPS each.
 *
 * Guarantees:
 * - A call ends within its time limit. It is not repeated, and a redirect is not followed.
 * - An answer has at most `LARGEST_ANSWER_BYTES`.
 * - After `close` no call is running, and no connection is open.
 *
 * @see apiserver pkg/util/webhook/client.go @ v0.36.3
 */
export class WebhookCaller {
  readonly #runtime: Runtime;
  readonly #resolve: ServiceResolver;
  readonly #abort = new AbortController();
  readonly #clients = new Set<HttpsWebhook>();

  constructor({ runtime, resolveService = clusterServices }: WebhookCallerOptions) {
    this.#runtime = runtime;
    this.#resolve = resolveService;
  }

  /** A client for one webhook; nothing is connected before its first call. Close it when the configuration changes. */
  open(config: WebhookClientConfig): WebhookClient {
    const client = new HttpsWebhook(config, {
      runtime: this.#runtime,
      resolve: this.#resolve,
      closed: this.#abort.signal,
      onEnd: () => this.#clients.delete(client),
    });
    this.#clients.add(client);
    return client;
  }

  /** Ends the running calls, and closes all connections. */
  close(): void {
    this.#abort.abort(new ListwatchError('CLOSED', 'the server is closed'));
    for (const client of this.#clients) client.end();
  }
}

interface WebhookParts {
  readonly runtime: Runtime;
  readonly resolve: ServiceResolver;
  readonly closed: AbortSignal;
  readonly onEnd: () => void;
}

class HttpsWebhook implements WebhookClient {
  readonly #config: WebhookClientConfig;
  readonly #parts: WebhookParts;
  #agent: Agent | undefined;
  #running = 0;
  #closing = false;

  constructor(config: WebhookClientConfig, parts: WebhookParts) {
    this.#config = config;
    this.#parts = parts;
  }

  async post(body: unknown, options: WebhookCallOptions): Promise<AnyRecord> {
    const { timeoutMs, signal, ofRequest, answerType } = options;
    const { closed, runtime } = this.#parts;
    const call = deriveAbort(signal);
    const release = onAbort(closed, () => {
      call.abort(closed.reason);
    });
    const timer = runtime.setTimer(timeoutMs, () => {
      call.abort(webhookFailed(ofRequest === true ? OUT_OF_TIME : TIMED_OUT));
    });
    this.#running += 1;
    try {
      const url = `${addressOf(this.#config)}?timeout=${Math.ceil(timeoutMs / 1000)}s`;
      const { status, data, headers } = await this.#exchange(
        url,
        JSON.stringify(body),
        call.signal,
      );
      const type = String(headers['content-type'] ?? '');
      if (status >= 300 && status < 400) {
        const to = JSON.stringify(headers['location'] ?? '');
        throw webhookFailed(`Post ${JSON.stringify(url)}: redirect to ${to} refused`);
      }
      if (status < 200 || status >= 300) throw webhookFailed(refusedText(status, data, type));
      return answeredObject(data, { status, contentType: type, answerType });
    } finally {
      timer.cancel();
      release();
      call.destroy();
      this.#running -= 1;
      if (this.#closing && this.#running === 0) this.end();
    }
  }

  close(): void {
    this.#closing = true;
    if (this.#running === 0) this.end();
  }

  end(): void {
    this.#agent?.destroy();
    this.#agent = undefined;
    this.#parts.onEnd();
  }

  /** @throws {ListwatchError} code WEBHOOK_FAILED without an answer; the reason of the signal. */
  async #exchange(url: string, body: string, signal: AbortSignal): Promise<Answered> {
    let response: AxiosResponse<Readable>;
    try {
      signal.throwIfAborted();
      // A connection that does not react to an abort must not keep the call.
      response = await abortable(this.#send(url, body, signal), signal);
    } catch (error) {
      const text = failureText(error, signal);
      throw webhookFailed(`Post ${JSON.stringify(url)}: ${text}`, error);
    }
    const { status, headers, data } = response;
    try {
      return { status, headers, data: await abortable(textOf(data), signal) };
    } catch (error) {
      data.destroy();
      const text = failureText(error, signal);
      const what = 'unexpected error when reading response body. Please retry. Original error';
      throw webhookFailed(`${what}: ${text}`, error);
    }
  }

  async #send(url: string, body: string, signal: AbortSignal): Promise<AxiosResponse<Readable>> {
    const { service, caBundle } = this.#config;
    const target = new URL(url);
    let address = url;
    if (service !== undefined) {
      const origin = await resolvedOrigin(this.#parts.resolve, service);
      address = `${origin}${target.pathname}${target.search}`;
    }
    // It takes longer to load than the rest of the server.
    const { default: axios } = await import('axios').catch((error: unknown) => {
      throw dependencyFailure('axios', error);
    });
    signal.throwIfAborted();
    this.#agent ??= new Agent({
      keepAlive: true,
      maxFreeSockets: KEPT_CONNECTIONS,
      ca: caBundle,
      // Go accepts a certificate that is in the bundle itself, and test environments give webhooks such bundles.
      allowPartialTrustChain: true,
      ...(service === undefined ? {} : { servername: serviceHost(service) }),
    });
    return await axios.request<Readable>({
      ...EXCHANGE,
      url: address,
      data: body,
      headers: { ...HEADERS, Host: target.host },
      httpsAgent: this.#agent,
      signal,
    });
  }
}

const OUT_OF_TIME = 'context deadline exceeded';
interface Answered extends Pick<AxiosResponse, 'status' | 'headers'> {
  readonly data: string;
}

/** Why a call has ended without an answer. @throws {ListwatchError} the reason of the signal, unless it is the time limit. */
function failureText(error: unknown, signal: AbortSignal): string {
  const failure: unknown = signal.aborted ? signal.reason : error;
  if (isListwatchError(failure) && failure.code !== 'WEBHOOK_FAILED') throw failure;
  return isListwatchError(failure) ? failure.message : noAnswerText(failure);
}

/** @throws {ListwatchError} code WEBHOOK_FAILED for a body that is too large. */
async function textOf(body: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.byteLength;
    if (size > LARGEST_ANSWER_BYTES) {
      throw webhookFailed(`the answer is larger than ${LARGEST_ANSWER_BYTES} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

const TIMED_OUT = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';

const HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, */*',
  'User-Agent': 'kube-apiserver-admission',
} as const;

const EXCHANGE: AxiosRequestConfig = {
  adapter: 'http',
  method: 'POST',
  responseType: 'stream',
  maxRedirects: 0,
  proxy: false,
  timeout: 0,
  maxBodyLength: Number.POSITIVE_INFINITY,
  validateStatus: () => true,
  transformRequest: [],
  transformResponse: [],
};

/** The path in a URL as it is written. */
const PATH = /^[^:]*:\/\/[^/?#]*([^?#]*)/;

/** The URL that errors name. @throws {ListwatchError} code WEBHOOK_FAILED for anything but HTTPS. */
function addressOf({ url, service }: WebhookClientConfig): string {
  if (service !== undefined) {
    const { path = '', port } = service;
    return `https://${serviceHost(service)}:${port}${webhookPath(path)}`;
  }
  if (url === undefined)
    throw webhookFailed('webhook configuration must have either service or URL');
  // Validation refuses other URLs; a definition may have been stored without it.
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:') {
    throw webhookFailed(
      `Post ${JSON.stringify(url)}: the URL of a webhook must begin with https://`,
    );
  }
  return new URL(url).origin + webhookPath(PATH.exec(url)?.[1] ?? '');
}
