import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../../lib/client/transport/contract/transport.ts';

export interface ScriptedAnswer {
  /** @defaultValue 200 */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON, unless it is a text, bytes or an array of pieces. */
  readonly body?: unknown;
}

/** A transport that answers as a spec scripts, piece by piece, and keeps what it was asked. */
export class ScriptedTransport implements Transport {
  readonly server = 'http://scripted';
  readonly requests: TransportRequest[] = [];
  /** Bodies that were read to their end, or left. */
  finished = 0;
  closed = false;
  readonly #script: (request: TransportRequest, index: number) => ScriptedAnswer;

  constructor(script: (request: TransportRequest, index: number) => ScriptedAnswer) {
    this.#script = script;
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(request);
    const { status = 200, headers = {}, body } = this.#script(request, this.requests.length - 1);
    return Promise.resolve({ status, headers, body: this.#body(body) });
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }

  async *#body(body: unknown): AsyncGenerator<Uint8Array> {
    try {
      for (const piece of piecesOf(body)) {
        if (piece instanceof Error) throw piece;
        yield Buffer.from(piece);
      }
    } finally {
      this.finished += 1;
    }
  }
}

function piecesOf(body: unknown): (string | Uint8Array | Error)[] {
  if (body === undefined) return [];
  if (Array.isArray(body)) return body as string[];
  if (typeof body === 'string' || body instanceof Uint8Array) return [body];
  return [JSON.stringify(body)];
}
