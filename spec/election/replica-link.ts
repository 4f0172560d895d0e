import { connectionFailure } from '../../lib/client/transport/connection/connection-failure.ts';
import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../lib/client/transport/contract/transport.ts';
import { onAbort } from '../../lib/kernel/time/abort.ts';
import type { Runtime } from '../../lib/kernel/time/runtime.ts';
import type { ApiHandler } from '../../lib/server/http/api-request.ts';
import type { ReplicaRuntime } from './replica-runtime.ts';

/** The fault of a request on its way. */
export interface LinkPlan {
  /** The time to the server and back, milliseconds each. */
  latencyMs(): number;
  /** The state of the network between this replica and the server now. */
  partition(): 'none' | 'cut';
  /** Of what was sent into a cut network: whether it arrives after it has healed, as TCP sends it again. */
  arrivesLate(): boolean;
  /** Resolves when the network has healed. */
  healed(): Promise<void>;
  /** The process is stopped for so long between the call and the last check, such as while a connection is made; 0: it is not. */
  pauseBeforeCheckMs(request: TransportRequest): number;
  /** The process is stopped between the last check and the socket for so long; 0: it is not. */
  pauseBeforeSocketMs(request: TransportRequest): number;
}

/** The course of a request. */
export interface LinkReport {
  /** Its bytes leave the process. */
  sent(request: TransportRequest): void;
  /** The server has answered; called at the moment of the answer, whether or not it arrives. */
  answered(request: TransportRequest, status: number, body: unknown): void;
  /** The answer is there for the process. */
  received(request: TransportRequest, status: number, body: unknown): void;
}

export interface ReplicaLinkOptions {
  readonly handler: ApiHandler;
  readonly replica: ReplicaRuntime;
  readonly world: Runtime;
  readonly plan: LinkPlan;
  readonly report: LinkReport;
}

/**
 * The network between one process and the server. The process is asked in the last step before bytes leave it, as with a socket; from then
 * on the request is on its way, whatever happens to the process. A request that was cut off may still be carried out.
 */
export class ReplicaLink implements Transport {
  readonly server = 'http://in-process';
  readonly #options: ReplicaLinkOptions;

  constructor(options: ReplicaLinkOptions) {
    this.#options = options;
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    const { replica, plan, report } = this.#options;
    return new Promise((resolve, reject) => {
      let over = false;
      const settle = (end: () => void): void => {
        if (over) return;
        over = true;
        release();
        end();
      };
      const release = onAbort(request.signal, () => {
        settle(() => reject(request.signal?.reason as Error));
      });
      if (over) return;
      const waitMs = plan.pauseBeforeCheckMs(request);
      if (waitMs > 0) replica.stop(waitMs);
      // Connections, credentials and the like take a while, in which the process may be stopped.
      replica.setTimer(plan.latencyMs() / 10, () => {
        if (over) return;
        try {
          request.admit?.();
        } catch (error) {
          settle(() => reject(error));
          return;
        }
        const leave = (): void => {
          report.sent(request);
          void this.#carry(request).then(
            (response) =>
              replica.run(() => settle(() => resolve(this.#received(request, response)))),
            (error: unknown) =>
              replica.run(() =>
                settle(() => reject(connectionFailure(error, { ...request, server: this.server }))),
              ),
          );
        };
        const pauseMs = plan.pauseBeforeSocketMs(request);
        if (pauseMs === 0) {
          leave();
          return;
        }
        // The next thing that this process does is to hand over the bytes; nothing can stop them.
        replica.stop(pauseMs);
        this.#options.world.setTimer(pauseMs, () => {
          if (!replica.isDead) leave();
        });
      });
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #received(request: TransportRequest, answer: Carried): TransportResponse {
    const { status, headers, body, parsed } = answer;
    if (body instanceof Uint8Array) this.#options.report.received(request, status, parsed);
    return {
      status,
      headers,
      body: body instanceof Uint8Array ? once(body) : this.#streamed(request, body),
    };
  }

  async #carry(request: TransportRequest): Promise<Carried> {
    const { handler, report } = this.#options;
    await this.#travel();
    const { method, path, headers, body, signal } = request;
    const gone = new AbortController();
    if (request.stream === true) onAbort(signal, () => gone.abort());
    const response = await handler({
      method,
      url: path,
      headers: { host: 'in-process', ...headers },
      body: body ?? new Uint8Array(),
      // A server does not notice at once that a client is gone: what has arrived is carried out.
      signal: gone.signal,
    });
    const { status } = response;
    const answer = { status, headers: plain(response.headers) };
    if (request.stream === true && !(response.body instanceof Uint8Array)) {
      await this.#travel();
      return { ...answer, body: response.body, parsed: undefined };
    }
    const parts: Uint8Array[] = [];
    if (response.body instanceof Uint8Array) parts.push(response.body);
    else for await (const part of response.body) parts.push(Uint8Array.from(part));
    const whole = Buffer.concat(parts);
    const parsed: unknown = JSON.parse(whole.toString('utf8'));
    report.answered(request, status, parsed);
    await this.#travel();
    return { ...answer, body: whole, parsed };
  }

  /** The pieces of a watch: each takes its time, and none passes while the network is cut. */
  async *#streamed(
    { signal }: TransportRequest,
    body: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array, undefined> {
    const { replica } = this.#options;
    const source = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const piece = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
          const release = onAbort(signal, () => reject(signal?.reason as Error));
          const take = async (): Promise<void> => {
            const next = await source.next();
            await this.#travel();
            replica.run(() => {
              release();
              resolve(next);
            });
          };
          take().catch(reject);
        });
        if (piece.done === true) return;
        yield Uint8Array.from(piece.value);
      }
    } finally {
      void source.return?.().catch(() => {});
    }
  }

  async #travel(): Promise<void> {
    const { plan, world } = this.#options;
    await new Promise<void>((resolve) => {
      world.setTimer(plan.latencyMs(), resolve);
    });
    if (plan.partition() === 'none') return;
    if (!plan.arrivesLate()) await new Promise(() => {});
    await plan.healed();
  }
}

interface Carried {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  readonly parsed: unknown;
}

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  yield body;
}

function plain(
  headers: Readonly<Record<string, string | readonly string[]>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'string' ? value : value.join(', '),
    ]),
  );
}
