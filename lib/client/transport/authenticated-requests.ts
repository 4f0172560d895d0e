import type { Readable } from 'node:stream';
import { abortable } from '../../kernel/time/abort.ts';
import { asBuffer } from '../../kernel/data/as-buffer.ts';
import { isListwatchError } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { isRefusedCertificate } from './connection/connection-failure.ts';
import { samePem, type Credential, type CredentialSource } from './contract/credential.ts';
import type { TlsOptions } from './contract/tls-options.ts';
import { TransportError } from './contract/transport-error.ts';
import type { HttpExchange } from './http-exchange.ts';
import { credentialAfter, currentCredential } from './request-credentials.ts';

/** A request as it is sent once. */
export interface Attempt {
  readonly exchange: HttpExchange;
  readonly credential: Credential | undefined;
  /** The authorities that are trusted. */
  readonly ca: string | Buffer | undefined;
}

/** The part of an answer that is read here. */
interface AnsweredAttempt {
  readonly status: number;
  readonly data: Readable;
}

export interface AuthenticatedRequestsOptions<Answer> {
  readonly credentials: CredentialSource | undefined;
  readonly ca: TlsOptions['ca'];
  readonly runtime: Runtime;
  /** Sends a request once. Resolves when the headers have arrived. */
  readonly attempt: (attempt: Attempt) => Promise<Answer>;
}

/** An answer up to this size is read to its end, so that its connection can be used again; bytes. */
const DRAINED_BYTES = 64 * 1024;

/** Sends requests with the present credential and authorities, and once more when the server refuses them and they have changed. */
export class AuthenticatedRequests<Answer extends AnsweredAttempt> {
  readonly #options: AuthenticatedRequestsOptions<Answer>;

  constructor(options: AuthenticatedRequestsOptions<Answer>) {
    this.#options = options;
  }

  /** The answer to the request, and the credential that was presented. */
  async send(
    exchange: HttpExchange,
  ): Promise<{ readonly response: Answer; readonly credential: Credential | undefined }> {
    const credential = await this.#waited(
      exchange,
      currentCredential(this.#options.credentials, exchange.signal),
    );
    let response: Answer;
    try {
      response = await this.#answer(exchange, credential);
    } catch (error) {
      if (credential?.cert === undefined || !mayBeTheCertificate(error, exchange)) throw error;
      const other = await this.#another(exchange, credential);
      if (other === undefined) throw error;
      return { response: await this.#answer(exchange, other), credential: other };
    }
    if (response.status !== 401 || credential === undefined) return { response, credential };
    let other: Credential | undefined;
    try {
      other = await this.#another(exchange, credential);
    } catch (error) {
      // The caller gets this error, and never reads the answer, which would keep its connection.
      response.data.destroy();
      throw error;
    }
    if (other === undefined) return { response, credential };
    await drained(response.data);
    return { response: await this.#answer(exchange, other), credential: other };
  }

  async #another(exchange: HttpExchange, rejected: Credential): Promise<Credential | undefined> {
    exchange.headers.pause();
    const other = await this.#waited(
      exchange,
      credentialAfter(rejected, this.#options.credentials, exchange.signal),
    );
    const { timing } = exchange.request;
    if (timing !== undefined && other !== undefined) timing.refreshes += 1;
    return other;
  }

  async #waited<R>({ request }: HttpExchange, found: Promise<R>): Promise<R> {
    const { runtime } = this.#options;
    const { timing } = request;
    if (timing === undefined) return await found;
    const sinceMs = runtime.monotonicMs();
    try {
      return await found;
    } finally {
      timing.add('credential', runtime.monotonicMs() - sinceMs);
    }
  }

  /** The answer with the authorities of now; if they do not fit the server, with those that have replaced them. */
  async #answer(exchange: HttpExchange, credential: Credential | undefined): Promise<Answer> {
    const ca = await this.#authorities(exchange.signal);
    try {
      return await this.#options.attempt({ exchange, credential, ca });
    } catch (error) {
      if (!(error instanceof TransportError) || error.code !== 'CERTIFICATE') throw error;
      exchange.headers.pause();
      const replaced = await this.#authorities(exchange.signal, true);
      if (samePem(replaced, ca)) throw error;
      return await this.#options.attempt({ exchange, credential, ca: replaced });
    }
  }

  async #authorities(
    signal: AbortSignal,
    again: boolean = false,
  ): Promise<string | Buffer | undefined> {
    const { ca: given } = this.#options;
    const ca = typeof given === 'function' ? given(again) : given;
    if (ca === undefined || typeof ca === 'string') return ca;
    const read = ca instanceof Promise ? await abortable(ca, signal) : ca;
    return typeof read === 'string' ? read : asBuffer(read);
  }
}

/**
 * Whether a connection failed because of the client's certificate, and the request can be sent again: the server has not seen it,
 * or it is a read. Some servers close the connection without a reason.
 */
function mayBeTheCertificate(error: unknown, { request }: HttpExchange): boolean {
  if (isRefusedCertificate(error)) return true;
  return request.method === 'GET' && isListwatchError(error, 'CONNECTION_FAILED');
}

/** Reads the rest of a short answer, so that its connection serves the next request. */
async function drained(body: Readable): Promise<void> {
  let bytes = 0;
  try {
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > DRAINED_BYTES) break;
    }
  } catch {
    // The request is sent again in any case; a broken connection fails there.
  }
}
