import { asBuffer } from '../../../kernel/data/as-buffer.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { ApiError } from '../../../meta/failure/api-error.ts';
import { DiscoveryLookUp } from '../../../client/rest/explain/discovery-look-up.ts';
import { responseError } from '../../../client/rest/request/response-error.ts';
import { readBody } from '../../../client/transport/body/read-body.ts';
import {
  TransportError,
  type ExchangeTarget,
} from '../../../client/transport/contract/transport-error.ts';
import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../../client/transport/contract/transport.ts';

/** The most bytes of one answer that are read: a page of 500 large objects fits. */
const LONGEST_ANSWER_BYTES = 256 * 1024 * 1024;

export interface ProbeRequest {
  readonly method?: 'GET' | 'POST' | undefined;
  /** Path and query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

/** An answer that was read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: TransportResponse['headers'];
  readonly bytes: number;
  /** The decoded body of a 2xx answer. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The failure, when the status is not 2xx. */
  readonly error?: ApiError | undefined;
  /** Wall-clock milliseconds. */
  readonly sentMs: number;
  /** When the headers arrived, wall-clock milliseconds. */
  readonly receivedMs: number;
  /** From sending the request to the last byte, milliseconds. */
  readonly tookMs: number;
}

/** Requests that are measured. It checks no status, and sends nothing twice. */
export class RequestProbe {
  readonly #transport: Transport;
  readonly #runtime: Runtime;
  /** It is for errors of calls of a resource, and these are requests of a path. */
  readonly #served: DiscoveryLookUp;

  constructor(transport: Transport, runtime: Runtime) {
    this.#transport = transport;
    this.#runtime = runtime;
    const lookUp = (): Promise<never> => Promise.reject(new Error('the doctor asks by itself'));
    this.#served = new DiscoveryLookUp({ lookUp, runtime });
  }

  /** @throws {TransportError} when there is no answer; code MALFORMED_RESPONSE for a 2xx answer that is not a JSON object. */
  async answer({ method = 'GET', path, body, signal }: ProbeRequest): Promise<Answer> {
    const startedMs = this.#runtime.monotonicMs();
    const sentMs = this.#runtime.wallMs();
    const response = await this.#transport.send({
      method,
      path,
      signal,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: asBuffer(Buffer.from(JSON.stringify(body))) }),
    });
    const receivedMs = this.#runtime.wallMs();
    const { status, headers } = response;
    const target = this.#target(method, path);
    const read = { bytes: 0, json: {} };
    let error: ApiError | undefined;
    if (status >= 200 && status < 300) {
      const content = await readBody(response.body, LONGEST_ANSWER_BYTES, target);
      read.bytes = content.length;
      read.json = parsed(content) ?? refuse(target, headers['content-type'], content);
    } else {
      error = await this.#errorOf(response, target);
    }
    const tookMs = this.#runtime.monotonicMs() - startedMs;
    return { status, headers, ...read, error, sentMs, receivedMs, tookMs };
  }

  /** The body of a 2xx answer. @throws {ApiError} for any other answer; as `answer` does. */
  async json(request: ProbeRequest): Promise<Readonly<Record<string, unknown>>> {
    const { error, json } = await this.answer(request);
    if (error !== undefined) throw error;
    return json;
  }

  /** An answer whose body stays open. @throws {ApiError} when it is not 2xx. {TransportError} when there is none. */
  async stream(path: string, signal: AbortSignal): Promise<TransportResponse> {
    const request: TransportRequest = {
      method: 'GET',
      path,
      headers: { accept: 'application/json' },
      stream: true,
      signal,
    };
    const response = await this.#transport.send(request);
    if (response.status >= 200 && response.status < 300) return response;
    const target = this.#target('GET', path);
    throw await this.#errorOf(response, target);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #target(method: string, path: string): ExchangeTarget {
    const { server } = this.#transport;
    return { server, method, path, hide: (text) => this.#transport.hide?.(text) ?? text };
  }

  async #errorOf(response: TransportResponse, target: ExchangeTarget): Promise<ApiError> {
    const nowWallMs = this.#runtime.wallMs();
    return await responseError(response, { target, served: this.#served, nowWallMs });
  }
}

function parsed(content: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(content.toString('utf8'));
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function refuse(target: ExchangeTarget, contentType: string | undefined, content: Buffer): never {
  const title = /<title[^>]*>([^<]{1,80})/i.exec(content.subarray(0, 4096).toString('utf8'))?.[1];
  const page = title === undefined ? '' : `, with the title ${JSON.stringify(title.trim())}`;
  throw new TransportError(
    'MALFORMED_RESPONSE',
    target,
    `the answer is no JSON object but ${contentType ?? 'of no content type'}, ${content.length} bytes${page}`,
  );
}
