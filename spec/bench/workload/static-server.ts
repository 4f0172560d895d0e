import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import type { Certificate } from '../../../lib/kernel/certificates/certificate-authority.ts';
import { ChunkedOutput } from './chunked-output.ts';
import type { PodBodies } from './pod-bodies.ts';
import { JsonPods, ProtobufPods, type EventType, type PodEncoding } from './pod-encoding.ts';
import { FIRST_RESOURCE_VERSION, nowUs, PACED_RESOURCE_VERSION } from './pods.ts';

export interface StaticServerOptions {
  readonly json: PodBodies;
  /** Left out: protobuf is not acceptable (406). */
  readonly protobuf?: PodBodies | undefined;
  /** Pods that are served at first. */
  readonly objects: number;
  /** Many events in one chunk of HTTP, instead of a chunk for each as an API server flushes them. @defaultValue false */
  readonly bigChunks?: boolean | undefined;
  /** It speaks TLS. @defaultValue plain HTTP */
  readonly certificate?: Certificate | undefined;
}

interface Watch {
  readonly encoding: PodEncoding;
  readonly output: ChunkedOutput;
  /** Ends when it has been sent what was asked so far. */
  sent: Promise<void>;
}

/** Spreads events over the pods; each round takes every pod once, since it divides no usual number of them. */
const STRIDE = 7919;
/** Longest wait for a watch to send a burst to, milliseconds. */
const WATCH_WAIT_MS = 10_000;
/** Between two events of a pace. */
const PACE_MS = 2;
const PODS = '/api/v1/pods';

/**
 * Sends pods that are bytes already, as an API server would send them: `GET /api/v1/pods` as list (with `limit` and `continue`),
 * watch, and watch-list, in JSON and protobuf, over HTTP/1.1. It keeps no state but a resource version that grows; a
 * list always shows the pods as they were at first.
 *
 * - `POST /control/objects?count=N`: from now on the first N pods; more than there are bodies is fine
 * - `POST /control/burst?events=M&objects=K`: M MODIFIED events of the first K pods, in turn, to every watch that is open, as
 *   fast as it is read, and a bookmark; answers with its resource version when all of it is written. It waits for a watch to be
 *   open.
 * - `POST /control/pace?events=M&epochUs=E`: M MODIFIED events, one every 2 ms; the resource version of each is the time at which it was
 *   written, in microseconds since E and from `PACED_RESOURCE_VERSION` on
 */
export class StaticServer {
  readonly #json: PodEncoding;
  readonly #protobuf: PodEncoding | undefined;
  readonly #bigChunks: boolean;
  readonly #watches = new Set<Watch>();
  readonly #server: Server;
  readonly #scheme: 'http' | 'https';
  #objects: number;
  #events = 0;
  /** Resolves when the next watch is open. */
  #opened: () => void = () => {};

  constructor({ json, protobuf, objects, bigChunks, certificate }: StaticServerOptions) {
    this.#json = new JsonPods(json);
    this.#protobuf = protobuf === undefined ? undefined : new ProtobufPods(protobuf);
    this.#objects = objects;
    this.#bigChunks = bigChunks ?? false;
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      this.#answer(request, response).catch((error: unknown) => {
        response.destroy(error as Error);
      });
    };
    this.#scheme = certificate === undefined ? 'http' : 'https';
    this.#server =
      certificate === undefined
        ? createServer(answer)
        : createTlsServer({ cert: certificate.certificate, key: certificate.privateKey }, answer);
    this.#server.keepAliveTimeout = 60_000;
  }

  /** @returns its address */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  get #resourceVersion(): number {
    return FIRST_RESOURCE_VERSION + 2 * this.#objects + this.#events;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/control/ready') {
      response.end('{}');
    } else if (pathname === '/control/objects') {
      this.#objects = Number(searchParams.get('count'));
      response.end('{}');
    } else if (pathname === '/control/burst') {
      const events = Number(searchParams.get('events'));
      await this.#burst(events, Number(searchParams.get('objects') ?? this.#objects));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ resourceVersion: String(this.#resourceVersion) }));
    } else if (pathname === '/control/pace') {
      await this.#pace(Number(searchParams.get('events')), Number(searchParams.get('epochUs')));
      response.end('{}');
    } else if (pathname === PODS) {
      await this.#pods(request, response, searchParams);
    } else {
      fail(response, 404, 'NotFound', `there is nothing but ${PODS}`);
    }
  }

  async #pods(
    request: IncomingMessage,
    response: ServerResponse,
    query: URLSearchParams,
  ): Promise<void> {
    const encoding = this.#encodingFor(request.headers.accept ?? '');
    if (encoding === undefined) {
      fail(response, 406, 'NotAcceptable', 'only application/json: nothing is encoded as protobuf');
    } else if (isTrue(query.get('watch'))) {
      await this.#watch(response, encoding, isTrue(query.get('sendInitialEvents')));
    } else {
      await this.#list(response, encoding, query);
    }
  }

  /** The first that the client takes; clients name what they like best first. */
  #encodingFor(accept: string): PodEncoding | undefined {
    for (const one of accept.split(',')) {
      const type = one.split(';', 1)[0]?.trim();
      if (type === 'application/vnd.kubernetes.protobuf' && this.#protobuf !== undefined) {
        return this.#protobuf;
      }
      // Not a Table, and not mere metadata.
      if (type === 'application/json' && !one.includes('as=')) return this.#json;
      if (type === '' || type === '*/*') return this.#json;
    }
    return undefined;
  }

  async #list(
    response: ServerResponse,
    encoding: PodEncoding,
    query: URLSearchParams,
  ): Promise<void> {
    const first = Number(query.get('continue') ?? 0);
    const limit = Number(query.get('limit') ?? 0);
    const left = this.#objects - first;
    const count = limit > 0 ? Math.min(limit, left) : left;
    const end = first + count;
    const { before, after } = encoding.aroundPage({
      first,
      count,
      resourceVersion: String(this.#resourceVersion),
      next: end < this.#objects ? String(end) : '',
      remaining: this.#objects - end,
    });
    const output = begin(response, encoding.listType);
    if (output === undefined) return;
    output.beginChunk();
    output.add(before);
    for (let pod = first; pod < end; pod += 1) {
      const item = encoding.item(pod, pod === first);
      const length = item.end - item.begin;
      if (!output.fits(item.before.length + length + after.length)) {
        await output.flush();
        if (output.closed) return;
      }
      output.add(item.before);
      output.at = encoding.pods.copy(pod, item.begin, item.end, output.buffer, output.at);
    }
    output.add(after);
    output.endChunk();
    await output.drain();
    response.end();
  }

  async #watch(
    response: ServerResponse,
    encoding: PodEncoding,
    initialEvents: boolean,
  ): Promise<void> {
    const output = begin(response, encoding.watchType);
    if (output === undefined) return;
    const watch: Watch = { encoding, output, sent: Promise.resolve() };
    if (initialEvents) watch.sent = this.#sendInitialEvents(watch);
    this.#watches.add(watch);
    this.#opened();
    response.once('close', () => this.#watches.delete(watch));
    await watch.sent;
  }

  async #sendInitialEvents(watch: Watch): Promise<void> {
    const { encoding } = watch;
    const { pods } = encoding;
    const copy = (pod: number, target: Buffer, at: number): number =>
      pods.copy(pod, 0, pods.lengthOf(pod), target, at);
    for (let pod = 0; pod < this.#objects; pod += 1) {
      if (!this.#event(watch, 'ADDED', pod, copy)) {
        await watch.output.flush();
        if (watch.output.closed) return;
        this.#event(watch, 'ADDED', pod, copy);
      }
    }
    await this.#sendBookmark(watch, true);
  }

  async #burst(events: number, objects: number): Promise<void> {
    await this.#someWatch();
    const first = this.#resourceVersion + 1;
    this.#events += events;
    const all = [...this.#watches].map((watch) => {
      watch.sent = watch.sent.then(() => this.#sendEvents(watch, { events, objects, first }));
      return watch.sent;
    });
    await Promise.all(all);
  }

  async #pace(events: number, epochUs: number): Promise<void> {
    await this.#someWatch();
    for (let event = 0; event < events; event += 1) {
      await sleep(PACE_MS);
      const pod = (event * STRIDE) % this.#objects;
      for (const watch of this.#watches) {
        const { pods } = watch.encoding;
        this.#event(watch, 'MODIFIED', pod, (_, target, at) =>
          pods.copyChanged(pod, PACED_RESOURCE_VERSION + nowUs() - epochUs, target, at),
        );
        // Only one event is in the buffer, so this waits for nothing.
        await watch.output.flush();
      }
    }
  }

  async #sendEvents(
    watch: Watch,
    { events, objects, first }: { events: number; objects: number; first: number },
  ): Promise<void> {
    const { pods } = watch.encoding;
    let version = first;
    const copy = (pod: number, target: Buffer, at: number): number =>
      pods.copyChanged(pod, version, target, at);
    for (let event = 0; event < events; event += 1) {
      version = first + event;
      const pod = (event * STRIDE) % objects;
      if (!this.#event(watch, 'MODIFIED', pod, copy)) {
        await watch.output.flush();
        if (watch.output.closed) return;
        this.#event(watch, 'MODIFIED', pod, copy);
      }
    }
    await this.#sendBookmark(watch, false);
  }

  /** Whether there was room for it. */
  #event(
    { encoding, output }: Watch,
    type: EventType,
    pod: number,
    copy: (pod: number, target: Buffer, at: number) => number,
  ): boolean {
    const length = encoding.pods.lengthOf(pod);
    const { before, after } = encoding.aroundEvent(type, length);
    if (!output.fits(before.length + length + after.length)) return false;
    output.beginChunk();
    output.add(before);
    output.at = copy(pod, output.buffer, output.at);
    output.add(after);
    if (!this.#bigChunks) output.endChunk();
    return true;
  }

  async #sendBookmark({ encoding, output }: Watch, initialEventsEnd: boolean): Promise<void> {
    // With the events before it, so that the network gets all of it at once.
    await output.flush();
    output.beginChunk();
    output.add(encoding.bookmark(String(this.#resourceVersion), initialEventsEnd));
    output.endChunk();
    await output.drain();
  }

  async #someWatch(): Promise<void> {
    if (this.#watches.size > 0) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error('no watchers'));
      }, WATCH_WAIT_MS);
      this.#opened = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function isTrue(value: string | null): boolean {
  return value === 'true' || value === '1';
}

function fail(response: ServerResponse, code: number, reason: string, message: string): void {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ ...status, message, reason, code }));
}

/** Sends the headers; the chunks of the body are then written past the response, to its socket. */
function begin(response: ServerResponse, contentType: string): ChunkedOutput | undefined {
  response.writeHead(200, { 'content-type': contentType, 'transfer-encoding': 'chunked' });
  response.flushHeaders();
  const { socket } = response;
  if (socket === null) return undefined;
  socket.setNoDelay(true);
  return new ChunkedOutput(socket);
}
