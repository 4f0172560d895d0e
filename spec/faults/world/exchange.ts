import { request, type IncomingMessage } from 'node:http';
import { constants, createGzip, gzipSync, type Gzip } from 'node:zlib';
import type { Socket } from 'node:net';
import { linesOf } from './lines.ts';
import type { RequestHead } from './request-head.ts';

/** `streaming-list` is a watch that asks for the present state first. */
export type ExchangeKind = 'list' | 'watch' | 'streaming-list' | 'other';

/** Decides what becomes of one line of a watch; sending it on is up to the tap. */
export type FrameTap = (frame: Buffer, exchange: Exchange) => void | Promise<void>;

export interface ForwardOptions {
  /** Asked of the server in place of the path the client sent. */
  readonly path?: string | undefined;
  /** The treatment of each line of a watch. @defaultValue it is sent on */
  readonly tap?: FrameTap | undefined;
  /** Held back until the first line of a watch. @defaultValue false */
  readonly lateHead?: boolean | undefined;
  /** Sends a whole body in so many pieces, over so long. */
  readonly drip?: { readonly pieces: number; readonly overMs: number } | undefined;
  /** Compressed, whatever the client said it takes. @defaultValue false */
  readonly gzip?: boolean | undefined;
  /** Milliseconds after which a watch takes no more from the server, and ends. @defaultValue never */
  readonly lifeMs?: number | undefined;
}

export interface ExchangeParts {
  readonly head: RequestHead;
  readonly socket: Socket;
  readonly targetPort: number;
  /** Called when the connection may carry the next request. */
  readonly onDone: () => void;
}

const CRLF = '\r\n';
const INITIAL_EVENTS_END = '"k8s.io/initial-events-end"';

/** One request of a client and the answer it is given: passed on from the server, or made up, byte by byte. */
export class Exchange {
  readonly kind: ExchangeKind;
  readonly head: RequestHead;
  readonly startedMs: number = performance.now();
  readonly socket: Socket;
  /** The answered status; 0 before there is one. */
  status = 0;
  /** A watch that has sent the present state and goes on with changes. */
  live = false;
  /** The treatment of the lines from now on; may be replaced at any time. */
  tap: FrameTap = (frame, exchange) => exchange.sendFrame(frame);
  readonly #parts: ExchangeParts;
  #answer: IncomingMessage | undefined;
  #gzip: Gzip | undefined;
  #over = false;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.head = parts.head;
    this.socket = parts.socket;
    this.kind = kindOf(parts.head);
    this.socket.once('close', () => {
      this.#leave();
    });
  }

  /** Nothing more will be said. */
  get over(): boolean {
    return this.#over;
  }

  /** Asks the server and passes its answer on. */
  async forward(options: ForwardOptions = {}): Promise<void> {
    if (options.tap !== undefined) this.tap = options.tap;
    const answer = await this.#ask(options.path ?? this.head.path);
    if (answer === undefined || this.#over) {
      this.#breakOff();
      return;
    }
    const streams = this.kind === 'watch' || this.kind === 'streaming-list';
    try {
      if (streams && answer.statusCode === 200) await this.#passStream(answer, options);
      else await this.#passBody(answer, options);
    } catch {
      this.#breakOff();
    }
  }

  /** A whole answer. */
  async respond(
    status: number,
    body: Buffer | string = '',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const bytes = Buffer.from(body);
    await this.sendHead(status, { ...headers, 'content-length': String(bytes.length) });
    await this.write(bytes);
    this.#done();
  }

  /** An answer as an API server would refuse a request. */
  async refuse(
    code: number,
    reason: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    await this.respond(code, statusBody(code, reason, message), {
      'content-type': 'application/json',
      ...headers,
    });
  }

  async sendHead(status: number, headers: Readonly<Record<string, string>>): Promise<void> {
    this.status = status;
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}${CRLF}`);
    await this.write(`HTTP/1.1 ${status} Text${CRLF}${lines.join('')}${CRLF}`);
  }

  /** The head of a stream: a body of chunks. */
  async sendStreamHead(headers: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.sendHead(200, {
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
      ...headers,
    });
  }

  /** One line of a watch, as one chunk. */
  async sendFrame(frame: Buffer | string): Promise<void> {
    const line = Buffer.concat([Buffer.from(frame), Buffer.from('\n')]);
    if (this.#gzip === undefined) {
      await this.sendChunk(line);
      return;
    }
    this.#gzip.write(line);
    this.#gzip.flush(constants.Z_SYNC_FLUSH);
  }

  async sendChunk(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    const size = Buffer.from(bytes.length.toString(16) + CRLF);
    await this.write(Buffer.concat([size, bytes, Buffer.from(CRLF)]));
  }

  /** The last chunk: the body has ended as it should, and the connection may be used again. */
  async endChunks(): Promise<void> {
    if (this.#over) return;
    await this.write(`0${CRLF}${CRLF}`);
    this.#done();
  }

  /** Writes bytes as they are; resolves when the socket wants more. */
  write(bytes: Buffer | string): Promise<void> {
    const { socket } = this;
    if (this.#over || socket.destroyed || socket.write(bytes)) return Promise.resolve();
    return new Promise((resolve) => {
      const release = (): void => {
        socket.off('drain', release);
        socket.off('close', release);
        resolve();
      };
      socket.once('drain', release);
      socket.once('close', release);
    });
  }

  /** RST, once everything written has left. */
  reset(): void {
    this.#leave();
    this.socket.write('', () => this.socket.resetAndDestroy());
  }

  /** FIN, once everything written has left; the body stays unfinished. */
  finish(): void {
    this.#leave();
    this.socket.end(() => this.socket.destroy());
  }

  /** Says nothing any more and leaves the connection open; whatever the client still sends is lost. */
  freeze(): void {
    this.#leave();
  }

  /** Lets the tap see one more line. */
  nextFrame(tap: FrameTap): Promise<void> {
    return this.nextFrames(1, tap);
  }

  /** Lets the tap see `count` more lines, then sends on as before; resolves then, or when the exchange has ended. */
  nextFrames(count: number, tap: FrameTap): Promise<void> {
    const before = this.tap;
    let left = count;
    return new Promise((resolve) => {
      this.socket.once('close', () => {
        resolve();
      });
      this.tap = async (frame, exchange) => {
        left -= 1;
        if (left <= 0) this.tap = before;
        await tap(frame, exchange);
        if (left <= 0) resolve();
      };
    });
  }

  #ask(path: string): Promise<IncomingMessage | undefined> {
    if (this.#over) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const { targetPort } = this.#parts;
      // Faults read the answers of the server.
      const headers = { ...this.head.headers, 'accept-encoding': 'identity' };
      const upstream = request(
        { host: '127.0.0.1', port: targetPort, path, agent: false, headers },
        (answer) => {
          this.#answer = answer;
          if (this.#over) answer.destroy();
          resolve(answer);
        },
      );
      upstream.on('error', () => {
        resolve(undefined);
      });
      this.socket.once('close', () => {
        upstream.destroy();
        resolve(undefined);
      });
      upstream.end();
    });
  }

  async #passStream(answer: IncomingMessage, options: ForwardOptions): Promise<void> {
    const life =
      options.lifeMs === undefined
        ? undefined
        : setTimeout(() => {
            this.finish();
          }, options.lifeMs);
    this.socket.once('close', () => {
      clearTimeout(life);
    });
    const encoding = options.gzip === true ? { 'content-encoding': 'gzip' } : {};
    if (options.gzip === true) {
      this.#gzip = createGzip();
      this.#gzip.on('data', (piece: Buffer) => void this.sendChunk(piece));
    }
    let headSent = options.lateHead !== true;
    if (headSent) await this.sendStreamHead(encoding);
    this.live = this.kind === 'watch' && headSent;
    for await (const frame of linesOf(answer)) {
      if (this.#over) return;
      if (!headSent) await this.sendStreamHead(encoding);
      headSent = true;
      await this.tap(frame, this);
      this.live ||= this.kind === 'watch' || frame.includes(INITIAL_EVENTS_END);
    }
    if (!headSent) await this.sendStreamHead(encoding);
    await this.endChunks();
  }

  async #passBody(answer: IncomingMessage, options: ForwardOptions): Promise<void> {
    const { drip, gzip = false } = options;
    const pieces: Buffer[] = [];
    for await (const piece of answer) pieces.push(piece as Buffer);
    const plain = Buffer.concat(pieces);
    const body = gzip ? gzipSync(plain) : plain;
    const status = answer.statusCode ?? 502;
    const headers = {
      'content-type': answer.headers['content-type'] ?? 'application/json',
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    };
    if (drip === undefined) {
      await this.respond(status, body, headers);
      return;
    }
    await this.sendHead(status, { ...headers, 'content-length': String(body.length) });
    const size = Math.ceil(body.length / drip.pieces);
    for (let start = 0; start < body.length && !this.#over; start += size) {
      await pause(drip.overMs / drip.pieces);
      await this.write(body.subarray(start, start + size));
    }
    this.#done();
  }

  /** The server broke off, and so does the proxy, unless it was the proxy that left the server. */
  #breakOff(): void {
    if (!this.#over) this.reset();
  }

  #done(): void {
    if (this.#over) return;
    this.#leave();
    this.#parts.onDone();
  }

  #leave(): void {
    this.#over = true;
    this.live = false;
    this.#answer?.destroy();
  }
}

/** The JSON of a Status. */
export function statusBody(code: number, reason: string, message: string): string {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  return JSON.stringify({ ...status, message, reason, code });
}

/** An ERROR event. */
export function errorFrame(code: number, reason: string, message: string): string {
  return `{"type":"ERROR","object":${statusBody(code, reason, message)}}`;
}

export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });
}

function kindOf({ method, path }: RequestHead): ExchangeKind {
  const { pathname, searchParams } = new URL(path, 'http://proxy');
  if (method !== 'GET' || !pathname.endsWith('/configmaps')) return 'other';
  if (!/^(?:1|true)$/.test(searchParams.get('watch') ?? '')) return 'list';
  return searchParams.get('sendInitialEvents') === 'true' ? 'streaming-list' : 'watch';
}
