import type { TransportInspection } from '../../transport/contract/transport-inspection.ts';
import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../transport/contract/transport.ts';

/** A transport whose requests all have a signal, besides one of their own. */
export class BoundTransport implements Transport {
  readonly #transport: Transport;
  readonly #signal: AbortSignal;

  constructor(transport: Transport, signal: AbortSignal) {
    this.#transport = transport;
    this.#signal = signal;
  }

  get server(): string {
    return this.#transport.server;
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    const { signal } = request;
    const both = signal === undefined ? this.#signal : AbortSignal.any([signal, this.#signal]);
    return this.#transport.send({ ...request, signal: both });
  }

  close(): void {
    this.#transport.close();
  }

  inspect(): TransportInspection | undefined {
    return this.#transport.inspect?.();
  }
}
