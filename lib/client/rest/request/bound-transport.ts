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
    return this.#transport.send({ ...request, signal: this.#both(signal) });
  }

  /** Work that passes on the signal it was given has the same one twice. A combined one takes long to make, and stays in memory for long. */
  #both(signal: AbortSignal | undefined): AbortSignal {
    if (signal === undefined || signal === this.#signal) return this.#signal;
    return AbortSignal.any([signal, this.#signal]);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  inspect(): TransportInspection | undefined {
    return this.#transport.inspect?.();
  }
}
