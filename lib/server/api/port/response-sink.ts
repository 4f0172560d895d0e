import type { ServerResponse } from 'node:http';
import type { ApiResponse } from '../../http/api-request.ts';
import { chunkAround } from '../../http/responses/chunk.ts';

/** The connection that a response goes to, of HTTP/1.1 or HTTP/2. */
export interface ResponseSink {
  /** The client has disconnected or was disconnected. */
  readonly isDestroyed: boolean;
  /** The client has to read before more should be written. */
  readonly needsDrain: boolean;
  /** All of the response was passed to the socket. */
  readonly isComplete: boolean;
  /** The status that was sent; 0 before. */
  readonly status: number;
  /** Sends the whole response. */
  sendWhole(status: number, headers: ApiResponse['headers'], body: Uint8Array): void;
  /** Sends status and headers at once; pieces follow. */
  begin(status: number, headers: ApiResponse['headers']): void;
  /** Returns whether there is room for more. */
  write(piece: Uint8Array): boolean;
  end(): void;
  /** Ends an incomplete response so that the client notices. */
  destroy(): void;
  /** Breaks the whole connection. */
  reset(): void;
  onDrain(listener: () => void): void;
  /** Called once, after the end of the response or of the connection. */
  onClose(listener: () => void): void;
}

type NodeHeaders = Record<string, string | string[]>;

/** A response of HTTP/1.1. */
export class Http1Sink implements ResponseSink {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    // An error of the socket is followed by `close`, which is handled.
    response.on('error', () => {});
  }

  get isDestroyed(): boolean {
    return this.#response.destroyed;
  }

  get needsDrain(): boolean {
    return this.#response.writableNeedDrain;
  }

  get isComplete(): boolean {
    return this.#response.writableFinished;
  }

  get status(): number {
    return this.#response.headersSent ? this.#response.statusCode : 0;
  }

  sendWhole(status: number, headers: ApiResponse['headers'], body: Uint8Array): void {
    const response = this.#response;
    // A list of names and values is the form that Node passes on as it is; a header that was set before makes it copy all of them.
    const lines = status === 304 ? [] : ['content-length', String(body.byteLength)];
    for (const name in headers) {
      const value = headers[name] as string | readonly string[];
      if (typeof value === 'string') lines.push(name, value);
      else for (const one of value) lines.push(name, one);
    }
    response.writeHead(status, lines);
    response.end(body);
  }

  begin(status: number, headers: ApiResponse['headers']): void {
    this.#response.writeHead(status, headers as NodeHeaders);
    this.#response.flushHeaders();
  }

  write(piece: Uint8Array): boolean {
    const response = this.#response;
    const chunk = response.chunkedEncoding ? chunkAround(piece) : undefined;
    if (chunk === undefined) return response.write(piece);
    // The chunk has its framing already, so Node must not add it.
    response.chunkedEncoding = false;
    const hasRoom = response.write(chunk);
    response.chunkedEncoding = true;
    return hasRoom;
  }

  end(): void {
    this.#response.end();
  }

  destroy(): void {
    // Node holds the writes of one turn back; what was written goes out first.
    this.#response.socket?.uncork();
    this.#response.destroy();
  }

  reset(): void {
    this.destroy();
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', listener);
  }

  onClose(listener: () => void): void {
    this.#response.on('close', listener);
  }
}
