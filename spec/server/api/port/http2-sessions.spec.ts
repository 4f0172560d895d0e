import { once } from 'node:events';
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type Settings,
} from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { deferred } from '../../../../lib/kernel/time/latch.ts';
import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import type { Runtime } from '../../../../lib/kernel/time/runtime.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { CertificateAuthority } from '../../../../lib/kernel/certificates/certificate-authority.ts';
import type { ApiHandler, ApiRequest } from '../../../../lib/server/http/api-request.ts';
import { bytesResponse, textResponse } from '../../../../lib/server/http/responses/api-response.ts';
import { HttpListener } from '../../../../lib/server/api/port/http-listener.ts';
import type { HttpListenerOptions } from '../../../../lib/server/api/port/http-listener-options.ts';
import { within } from '../../../support/until.ts';
import {
  END_HEADERS,
  END_STREAM,
  frame,
  frameType,
  headerBlock,
  PREFACE,
  settings,
} from '../fuzz/port/http2-frames.ts';

const nowMs = Date.now();
const authority = new CertificateAuthority({ name: 'an authority', nowMs });
const certificate = authority.issue({
  usage: 'server',
  name: 'localhost',
  hosts: ['localhost'],
  nowMs,
});

const listeners: HttpListener[] = [];
const sessions: ClientHttp2Session[] = [];

async function open(
  handler: ApiHandler,
  options: Partial<HttpListenerOptions> = {},
): Promise<{ listener: HttpListener; session: ClientHttp2Session }> {
  const listener = new HttpListener({ handler, certificate: () => certificate, ...options });
  listeners.push(listener);
  await listener.listen();
  const port = listener.address.slice(listener.address.lastIndexOf(':') + 1);
  const session = connect(`https://localhost:${port}`, { ca: authority.certificate });
  session.on('error', () => {});
  sessions.push(session);
  return { listener, session };
}

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function ask(
  session: ClientHttp2Session,
  path: string,
  { method = 'GET', body = '' }: { readonly method?: string; readonly body?: string | Buffer } = {},
): Promise<Answer> {
  const stream = session.request({ ':method': method, ':path': path, accept: 'text/plain' });
  // A request with a method that has no body is ended already.
  if (body !== '') stream.end(body);
  return read(stream);
}

async function read(stream: ClientHttp2Stream): Promise<Answer> {
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  let text = '';
  for await (const piece of stream) text += String(piece);
  return { headers, text };
}

/** A body that never ends by itself. */
class Endless implements AsyncIterable<Uint8Array> {
  readonly left = deferred<void>();
  pulled = 0;
  #isLeft = false;
  readonly #piece: Uint8Array;
  readonly #most: number;

  constructor(piece: Uint8Array, most: number = Number.POSITIVE_INFINITY) {
    this.#piece = piece;
    this.#most = most;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: async () => {
        if (this.pulled >= this.#most) await this.left.promise;
        else await new Promise(setImmediate);
        if (this.#isLeft) return { done: true, value: undefined };
        this.pulled += 1;
        return { done: false, value: this.#piece };
      },
      return: () => {
        this.#isLeft = true;
        this.left.resolve();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}

describe('HTTP/2', () => {
  afterEach(async () => {
    for (const session of sessions.splice(0)) session.destroy();
    for (const listener of listeners.splice(0)) await listener.close();
  });

  it('hands method, url, headers and body over as HTTP/1.1 does', async () => {
    const requests: ApiRequest[] = [];
    const { session } = await open((request) => {
      requests.push(request);
      return Promise.resolve(textResponse(201, String(request.body.byteLength)));
    });
    const { headers, text } = await ask(session, '/a?b=c', { method: 'POST', body: 'body' });
    expect(headers[':status']).to.equal(201);
    expect(headers['content-type']).to.equal('text/plain; charset=utf-8');
    expect(text).to.equal('4');
    expect(session.alpnProtocol).to.equal('h2');
    const [request] = requests;
    expect(request).to.include({ method: 'POST', url: '/a?b=c' });
    expect(request?.headers).to.deep.include({ accept: 'text/plain' });
    expect(request?.headers['host']).to.match(/^localhost:\d+$/);
    expect(Object.keys(request?.headers ?? {}).some((name) => name.startsWith(':'))).to.equal(
      false,
    );
  });

  it('has the settings of kube-apiserver', async () => {
    const { session } = await open(() => Promise.resolve(textResponse(200, 'ok')));
    const [settings] = (await once(session, 'remoteSettings')) as [Settings];
    expect(settings).to.include({
      maxConcurrentStreams: 100,
      initialWindowSize: 262_144,
      maxFrameSize: 262_144,
    });
  });

  it('refuses a body over 3 MiB with 413, and another host', async () => {
    const { session } = await open(() => Promise.resolve(textResponse(200, 'ok')));
    const body = Buffer.alloc(3 * 1024 * 1024 + 1);
    const { headers } = await ask(session, '/', { method: 'POST', body });
    expect(headers[':status']).to.equal(413);
    const stream = session.request({ ':path': '/', ':authority': 'evil.example' });
    expect((await read(stream)).headers[':status']).to.equal(403);
  });

  it('has no body in the answer to HEAD', async () => {
    const { session } = await open(() => Promise.resolve(textResponse(200, 'text')));
    const { headers, text } = await ask(session, '/', { method: 'HEAD' });
    expect(headers['content-length']).to.equal('4');
    expect(text).to.equal('');
  });

  it('carries many requests in one connection, beside streams without a reader', async () => {
    const endless = new Endless(Buffer.alloc(64 * 1024));
    const { session } = await open(({ url }) =>
      Promise.resolve(
        url === '/watch' ? bytesResponse(200, 'text/plain', endless) : textResponse(200, url),
      ),
    );
    const unread = session.request({ ':path': '/watch' });
    await once(unread, 'response');
    const paths = Array.from({ length: 90 }, (_, index) => `/${index}`);
    const answers = await Promise.all(paths.map((path) => ask(session, path)));
    expect(answers.map(({ text }) => text)).to.deep.equal(paths);
    unread.close();
    await endless.left.promise;
  });

  it('pulls no more than a stream takes, and cuts off one that takes nothing', async () => {
    const endless = new Endless(Buffer.alloc(1024 * 1024));
    const warnings: unknown[] = [];
    const { session } = await open(
      () => Promise.resolve(bytesResponse(200, 'text/plain', endless)),
      {
        stuckClientTimeoutMs: 200,
        logger: { ...silentLogger, warn: (_message, fields) => warnings.push(fields?.['error']) },
      },
    );
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => {});
    await endless.left.promise;
    expect(endless.pulled).to.be.below(10);
    expect(warnings).to.deep.equal(['the client read nothing of its response for 200 ms']);
  });

  it('aborts the request when its stream is reset, and not the others', async () => {
    const signals = new Map<string, AbortSignal>();
    const { session } = await open(({ url, signal }) => {
      signals.set(url, signal);
      const body = new Endless(Buffer.from('x'), 1);
      return Promise.resolve(bytesResponse(200, 'text/plain', body));
    });
    const [one, other] = ['/one', '/other'].map((path) => session.request({ ':path': path }));
    await Promise.all([
      once(one as ClientHttp2Stream, 'response'),
      once(other as ClientHttp2Stream, 'response'),
    ]);
    const signal = signals.get('/one') as AbortSignal;
    const aborted = once(signal, 'abort');
    one?.close(constants.NGHTTP2_CANCEL);
    await aborted;
    expect(signals.get('/other')?.aborted).to.equal(false);
  });

  it('closes a connection that breaks the protocol, and one that does not answer a ping', async () => {
    const handler: ApiHandler = () => Promise.resolve(textResponse(200, 'text/plain'));
    const hurried: Runtime = {
      ...realRuntime,
      setTimer: (delayMs, callback) => realRuntime.setTimer(delayMs / 1_000, callback),
    };
    const { listener } = await open(handler, { runtime: hurried });
    const port = Number(listener.address.slice(listener.address.lastIndexOf(':') + 1));
    const head = headerBlock([
      [':method', 'POST'],
      [':scheme', 'https'],
      [':authority', 'localhost'],
      [':path', '/'],
    ]);
    // Its body does not come, so that the connection is not idle.
    const request = frame(frameType.headers, END_HEADERS, 1, head);
    const broken = frame(frameType.continuation, END_HEADERS, 1, Buffer.alloc(1));
    for (const bytes of [broken, Buffer.alloc(0)]) {
      const socket = connectTls({
        port,
        host: 'localhost',
        ca: authority.certificate,
        ALPNProtocols: ['h2'],
      });
      socket.on('error', () => {});
      socket.resume();
      socket.write(Buffer.concat([PREFACE, settings(), request, bytes]));
      await within(once(socket, 'close'), 'the end of the connection');
    }
  });

  it('ends the connection of a client that sends nothing more, and aborts its requests', async () => {
    const [called, aborted] = [deferred<void>(), deferred<void>()];
    const { listener } = await open(async ({ signal }) => {
      signal.addEventListener('abort', () => {
        aborted.resolve();
      });
      called.resolve();
      await aborted.promise;
      return textResponse(200, 'late');
    });
    const port = Number(listener.address.split(':').at(-1));
    const ca = authority.certificate;
    const socket = connectTls({ host: 'localhost', port, ca, ALPNProtocols: ['h2'] });
    const block = headerBlock([
      [':method', 'GET'],
      [':scheme', 'https'],
      [':authority', 'localhost'],
      [':path', '/slow'],
    ]);
    const request = frame(frameType.headers, END_HEADERS | END_STREAM, 1, block);
    socket.write(Buffer.concat([PREFACE, settings(), request]));
    socket.resume();
    await within(called.promise, 'the request');
    const closed = once(socket, 'close');
    socket.end();
    await within(closed, 'the end of the connection');
    await within(aborted.promise, 'the end of the request');
  });

  it('ends streams on close, lets other answers finish, and says that it goes away', async () => {
    const slow = deferred<ReturnType<typeof textResponse>>();
    const asked = deferred<void>();
    const endless = new Endless(Buffer.from('x'), 1);
    const { listener, session } = await open(({ url }) => {
      if (url === '/watch') return Promise.resolve(bytesResponse(200, 'text/plain', endless));
      asked.resolve();
      return slow.promise;
    });
    const watch = ask(session, '/watch');
    const answer = ask(session, '/slow');
    await asked.promise;
    const goneAway = once(session, 'goaway');
    const closed = listener.close();
    await goneAway;
    slow.resolve(textResponse(200, 'done'));
    expect((await answer).text).to.equal('done');
    await watch;
    await closed;
  });
});
