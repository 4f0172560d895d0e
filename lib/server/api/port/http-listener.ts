import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { constants as http2Constants, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { errorMessage, ListwatchError } from '../../../kernel/failure/errors.ts';
import { deferred } from '../../../kernel/time/latch.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { is } from '../../../kernel/options/options-schema.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { nextTask } from '../../../kernel/time/wait.ts';
import type { ApiRequest, ApiResponse } from '../../http/api-request.ts';
import { failureResponse } from '../../http/responses/document-response.ts';
import { standardAnswer } from '../../http/responses/standard-headers.ts';
import { ConnectionReset } from '../../http/connection-reset.ts';
import { LARGEST_BODY_BYTES } from '../../http/body/body.ts';
import { readBody, headOf, type Incoming } from './incoming.ts';
import { compressed } from './compression.ts';
import { ConnectionAborts } from './connection-aborts.ts';
import { foreignHost, lastAnswer } from './final-answers.ts';
import { GzipMembers } from './gzip-members.ts';
import { Http2Sessions, type Http2Request } from './http2-sessions.ts';
import {
  HTTP_LISTENER,
  type HttpListenerOptions,
  type FilledHttpListenerOptions,
} from './http-listener-options.ts';
import { Http2Sink } from './http2-sink.ts';
import { listenError, urlHost } from '../../../kernel/failure/listen-address.ts';
import { hostIsLocal, isLoopback } from '../../../kernel/failure/loopback.ts';
import { entityTooLarge, toApiError } from '../../http/request-failures.ts';
import { RequestObservers, type RequestClock, type RequestRecord } from './request-record.ts';
import { Http1Sink } from './response-sink.ts';
import { shownCertificate, TLS_HANDSHAKE, TlsGreeting } from './tls-greeting.ts';
import { ResponseWriter } from './response-writer.ts';
import { asksForWebSocket, takeProtocolToken, withoutUpgrade } from './upgrade-request.ts';
import { sendOverWebSocket } from './web-socket-answer.ts';

export interface ListenOptions {
  /** An address other than loopback opens the server to the network. @defaultValue '127.0.0.1' */
  readonly host?: string | undefined;
  /** 0: a free port. @defaultValue 0 */
  readonly port?: number | undefined;
}

/** Longer than the 90 s after which Go clients close an idle connection, so that both ends do not close at the same time. */
const KEEP_ALIVE_MS = 120_000;

/** Of the request line and the headers, as in kube-apiserver. @see Go net/http DefaultMaxHeaderBytes */
const LARGEST_HEADERS_BYTES = 1024 * 1024;

const PORT = is.integer({ min: 0, max: 65_535 });

/**
 * Serves an API on a port. Clients may use HTTP or, with a certificate, TLS on the same port; the first byte says which.
 *
 * Guarantees:
 * - A client that disconnects aborts its request; a client that does not read its response is disconnected.
 * - On a loopback address only requests for a local host name are served, so that web pages of other origins have no access.
 * - After `close` no socket and no timer is left.
 */
export class HttpListener {
  readonly #handler: HttpListenerOptions['handler'];
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #options: FilledHttpListenerOptions;
  readonly #requests: RequestObservers;
  /** Undefined: plain HTTP only. */
  readonly #tls: TlsGreeting | undefined;
  /** Made when it is first needed: a server in a process often never listens, and one of Node's keeps its memory for long. */
  #made: Server | undefined;
  readonly #http2: Http2Sessions;
  readonly #members = new GzipMembers();
  readonly #aborts = new ConnectionAborts();
  readonly #sockets = new Set<Socket>();
  readonly #writers = new Set<{ end(): void }>();
  /** The last response of each connection, while it is being sent. */
  readonly #responses = new Map<Socket, ServerResponse>();
  #host = '';
  #localOnly = true;
  #closing: Promise<void> | undefined;
  #idle: (() => void) | undefined;

  constructor(options: HttpListenerOptions) {
    const read = HTTP_LISTENER.read(options);
    const { handler, runtime, logger, certificate, asksForCertificate, onRequest } = read;
    this.#handler = handler;
    this.#runtime = runtime;
    this.#logger = logger;
    this.#options = read;
    if (certificate !== undefined) this.#tls = new TlsGreeting({ certificate, asksForCertificate });
    this.#requests = new RequestObservers(runtime, logger);
    if (onRequest !== undefined) this.#requests.add(onRequest);
    this.#http2 = new Http2Sessions({
      serve: (stream, head) => {
        this.#serveHttp2(stream, head);
      },
      runtime,
      largestHeadersBytes: LARGEST_HEADERS_BYTES,
      keepAliveMs: KEEP_ALIVE_MS,
    });
  }

  /** `host:port`, in the form of a URL; empty before `listen`. */
  get address(): string {
    return this.#host;
  }

  /**
   * @throws {ListwatchError} code PORT_IN_USE; LISTEN_FAILED for another reason; ALREADY_STARTED; CLOSED.
   */
  async listen({ host = '127.0.0.1', port = 0 }: ListenOptions = {}): Promise<void> {
    if (this.#closing !== undefined) throw new ListwatchError('CLOSED', 'the server is closed');
    if (this.#server.listening) {
      throw new ListwatchError('ALREADY_STARTED', `the server listens on ${this.#host} already`);
    }
    const checked = PORT.default(0).read('listen', 'port', port);
    const listening = deferred<void>();
    const refused = (error: Error): void => {
      listening.reject(listenError(error, host, checked));
    };
    this.#server.once('error', refused);
    this.#server.listen(checked, host, () => listening.resolve());
    await listening.promise;
    this.#server.off('error', refused);
    const address = this.#server.address() as AddressInfo;
    this.#localOnly = isLoopback(address.address);
    this.#host = `${urlHost(host)}:${address.port}`;
  }

  /** Calls a function after each request, as `onRequest`, until the returned one is called. */
  observeRequests(observer: (record: RequestRecord) => void): () => void {
    return this.#requests.add(observer);
  }

  /** Open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /**
   * Destroys all connections at once. The server continues to listen. Resolves when they are closed, and clients in this process have had
   * the time to see it.
   */
  async closeConnections(): Promise<void> {
    if (this.#sockets.size === 0) return;
    await Promise.all([...this.#sockets].map(destroyed));
    // The event loop reads the ends of the connections before the first of these tasks; streams above them end before the second one.
    await nextTask(this.#runtime);
    await nextTask(this.#runtime);
  }

  /**
   * Stops listening, ends watches after the bytes that were sent, lets other requests finish, and destroys the remaining
   * connections after `closeTimeoutMs`. May be called again.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const closed = deferred<void>();
    this.#server.close(() => closed.resolve());
    this.#http2.close();
    for (const writer of this.#writers) writer.end();
    if (this.#writers.size > 0) {
      const idle = deferred<void>();
      this.#idle = (): void => {
        idle.resolve();
      };
      const timer = this.#runtime.setTimer(this.#options.closeTimeoutMs, this.#idle);
      await idle.promise;
      timer.cancel();
    }
    void this.closeConnections();
    await closed.promise;
  }

  get #server(): Server {
    return (this.#made ??= this.#createServer());
  }

  #createServer(): Server {
    const { receiveTimeoutMs, maxConnections } = this.#options;
    const server = createServer(
      {
        maxHeaderSize: LARGEST_HEADERS_BYTES,
        requestTimeout: receiveTimeoutMs,
        headersTimeout: receiveTimeoutMs,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: Math.min(receiveTimeoutMs, 30_000),
        noDelay: true,
      },
      (request, response) => {
        this.#serveHttp1(request, response);
      },
    );
    server.maxConnections = maxConnections;
    // By default Node leaves out what follows the first two thousand: also headers that take rights away. Their size is bounded.
    server.maxHeadersCount = 0;
    // The HTTP server gets a socket only after its first byte has shown HTTP, or as the inside of a TLS connection.
    const listeners = server.listeners('connection');
    server.removeAllListeners('connection');
    const serveHttp = (socket: Socket): void => {
      for (const serve of listeners) serve.call(server, socket);
      // With a listener, Node passes data on through the stream, which can pause. Records of TLS come in spite of a pause otherwise, and
      // the parser then gives up a client that sends many requests at once.
      if (socket instanceof TLSSocket) socket.on('data', () => {});
    };
    server.on('connection', (socket: Socket) => {
      this.#accept(socket, (plain) => {
        if (plain instanceof TLSSocket && plain.alpnProtocol === 'h2') this.#http2.serve(plain);
        else serveHttp(plain);
      });
    });
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      this.#upgrade(request, socket, head, () => {
        serveHttp(socket);
      });
    });
    return server;
  }

  #accept(socket: Socket, serveHttp: (socket: Socket) => void): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const giveUp = (): void => {
      socket.destroy();
    };
    socket.setTimeout(this.#options.receiveTimeoutMs, giveUp);
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null;
      if (first === null) {
        socket.destroy();
        return;
      }
      socket.unshift(first);
      const ready = (inner: Socket): void => {
        socket.setTimeout(0);
        socket.off('timeout', giveUp);
        serveHttp(inner);
      };
      if (first[0] === TLS_HANDSHAKE && this.#tls !== undefined) this.#tls.greet(socket, ready);
      else ready(socket);
    });
  }

  #serveHttp1(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#responses.set(socket, response);
    response.on('close', () => {
      if (this.#responses.get(socket) === response) this.#responses.delete(socket);
      // A response that began before `close` may have promised to keep the connection.
      if (this.#closing !== undefined) socket.end();
    });
    const length = request.headers['content-length'];
    void this.#serve({
      head: headOf(request),
      sink: new Http1Sink(response),
      readBody: () => readBody(request, length, LARGEST_BODY_BYTES),
      isGone: () => socket.destroyed,
    });
  }

  #serveHttp2(stream: ServerHttp2Stream, head: Http2Request): void {
    const { receiveTimeoutMs } = this.#options;
    const sink = new Http2Sink(stream, head.method);
    void this.#serve({
      head,
      sink,
      readBody: async () => {
        const timer = this.#runtime.setTimer(receiveTimeoutMs, () => {
          stream.close(http2Constants.NGHTTP2_CANCEL);
        });
        try {
          return await readBody(stream, head.headers['content-length'], LARGEST_BODY_BYTES);
        } finally {
          timer.cancel();
        }
      },
      isGone: () => sink.isDestroyed,
    });
  }

  async #serve({ head, sink, readBody: read, isGone }: Incoming): Promise<void> {
    const abort = this.#aborts.take(head.socket);
    const clock = this.#requests.clock(head);
    const writer = new ResponseWriter(sink, this.#runtime, this.#options.stuckClientTimeoutMs);
    this.#writers.add(writer);
    sink.onClose(() => {
      this.#writers.delete(writer);
      if (clock !== undefined) this.#requests.report(clock.record(sink.status));
      if (this.#writers.size === 0) this.#idle?.();
      if (sink.isComplete) this.#aborts.give(head.socket, abort);
      else abort.abort(new ListwatchError('ABORTED', 'the client closed the connection'));
    });
    try {
      const answer = await compressed(
        await this.#answer(head, abort, clock, read),
        head,
        this.#members,
      );
      await writer.send(this.#closing === undefined ? answer : lastAnswer(answer));
    } catch (error) {
      // If the client has disconnected, that is not a failure.
      const wanted = error instanceof ConnectionReset;
      if (!isGone() && !wanted) {
        this.#logger.warn('a response broke off', { error: errorMessage(error) });
      }
      if (wanted) sink.reset();
      else sink.destroy();
    }
  }

  /** Serves a watch or the streams of a pod over a WebSocket. Another request with an `Upgrade` header is parsed again without it. */
  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer, serveHttp: () => void): void {
    const before = this.#responses.get(socket);
    if (before !== undefined) {
      before.once('close', () => {
        this.#upgrade(request, socket, head, serveHttp);
      });
      return;
    }
    if (socket.destroyed) return;
    if (asksForWebSocket(request)) {
      void this.#serveWebSocket(request, socket, head);
      return;
    }
    // Each parser of a connection adds one of these.
    socket.removeAllListeners('timeout');
    socket.unshift(Buffer.concat([withoutUpgrade(request), head]));
    serveHttp();
  }

  async #serveWebSocket(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const abort = new AbortController();
    const clock = this.#requests.clock(request);
    let status = 0;
    const writer = { end: (): void => {} };
    this.#writers.add(writer);
    socket.setTimeout(0);
    takeProtocolToken(request);
    socket.on('close', () => {
      this.#writers.delete(writer);
      if (clock !== undefined) this.#requests.report(clock.record(status));
      if (this.#writers.size === 0) this.#idle?.();
      abort.abort(new ListwatchError('ABORTED', 'the client closed the connection'));
    });
    try {
      const answer = await this.#answer(headOf(request), abort, clock, () =>
        Promise.resolve(new Uint8Array()),
      );
      ({ status } = answer);
      await sendOverWebSocket({
        answer,
        socket,
        head,
        headers: request.headers as ApiRequest['headers'],
        runtime: this.#runtime,
        stuckTimeoutMs: this.#options.stuckClientTimeoutMs,
        closeTimeoutMs: this.#options.closeTimeoutMs,
        onRefused: (refusal) => {
          status = refusal;
          abort.abort(new ListwatchError('ABORTED', 'the handshake of the WebSocket was refused'));
        },
        onOpen: (end) => {
          status = 101;
          writer.end = end;
          if (this.#closing !== undefined) end();
        },
      });
    } catch (error) {
      if (!socket.destroyed && !(error instanceof ConnectionReset)) {
        this.#logger.warn('a WebSocket broke off', { error: errorMessage(error) });
      }
      socket.destroy();
    }
  }

  async #answer(
    head: Http2Request,
    abort: AbortController,
    clock: RequestClock | undefined,
    readWhole: () => Promise<Uint8Array | undefined>,
  ): Promise<ApiResponse> {
    const { method, url, headers, headerLines, refusal } = head;
    if (refusal !== undefined) return lastAnswer(refusal);
    if (this.#localOnly && !hostIsLocal(headers['host'])) return lastAnswer(foreignHost(head));
    const body = await readWhole();
    if (body === undefined) {
      const failed = entityTooLarge(`limit is ${LARGEST_BODY_BYTES}`);
      return lastAnswer(standardAnswer(failureResponse(failed, head), head, this.#runtime));
    }
    try {
      return await this.#handler({
        method,
        url,
        headers,
        headerLines,
        body,
        signal: abort.signal,
        identified: clock?.identified,
        annotate: clock?.annotate,
        clientCertificate: () => shownCertificate(head.socket),
        abort: (reason) => {
          abort.abort(reason);
        },
      });
    } catch (error) {
      if (error instanceof ConnectionReset) throw error;
      this.#logger.error('the handler rejected', { error: errorMessage(error) });
      return failureResponse(toApiError(error), head);
    }
  }
}

function destroyed(socket: Socket): Promise<void> {
  const closed = deferred<void>();
  socket.once('close', () => closed.resolve());
  socket.destroy();
  return closed.promise;
}
