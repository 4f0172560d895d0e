import { EventEmitter } from 'node:events';
import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { endOf, failureOf, Http2Response } from './http2-response.ts';
import type { StreamSlot } from './http2-session.ts';

/** The options that axios passes to the transport of a request. */
interface RequestOptions {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

/** Headers that belong to a connection of HTTP/1.1; RFC 9113 forbids them. */
const HOP_BY_HOP = new Set(['connection', 'host', 'keep-alive', 'transfer-encoding', 'upgrade']);

/** A request on a stream, with those methods and events of a request of HTTP/1.1 that axios uses. */
class Http2Request extends EventEmitter {
  /** As the property of a request of HTTP/1.1. */
  readonly reusedSocket: boolean;
  readonly #slot: StreamSlot;
  readonly #stream: ClientHttp2Stream;
  #answered = false;

  constructor(
    slot: StreamSlot,
    stream: ClientHttp2Stream,
    respond: (response: Http2Response) => void,
  ) {
    super();
    this.reusedSocket = slot.reused;
    this.#slot = slot;
    this.#stream = stream;
    const end = endOf(stream);
    stream.once('response', (headers) => {
      this.#answered = true;
      const response = new Http2Response({ slot, stream, end, headers });
      // Before it is read, it has no other listener.
      response.on('error', () => {});
      respond(response);
    });
    stream.on('error', (error: Error) => this.#failed(failureOf(slot, stream, error)));
    stream.once('close', () => {
      this.#failed(failureOf(slot, stream));
      this.emit('close');
    });
  }

  get destroyed(): boolean {
    return this.#stream.destroyed;
  }

  setTimeout(): void {
    // The Runtime has the timers.
  }

  write(bytes: Uint8Array): void {
    this.#stream.write(bytes);
  }

  end(): void {
    this.#stream.end();
  }

  /** Called when the request was aborted. */
  close(): void {
    this.#slot.cancel();
  }

  #failed(error: Error): void {
    if (this.#answered) return;
    this.#answered = true;
    this.emit('error', error);
  }
}

/** The `transport` of an axios request that is sent in `slot`. */
export interface StreamTransport {
  request(options: RequestOptions, respond: (response: Http2Response) => void): EventEmitter;
}

/** @param admit See `TransportRequest.admit`. The session is open, so that the frames are written at the end of this step. */
export function streamTransport(
  slot: StreamSlot,
  hasBody: boolean,
  admit?: () => void,
): StreamTransport {
  return {
    request: ({ method, path, headers }, respond) => {
      admit?.();
      const sent: OutgoingHttpHeaders = { ':method': method, ':path': path };
      for (const [name, value] of Object.entries(headers)) {
        if (!HOP_BY_HOP.has(name.toLowerCase())) sent[name] = value;
      }
      return new Http2Request(slot, slot.request(sent, { endStream: !hasBody }), respond);
    },
  };
}
