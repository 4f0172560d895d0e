import { abortable, deriveAbort } from '../../../lib/kernel/time/abort.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { TransportError } from '../../../lib/client/transport/contract/transport-error.ts';
import type {
  BodyReader,
  ResponseBody,
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../../lib/client/transport/contract/transport.ts';

/**
 * The state of the network between client and server. `refusing`: nothing listens. `resetting`: connections break before an answer. `closing`:
 * each stream is answered with 200 and ends at once. `silent`: nothing comes through, in either direction.
 */
export type Weather = 'fair' | 'refusing' | 'resetting' | 'closing' | 'silent';

/** Round trip of a request, milliseconds. */
const LATENCY_MS = 20;
/** After which the transport over sockets gives up connecting, and when TCP tries again meanwhile. */
const CONNECT_TIMEOUT_MS = 10_000;
const CONNECT_TRIES_MS = [1000, 3000, 7000, CONNECT_TIMEOUT_MS];

/** A transport in virtual time whose connections break as scripted, and that counts attempts and open streams. */
export class StormTransport implements Transport {
  weather: Weather = 'fair';
  /** When requests were made, monotonic milliseconds. */
  readonly attempts: number[] = [];
  readonly #transport: Transport;
  readonly #runtime: Runtime;
  readonly #streams = new Set<(error: Error) => void>();
  #openMs = 0;
  #countedToMs: number;

  constructor(transport: Transport, runtime: Runtime) {
    this.#transport = transport;
    this.#runtime = runtime;
    this.#countedToMs = runtime.monotonicMs();
  }

  get server(): string {
    return this.#transport.server;
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  /** The time of all streams that were and are open, together, milliseconds. */
  get openMs(): number {
    this.#count();
    return this.#openMs;
  }

  /** Breaks every open stream. */
  reset(): void {
    for (const broken of this.#streams) {
      broken(this.#failure('CONNECTION_FAILED', 'the connection broke (read ECONNRESET)'));
    }
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    this.attempts.push(this.#runtime.monotonicMs());
    const { signal } = request;
    if (this.weather === 'refusing') {
      throw this.#failure('CONNECTION_REFUSED', 'nothing listens there (connect ECONNREFUSED)');
    }
    await this.#connect(signal);
    await sleep(this.#runtime, LATENCY_MS, { signal });
    if (this.weather === 'resetting') {
      throw this.#failure('CONNECTION_FAILED', 'the connection broke (read ECONNRESET)');
    }
    const response = await this.#transport.send(request);
    if (request.stream !== true || response.status !== 200) return response;
    return { ...response, body: this.#stormy(response.body, signal) };
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** In a silent network until the next try of TCP after it has ended. */
  async #connect(signal: AbortSignal | undefined): Promise<void> {
    let passedMs = 0;
    for (const triedMs of CONNECT_TRIES_MS) {
      if (this.weather !== 'silent') return;
      await sleep(this.#runtime, triedMs - passedMs, { signal });
      passedMs = triedMs;
    }
    throw this.#failure('CONNECTION_FAILED', 'the host cannot be reached (connect ETIMEDOUT)');
  }

  #stormy(body: ResponseBody, signal: AbortSignal | undefined): ResponseBody {
    const inner = body[Symbol.asyncIterator]();
    const life = deriveAbort(signal);
    const broken = (error: Error): void => life.abort(error);
    const finish = (): void => {
      this.#count();
      this.#streams.delete(broken);
      life.destroy();
      inner.return?.().catch(() => {});
    };
    this.#count();
    this.#streams.add(broken);
    life.signal.addEventListener('abort', finish);
    const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
      if (this.weather === 'closing') {
        finish();
        return { done: true, value: undefined };
      }
      const piece = await abortable(inner.next(), life.signal);
      // Bytes that have come in by then stay in the network.
      if (this.weather === 'silent') await abortable(new Promise(() => {}), life.signal);
      if (piece.done === true) finish();
      return piece;
    };
    const reader: BodyReader = {
      next,
      return: () => {
        finish();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
    return { [Symbol.asyncIterator]: () => reader };
  }

  #count(): void {
    const nowMs = this.#runtime.monotonicMs();
    this.#openMs += (nowMs - this.#countedToMs) * this.#streams.size;
    this.#countedToMs = nowMs;
  }

  #failure(code: 'CONNECTION_FAILED' | 'CONNECTION_REFUSED', problem: string): TransportError {
    const target = { server: this.server, method: 'GET', path: '/' };
    return new TransportError(code, target, problem);
  }
}
