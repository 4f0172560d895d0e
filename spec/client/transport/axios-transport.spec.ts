import { createServer } from 'node:net';
import { getEventListeners, once } from 'node:events';
import { inspect } from 'node:util';
import { constants, createGzip, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import {
  AxiosTransport,
  type AxiosTransportOptions,
  USER_AGENT,
} from '../../../lib/client/transport/axios-transport.ts';
import { readBody } from '../../../lib/client/transport/body/read-body.ts';
import { TransportError } from '../../../lib/client/transport/contract/transport-error.ts';
import type { TransportRequest } from '../../../lib/client/transport/contract/transport.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { failureOf, rejectionOf, thrownBy } from '../support/failure-of.ts';
import { json, RawServer, reset, type Script } from '../support/raw-server.ts';
import { until } from '../../support/until.ts';

const CANARY = 'canary-token-5f2a';
const GET: TransportRequest = { method: 'GET', path: '/api/v1/pods?continue=secret' };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

for (const http2 of [false, true]) {
  describe(`AxiosTransport over HTTP/${http2 ? '2' : '1.1'}`, () => {
    let transport: AxiosTransport;
    // In virtual time a server may not answer a ping of HTTP/2; the specs of sessions have its silence.
    const overHttp1 = http2 ? (): void => {} : it;

    const start = (script: Script): Promise<RawServer> => RawServer.start(script, undefined, http2);

    const open = (server: string, options: Partial<AxiosTransportOptions> = {}): AxiosTransport => {
      transport = new AxiosTransport({ server, http2: http2 && 'prior-knowledge', ...options });
      return transport;
    };
    const textOf = async (request: TransportRequest): Promise<string> => {
      const { body } = await transport.send(request);
      const target = { server: transport.server, method: request.method, path: request.path };
      return (await readBody(body, 1 << 20, target)).toString();
    };

    afterEach(() => {
      void transport.close();
    });

    describe('exchanges', () => {
      it('sends method, path, body, headers and token, and reads status, headers and body', async () => {
        await using server = await start((_, response) => {
          response.writeHead(409, { 'X-Some': 'header', Warning: ['299 - "a"', '299 - "b"'] });
          response.end('conflict');
        });
        open(`${server.url}/k8s/clusters/c-1/`, { token: () => Promise.resolve(CANARY) });
        // The bytes are a part of a larger memory, of which nothing else may be sent.
        const body = new Uint8Array(Buffer.from('..{"a":1}..')).subarray(2, -2);
        const response = await transport.send({
          method: 'PUT',
          path: '/api/v1/namespaces?x=1',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body,
        });
        expect(response.status).to.equal(409);
        expect(response.headers).to.include({
          'x-some': 'header',
          warning: '299 - "a", 299 - "b"',
        });
        const target = { server: '', method: 'PUT', path: '' };
        expect(String(await readBody(response.body, 100, target))).to.equal('conflict');

        const [seen] = server.requests;
        expect(seen?.method).to.equal('PUT');
        expect(seen?.url).to.equal('/k8s/clusters/c-1/api/v1/namespaces?x=1');
        expect(String(seen?.body)).to.equal('{"a":1}');
        expect(seen?.headers).to.include({
          authorization: `Bearer ${CANARY}`,
          'content-type': 'application/json',
          accept: 'application/json',
          'user-agent': 'listwatch',
        });
      });

      it('uses one connection for request after request', async () => {
        await using server = await start((_, response) => json(response, {}));
        open(server.url);
        for (let count = 0; count < 20; count += 1) await textOf(GET);
        expect(server.requests).to.have.length(20);
        expect(server.connections).to.equal(1);
      });

      it('sends a read again, but no write, when its kept connection turns out to be closed', async () => {
        let refuse = false;
        await using server = await start((_, response) => {
          if (!refuse) return json(response, {});
          refuse = false;
          reset(response);
        });
        open(server.url);
        await textOf(GET);
        refuse = true;
        expect(await textOf(GET)).to.equal('{}');
        expect(server.requests).to.have.length(3);

        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
          await textOf(GET);
          const before = server.requests.length;
          refuse = true;
          const error = await failureOf(transport.send({ ...GET, method }));
          expect(error.code, method).to.equal('CONNECTION_FAILED');
          expect(server.requests, method).to.have.length(before + 1);
        }
      });

      it('asks for gzip and unpacks it, but asks for no compression of a stream', async () => {
        await using server = await start((request, response) => {
          if (request.headers['accept-encoding'] !== 'gzip') return void response.end('plain');
          response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'));
        });
        open(server.url);
        expect(await textOf(GET)).to.equal('packed');
        expect(await textOf({ ...GET, stream: true })).to.equal('plain');
        expect(server.requests[1]?.headers['accept-encoding']).to.equal('identity');
      });

      it('unpacks a stream that is compressed all the same, piece by piece', async () => {
        let more = (): void => {};
        await using server = await start((_, response) => {
          response.writeHead(200, { 'content-encoding': 'gzip' });
          const gzip = createGzip();
          gzip.pipe(response);
          gzip.write('one');
          gzip.flush(constants.Z_SYNC_FLUSH);
          more = () => {
            gzip.write('two');
            gzip.flush(constants.Z_SYNC_FLUSH);
          };
        });
        open(server.url);
        const { body } = await transport.send({ ...GET, stream: true });
        const pieces = body[Symbol.asyncIterator]();
        expect(String((await pieces.next()).value)).to.equal('one');
        more();
        expect(String((await pieces.next()).value)).to.equal('two');
        await pieces.return?.();
        await until('leaving closes the connection', () => server.open === 0);
      });

      it('brings the pieces of a stream as they come', async () => {
        let more = (): void => {};
        await using server = await start((_, response) => {
          response.write('one');
          more = () => response.end('two');
        });
        open(server.url);
        const { body } = await transport.send({ ...GET, stream: true });
        const pieces = body[Symbol.asyncIterator]();
        expect(String((await pieces.next()).value)).to.equal('one');
        more();
        expect(String((await pieces.next()).value)).to.equal('two');
        expect((await pieces.next()).done).to.equal(true);
      });

      it('slows the server down without a reader', async () => {
        const total = 64 << 20;
        let written = 0;
        await using server = await start(async (_, response) => {
          const piece = Buffer.alloc(1 << 20);
          const gone = once(response, 'close');
          while (written < total && !response.destroyed) {
            written += piece.length;
            if (response.write(piece)) continue;
            await Promise.race([once(response, 'drain'), gone]);
          }
          response.end();
        });
        open(server.url);
        const { body } = await transport.send({ ...GET, stream: true });
        let seen = -1;
        // The kernel's buffers fill up; after that nothing moves.
        while (seen !== written) {
          seen = written;
          for (let turn = 0; turn < 50; turn += 1) await new Promise((r) => setImmediate(r));
        }
        expect(written).to.be.below(total / 2);
        let read = 0;
        for await (const piece of body) read += piece.length;
        expect(read).to.equal(total);
      });
    });

    describe('ends', () => {
      const endless = (): Promise<RawServer> =>
        start((_, response) => void response.write('piece'));

      it('closes the connection when the loop over a body is left, or never entered', async () => {
        await using server = await endless();
        open(server.url);
        const left = await transport.send({ ...GET, stream: true });
        for await (const _ of left.body) break;
        const unread = await transport.send({ ...GET, stream: true });
        await unread.body[Symbol.asyncIterator]().return?.();
        await until('both connections are closed', () => server.open === 0);
        expect(server.connections).to.equal(http2 ? 1 : 2);
      });

      it('closes the connection when the signal aborts, and rejects with its reason', async () => {
        await using server = await endless();
        open(server.url);
        const controller = new AbortController();
        const { body } = await transport.send({ ...GET, stream: true, signal: controller.signal });
        const pieces = body[Symbol.asyncIterator]();
        await pieces.next();
        const next = rejectionOf(pieces.next());
        const reason = new Error('enough');
        controller.abort(reason);
        expect(await next).to.equal(reason);
        await until('the connection is closed', () => server.open === 0);
        expect(getEventListeners(controller.signal, 'abort')).to.have.length(0);
      });

      it('rejects with the reason when the signal aborts before the headers, or before the request', async () => {
        await using server = await start(() => {});
        open(server.url);
        const controller = new AbortController();
        const reason = new Error('enough');
        const sent = rejectionOf(transport.send({ ...GET, signal: controller.signal }));
        await until('the request is there', () => server.requests.length === 1);
        controller.abort(reason);
        expect(await sent).to.equal(reason);
        await until('the connection is closed', () => server.open === 0);
        expect(await rejectionOf(transport.send({ ...GET, signal: controller.signal }))).to.equal(
          reason,
        );
        expect(server.requests).to.have.length(1);
      });

      it('leaves no listener on a signal that outlives many requests', async () => {
        await using server = await start((_, response) => json(response, {}));
        open(server.url);
        const { signal } = new AbortController();
        for (let count = 0; count < 50; count += 1) await textOf({ ...GET, signal });
        await until(
          'the listeners are gone',
          () => getEventListeners(signal, 'abort').length === 0,
        );
      });

      it('fails what is running with CLOSED on close, and everything after it', async () => {
        await using server = await start((request, response) => {
          if (request.url === '/stream') response.write('piece');
        });
        open(server.url);
        const waiting = failureOf(transport.send(GET));
        const { body } = await transport.send({ method: 'GET', path: '/stream', stream: true });
        const pieces = body[Symbol.asyncIterator]();
        await pieces.next();
        await until('both requests are there', () => server.requests.length === 2);
        await transport.close();
        expect((await waiting).code).to.equal('CLOSED');
        expect((await failureOf(pieces.next())).code).to.equal('CLOSED');
        expect((await failureOf(transport.send(GET))).code).to.equal('CLOSED');
        await until('the connections are closed', () => server.sockets.size === 0);
      });

      it('closes kept connections on close', async () => {
        await using server = await start((_, response) => json(response, {}));
        open(server.url);
        await textOf(GET);
        expect(server.sockets.size).to.equal(1);
        await transport.close();
        await until('the kept connection is closed', () => server.sockets.size === 0);
      });
    });

    describe('failures', () => {
      it('says that nothing listens at a refused address', async () => {
        for (const host of ['127.0.0.1', 'localhost']) {
          const port = await freePort();
          open(`http://${host}:${port}`);
          const error = await failureOf(transport.send(GET));
          expect(error.code, host).to.equal('CONNECTION_REFUSED');
          expect(error).to.be.instanceOf(TransportError);
          expect(error.message).to.contain(
            `GET http://${host}:${port}/api/v1/pods: nothing listens`,
          );
          await transport.close();
        }
      });

      it('says that a host name cannot be resolved', async () => {
        open('http://no-such-host.invalid:1');
        const error = await failureOf(transport.send(GET));
        expect(error.code).to.equal('CONNECTION_FAILED');
        expect(error.message).to.match(/cannot be resolved|cannot be reached/);
      });

      it('says that a server speaks no TLS', async () => {
        await using server = await start((_, response) => json(response, {}));
        open(`https://127.0.0.1:${server.port}`);
        const error = await failureOf(transport.send(GET));
        expect(error.code).to.equal('CONNECTION_FAILED');
        expect(error.message).to.contain('does not speak TLS');
      });

      it('reports a connection that breaks before the headers or within the body', async () => {
        await using server = await start((request, response) => {
          if (request.url === '/before') return reset(response);
          response.write('piece', () => reset(response));
        });
        open(server.url);
        const before = await failureOf(transport.send({ method: 'POST', path: '/before' }));
        expect(before.code).to.equal('CONNECTION_FAILED');
        const { body } = await transport.send({ method: 'GET', path: '/within', stream: true });
        const within = await failureOf(readBody(body, 100, { server: '', method: '', path: '' }));
        expect(within.code).to.equal('CONNECTION_FAILED');
        expect(within.message).to.contain('the connection broke');
      });

      it('refuses redirects', async () => {
        await using server = await start((_, response) => {
          response.writeHead(307, { location: `http://elsewhere.invalid/?t=${CANARY}` }).end();
        });
        open(server.url, { token: CANARY });
        const error = await failureOf(transport.send(GET));
        expect(error.code).to.equal('REDIRECT_REFUSED');
        expect(error.message).to.contain('HTTP 307').and.not.to.contain(CANARY);
        expect(server.requests).to.have.length(1);
      });

      it('gives up when no headers come in time', async () => {
        await using server = await start(() => {});
        const runtime = new VirtualRuntime();
        open(server.url, { runtime, timeouts: { headersMs: 5_000, idleMs: 5_000 } });
        const sent = failureOf(transport.send(GET));
        await until('the request is there', () => server.requests.length === 1);
        await runtime.advance(4_999);
        expect(runtime.pending).to.equal(1);
        await runtime.advance(1);
        const error = await sent;
        expect(error.code).to.equal('REQUEST_TIMEOUT');
        expect(error.message).to.contain('no answer within 5000 ms');
        await until('the connection is closed', () => server.open === 0);
        expect(runtime.pending).to.equal(0);
      });

      it('gives up when the text of a refused watch does not end', async () => {
        await using server = await start((_, response) => {
          response.writeHead(500).write('piece');
        });
        const runtime = new VirtualRuntime();
        open(server.url, { runtime, timeouts: { idleMs: 5_000 } });
        const { body } = await transport.send({ ...GET, stream: true });
        const pieces = body[Symbol.asyncIterator]();
        await pieces.next();
        const next = failureOf(pieces.next());
        await runtime.advance(5_000);
        expect((await next).code).to.equal('REQUEST_TIMEOUT');
        await until('the connection is closed', () => server.open === 0);
      });

      overHttp1('gives up when a body stops, but not while its reader takes its time', async () => {
        await using server = await start((_, response) => void response.write('piece'));
        const runtime = new VirtualRuntime();
        open(server.url, { runtime, timeouts: { headersMs: 5_000, idleMs: 5_000 } });
        const { body } = await transport.send(GET);
        const pieces = body[Symbol.asyncIterator]();
        await runtime.advance(60_000);
        await pieces.next();
        await runtime.advance(60_000);
        let failed = false;
        const next = failureOf(pieces.next()).finally(() => {
          failed = true;
        });
        await runtime.advance(4_999);
        expect(failed).to.equal(false);
        await runtime.advance(1);
        expect((await next).code).to.equal('REQUEST_TIMEOUT');
      });

      it('waits for a body that stops no longer than half a minute', async () => {
        await using server = await start((_, response) => void response.write('piece'));
        const runtime = new VirtualRuntime();
        open(server.url, { runtime });
        const { body } = await transport.send(GET);
        const pieces = body[Symbol.asyncIterator]();
        await pieces.next();
        const next = failureOf(pieces.next());
        await runtime.advance(29_999);
        expect(server.sockets.size).to.equal(1);
        await runtime.advance(1);
        expect((await next).code).to.equal('REQUEST_TIMEOUT');
      });

      it('waits for the headers of a stream no longer than half a minute', async () => {
        await using server = await start(() => {});
        const runtime = new VirtualRuntime();
        open(server.url, { runtime });
        const sent = failureOf(transport.send({ ...GET, stream: true }));
        await until('the request is there', () => server.requests.length === 1);
        await runtime.advance(29_999);
        expect(server.sockets.size).to.equal(1);
        await runtime.advance(1);
        expect((await sent).code).to.equal('REQUEST_TIMEOUT');
      });

      overHttp1('lets a stream be silent for as long as it likes', async () => {
        let more = (): void => {};
        await using server = await start((_, response) => {
          response.write('one');
          more = () => response.end('two');
        });
        const runtime = new VirtualRuntime();
        open(server.url, { runtime });
        const { body } = await transport.send({ ...GET, stream: true });
        const pieces = body[Symbol.asyncIterator]();
        await pieces.next();
        await runtime.settle();
        expect(runtime.pending).to.equal(0);
        const next = pieces.next();
        await runtime.advance(3_600_000);
        more();
        expect(String((await next).value)).to.equal('two');
      });

      it('hands on what a token source throws', async () => {
        const reason = new Error('no token today');
        open('http://127.0.0.1:1', { token: () => Promise.reject(reason) });
        expect(await rejectionOf(transport.send(GET))).to.equal(reason);
      });
    });

    describe('secrets', () => {
      it('shows the token in no error and in nothing that prints the transport', async () => {
        await using server = await start((_, response) => reset(response));
        open(server.url, { token: CANARY });
        const broken = await failureOf(transport.send({ ...GET, method: 'POST' }));
        await transport.close();
        const closed = await failureOf(transport.send(GET));
        const printed = [broken, closed, transport].flatMap((one) => [
          inspect(one, { depth: 20, showHidden: true }),
          JSON.stringify(one),
          String((one as Error).stack),
        ]);
        expect(server.requests[0]?.headers.authorization).to.contain(CANARY);
        expect(printed.join('\n')).not.to.contain(CANARY);
        expect(broken.message).not.to.contain('continue');
      });

      it('refuses to send credentials over plain HTTP to another machine', () => {
        open('http://127.0.0.1:1', { token: CANARY });
        const options = { server: 'http://10.1.2.3:8080', token: CANARY };
        const error = thrownBy(() => new AxiosTransport(options));
        expect(error.code).to.equal('INVALID_OPTION');
        expect(error.message).to.contain('http://10.1.2.3:8080').and.not.to.contain(CANARY);
      });

      it('refuses a token that would break the header, without showing it', async () => {
        const token = `${CANARY}\r\nx-injected: 1`;
        open('http://127.0.0.1:1', { token: () => token });
        const later = await failureOf(transport.send(GET));
        expect(later.message).not.to.contain(CANARY);
        const error = thrownBy(() => new AxiosTransport({ server: 'http://127.0.0.1:1', token }));
        expect(error.code).to.equal('INVALID_OPTION');
        expect(error.message).not.to.contain(CANARY);
      });

      it('refuses addresses it cannot use, without repeating credentials', () => {
        open('http://127.0.0.1:1');
        for (const server of ['nonsense', 'ftp://a', `http://u:${CANARY}@a`, 'https://a/?b=c']) {
          const error = thrownBy(() => new AxiosTransport({ server }));
          expect(error.code, server).to.equal('INVALID_OPTION');
          expect(error.message).not.to.contain(CANARY);
        }
      });
    });
  });
}

describe('USER_AGENT', () => {
  for (const text of ['a', 'shop/1.0 (linux/x64)', '~'.repeat(1_024)]) {
    it(`accepts ${JSON.stringify(text.slice(0, 40))}`, () => {
      expect(USER_AGENT.read('connect', 'userAgent', text)).to.equal(text);
    });
  }

  const refused = ['', 'a\r\nx: y', 'a\u0000', 'é', '\u007f', 'a'.repeat(1_025), 7, null];
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)?.slice(0, 40)}`, () => {
      const error = thrownBy(() => USER_AGENT.read('connect', 'userAgent', text as string));
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message).to.include(
        'connect: option "userAgent" must be 1 to 1024 printable ASCII characters, without line breaks',
      );
    });
  }

  it('is asked by the transport before the first request', () => {
    const options = { server: 'https://a', userAgent: 'a\nb' };
    expect(thrownBy(() => new AxiosTransport(options)).code).to.equal('INVALID_OPTION');
  });
});
