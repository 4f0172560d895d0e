import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import { FENCE_HEADER, FENCE_REFUSED } from '../../../meta/fence-token.ts';
import { TransportLayer } from '../../transport/contract/transport-layer.ts';
import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../transport/contract/transport.ts';
import type { WriteFence } from '../../transport/contract/write-fence.ts';

/** A timer of less could fire at the same moment again and again. */
const SHORTEST_MS = 1;

/**
 * A transport that sends writes only while a lease is held. Reads pass.
 *
 * Guarantees:
 * - The fence is asked when a write comes, and in the last synchronous step before its bytes leave, also when it is sent again.
 * - A write that has no answer when the lease ends by the local clock fails then, with the reason of the fence.
 */
export class FencedTransport extends TransportLayer {
  readonly #fence: WriteFence;
  readonly #runtime: Runtime;

  constructor(transport: Transport, fence: WriteFence, runtime: Runtime) {
    super(transport);
    this.#fence = fence;
    this.#runtime = runtime;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (!writes(request)) return await this.below.send(request);
    const fence = this.#fence;
    fence.check();
    const expired = new AbortController();
    const { signal } = request;
    const signals = [fence.lost, expired.signal, ...(signal === undefined ? [] : [signal])];
    let timer: Timer | undefined;
    const arm = (): void => {
      const leftMs = Math.max(SHORTEST_MS, fence.validUntilMs - this.#runtime.monotonicMs());
      timer = this.#runtime.setTimer(leftMs, () => {
        // The lease may have been renewed meanwhile.
        try {
          fence.check();
          arm();
        } catch (error) {
          expired.abort(error);
        }
      });
    };
    arm();
    let response: TransportResponse;
    try {
      response = await this.below.send({
        ...request,
        headers: { ...request.headers, ...fence.headers },
        signal: AbortSignal.any(signals),
        admit: () => {
          request.admit?.();
          fence.check();
        },
      });
    } finally {
      timer?.cancel();
    }
    if (response.headers[FENCE_HEADER] === FENCE_REFUSED) {
      leave(response);
      throw fence.refused();
    }
    return response;
  }

  /** The connections are those of the transport below, which others use. */
  override close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Whether a request changes something: also a command in a pod, which is a GET. */
function writes({ method, webSocket }: TransportRequest): boolean {
  return method !== 'GET' || webSocket !== undefined;
}

/** The text of the refusal is not read, which closes its connection. */
function leave({ body }: TransportResponse): void {
  void body[Symbol.asyncIterator]()
    .return?.()
    .catch(() => {});
}
