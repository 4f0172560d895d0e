import type { TransportInspection } from './transport-inspection.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** A transport on top of another one: it has a `send` of its own, and passes everything else on. */
export abstract class TransportLayer implements Transport {
  protected readonly below: Transport;

  constructor(below: Transport) {
    this.below = below;
  }

  get server(): string {
    return this.below.server;
  }

  abstract send(request: TransportRequest): Promise<TransportResponse>;

  hide(text: string): string {
    return this.below.hide?.(text) ?? text;
  }

  inspect(): TransportInspection | undefined {
    return this.below.inspect?.();
  }

  close(): Promise<void> {
    return this.below.close();
  }
}
