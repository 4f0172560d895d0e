import { constants, type ServerHttp2Session } from 'node:http2';
import { expect } from 'chai';
import {
  AxiosTransport,
  type AxiosTransportOptions,
} from '../../../../../lib/client/transport/axios-transport.ts';
import type {
  BodyReader,
  TransportRequest,
} from '../../../../../lib/client/transport/contract/transport.ts';
import { VirtualRuntime } from '../../../../../lib/kernel/time/virtual-runtime.ts';
import { until, within } from '../../../../support/until.ts';
import { TcpProxy } from '../../../../faults/storms/tcp-proxy.ts';
import { HurriedRuntime } from '../../../connect/support/hurried-runtime.ts';
import { failureOf } from '../../../support/failure-of.ts';
import {
  Http2Server,
  watchScript,
  type Http2ServerOptions,
} from '../../../support/http2-server.ts';
import { FrameInjector } from '../../../support/frame-injector.ts';
import { RawServer, type Script } from '../../../support/raw-server.ts';
import { RecordedMetrics } from '../../../support/recorded-metrics.ts';

const WATCH: TransportRequest = { method: 'GET', path: '/api/v1/pods?watch=1', stream: true };
const LIST: TransportRequest = { method: 'GET', path: '/api/v1/pods' };
const {
  NGHTTP2_CANCEL,
  NGHTTP2_ENHANCE_YOUR_CALM,
  NGHTTP2_INTERNAL_ERROR,
  NGHTTP2_PROTOCOL_ERROR,
  NGHTTP2_REFUSED_STREAM,
} = constants;

describe('Http2SessionPool', () => {
  let transport: AxiosTransport;
  let server: Http2Server;

  const serve = async (options: Partial<Http2ServerOptions> = {}): Promise<Http2Server> => {
    server = await Http2Server.start({ script: watchScript, ...options });
    return server;
  };
  const open = (options: Partial<AxiosTransportOptions> = {}): AxiosTransport => {
    const tls = { ca: Http2Server.ca };
    transport = new AxiosTransport({ server: server.url, tls, http2: true, ...options });
    return transport;
  };
  /** Opens a watch and reads its first event. */
  const watch = async (): Promise<BodyReader> => {
    const { body } = await transport.send(WATCH);
    const reader = body[Symbol.asyncIterator]();
    expect(String((await reader.next()).value)).to.equal('first');
    return reader;
  };
  const watches = (count: number): Promise<BodyReader[]> =>
    Promise.all(Array.from({ length: count }, watch));
  const sessions = (): ReturnType<AxiosTransport['inspect']>['sessions'] =>
    transport.inspect().sessions;
  const onlySession = (): ServerHttp2Session => [...server.sessions][0]!;

  afterEach(async () => {
    await transport.close();
    await server[Symbol.asyncDispose]();
  });

  describe('streams and sessions', () => {
    for (const [limit, count, most] of [
      [10, 205, 22],
      [100, 1000, 11],
      [250, 1000, 5],
    ] as const) {
      it(`opens at most ${most} sessions for ${count} watches with ${limit} streams each, and each gets an event`, async () => {
        await serve({ limit });
        // A busy machine takes longer for so many than one connection may take.
        open({ runtime: new HurriedRuntime(1 / 30) });
        const readers = await watches(count);
        expect(server.sessionsOpened).to.be.at.most(most);
        expect(server.mostStreams).to.be.at.most(limit);
        expect(server.streamsOpened).to.equal(count);
        for (const stream of server.streams) stream.write('event');
        for (const reader of readers) expect(String((await reader.next()).value)).to.equal('event');
        expect(transport.inspect()).to.include({ streams: count, requests: count });
        expect(sessions().reduce((sum, { streams }) => sum + streams, 0)).to.equal(count);
      });
    }

    it('end where the server ends them: without a body, with one, and with one that waits for its reader', async () => {
      const sizes: Readonly<Record<string, number>> = { '/none': 0, '/short': 5, '/long': 3 << 20 };
      await serve({
        script: (stream, headers) => {
          const size = sizes[headers[':path'] ?? ''] ?? 0;
          stream.respond({ ':status': 200 }, { endStream: size === 0 });
          if (size > 0) stream.end(Buffer.alloc(size));
        },
      });
      open();
      for (const [path, size] of Object.entries(sizes)) {
        for (const stream of [true, false]) {
          const { body } = await transport.send({ ...LIST, path, stream });
          // The first bytes are here, and are not read yet.
          await until(
            'the stream is quiet',
            () => server.streams.size === (size > 1 << 20 ? 1 : 0),
          );
          let bytes = 0;
          for await (const piece of body) bytes += piece.length;
          expect(bytes, path).to.equal(size);
        }
      }
    });

    it('takes the room that an ended stream leaves before it opens a session', async () => {
      await serve({ limit: 10 });
      open();
      const readers = await watches(10);
      for (let round = 0; round < 30; round += 1) {
        await readers.shift()?.return?.();
        readers.push(await watch());
      }
      expect(server.sessionsOpened).to.equal(1);
      expect(server.streamsOpened).to.equal(40);
      await until('the server has seen the resets', () => server.resets.length === 30);
      expect(new Set(server.resets)).to.deep.equal(new Set([NGHTTP2_CANCEL]));
    });

    it('does not let watches starve a list', async () => {
      await serve({
        limit: 10,
        script: (stream, headers) => {
          if (headers[':path'] !== LIST.path) watchScript(stream, headers);
          else stream.respond({ ':status': 200 }, { endStream: true });
        },
      });
      open();
      await watches(10);
      expect((await transport.send(LIST)).status).to.equal(200);
      expect(server.sessionsOpened).to.equal(2);
    });

    it('opens no stream above a limit that the server has lowered, and uses one that it has raised', async () => {
      await serve({ limit: 10 });
      open();
      const first = await watches(6);
      onlySession().settings({ maxConcurrentStreams: 4 });
      await until('the settings have arrived', () => sessions()[0]?.limit === 4);
      await watches(3);
      expect(sessions().map(({ streams }) => streams)).to.deep.equal([6, 3]);
      for (const reader of first.splice(0, 3)) await reader.return?.();
      await watch();
      expect(sessions().map(({ streams }) => streams)).to.deep.equal([4, 3]);
      onlySession().settings({ maxConcurrentStreams: 6 });
      await until('the settings have arrived', () => sessions()[0]?.limit === 6);
      await watches(2);
      expect(sessions().map(({ streams }) => streams)).to.deep.equal([6, 3]);
      expect(server.mostStreams).to.equal(6);
    });

    it('takes new settings of a server for a sign of its life', async () => {
      await serve({ limit: 10 });
      const runtime = new VirtualRuntime();
      open({ runtime });
      await watch();
      await runtime.advance(20_000);
      expect(sessions()[0]?.silentMs).to.equal(20_000);
      onlySession().settings({ maxConcurrentStreams: 4 });
      await until('the settings have arrived', () => sessions()[0]?.limit === 4);
      expect(sessions()[0]?.silentMs).to.equal(0);
    });

    it('drops waiting requests that are aborted, and opens one session for the others', async () => {
      await serve({ limit: 100 });
      open();
      const controller = new AbortController();
      const { signal } = controller;
      const aborted = Array.from({ length: 50 }, () =>
        transport.send({ ...WATCH, signal }).catch((error: unknown) => error),
      );
      const kept = watches(50);
      const reason = new Error('enough');
      controller.abort(reason);
      expect(new Set(await Promise.all(aborted))).to.deep.equal(new Set([reason]));
      await kept;
      await until('the places are free again', () => sessions()[0]?.streams === 50);
      expect(server.sessionsOpened).to.equal(1);
    });

    it('keeps a stalled reader from stalling the others of its session', async () => {
      await serve({
        script: (stream, headers) => {
          stream.respond({ ':status': 200 });
          if (headers[':path'] === '/large') stream.write(Buffer.alloc(2 << 20));
          else stream.write('first');
        },
      });
      open();
      const stalled: BodyReader[] = [];
      for (let count = 0; count < 20; count += 1) {
        const { body } = await transport.send({ ...WATCH, path: '/large' });
        stalled.push(body[Symbol.asyncIterator]());
      }
      for (const reader of stalled) await reader.next();
      await watches(20);
      expect(server.sessionsOpened).to.equal(1);
    });
  });

  describe('which protocol', () => {
    for (const http2 of ['auto', undefined] as const) {
      it(`is HTTP/1.1 for 100 streams with http2: ${http2}, and HTTP/2 for those above`, async () => {
        await serve({ script: watchScript });
        const http1 = new Set<string>();
        open({ http2 });
        for (let count = 0; count < 100; count += 1) {
          const { body } = await transport.send(WATCH);
          for await (const piece of body) http1.add(String(piece));
        }
        expect([...http1]).to.deep.equal(['over HTTP/1.1']);
        expect(server.sessionsOpened).to.equal(0);
        await Promise.all(Array.from({ length: 130 }, () => transport.send(WATCH)));
        expect(server.streamsOpened).to.equal(30);
        expect(server.sessionsOpened).to.equal(1);
        expect((await transport.send(LIST)).status).to.equal(200);
        expect(server.streamsOpened).to.equal(30);
      });
    }

    it('is HTTP/1.1 where the server offers nothing else, for ten minutes without another question', async () => {
      await serve({ onlyHttp1: true });
      const runtime = new VirtualRuntime();
      open({ runtime });
      const text = async (): Promise<string> => {
        let all = '';
        for await (const piece of (await transport.send(LIST)).body) all += String(piece);
        return all;
      };
      expect(await text()).to.equal('over HTTP/1.1');
      const before = transport.connectionsOpened;
      for (let count = 0; count < 5; count += 1) expect(await text()).to.equal('over HTTP/1.1');
      expect(transport.connectionsOpened).to.equal(before);
      await runtime.advance(600_000);
      expect(await text()).to.equal('over HTTP/1.1');
      expect(transport.connectionsOpened).to.equal(before + 1);
    });

    it('is HTTP/1.1 where the server allows no stream, or asks for it', async () => {
      await serve({ limit: 0 });
      open();
      expect((await transport.send(LIST)).status).to.equal(200);
      expect(server.streamsOpened).to.equal(0);
      await transport.close();
      await server[Symbol.asyncDispose]();

      await serve({ script: (stream) => stream.close(constants.NGHTTP2_HTTP_1_1_REQUIRED) });
      open();
      for (const method of ['POST', 'GET'] as const) {
        expect((await transport.send({ ...LIST, method })).status).to.equal(200);
      }
      expect(server.streamsOpened).to.equal(1);
    });
  });

  describe('ends of a session', () => {
    it('moves new streams to another session after GOAWAY, and lets the running ones go on', async () => {
      await serve();
      open();
      const readers = await watches(100);
      const first = onlySession();
      first.goaway(constants.NGHTTP2_NO_ERROR);
      await until('the session drains', () => sessions()[0]?.state === 'draining');
      await watches(50);
      expect(sessions().map(({ state, streams }) => [state, streams])).to.deep.equal([
        ['draining', 100],
        ['open', 50],
      ]);
      for (const stream of server.streams) if (stream.session === first) stream.write('event');
      for (const reader of readers) expect(String((await reader.next()).value)).to.equal('event');
      for (const reader of readers) await reader.return?.();
      await until('the first session is closed', () => server.sockets.size === 1);
      expect(sessions()).to.have.length(1);
    });

    it('fails all streams of a session that ends with an error, and names it', async () => {
      await serve();
      open();
      const readers = await watches(20);
      const failed = Promise.all(readers.map((reader) => failureOf(reader.next())));
      onlySession().goaway(NGHTTP2_ENHANCE_YOUR_CALM);
      for (const error of await failed) {
        expect(error.code).to.equal('CONNECTION_FAILED');
        expect(error.message).to.contain('HTTP/2 GOAWAY: ENHANCE_YOUR_CALM');
        expect(error.message).to.contain('http2: false');
        expect(error.cause).to.have.property('code', 'HTTP2_ENHANCE_YOUR_CALM');
      }
      await until('no session is left', () => sessions().length === 0);
      await watch();
    });

    it('fails all streams when their connection closes, with and without a reset', async () => {
      await serve();
      await using proxy = new TcpProxy({ host: '127.0.0.1', port: server.port });
      await proxy.up();
      open({ server: `https://127.0.0.1:${proxy.port}` });
      for (const close of ['destroy', 'end', 'reset'] as const) {
        const readers = await watches(20);
        const failed = Promise.all(readers.map((reader) => failureOf(reader.next())));
        if (close === 'reset') proxy.reset();
        else for (const socket of server.sockets) socket[close]();
        for (const error of await failed) {
          expect(error.code, close).to.equal('CONNECTION_FAILED');
          expect(error.message, close).to.contain('the connection broke');
        }
      }
      await until('no session is left', () => sessions().length === 0);
    });

    it('fails one stream that the server resets, also with CANCEL, and no other', async () => {
      await serve();
      const events: (() => void)[] = [];
      const script: Script = (_, response) => {
        response.write('first');
        events.push(() => response.write('event'));
      };
      await using raw = await RawServer.start(script, undefined, true);
      await using injector = await FrameInjector.start(raw.port);
      open({ server: injector.url });
      const other = await watch();
      let id = 1;
      for (const [code, name] of [
        [NGHTTP2_INTERNAL_ERROR, 'INTERNAL_ERROR'],
        [NGHTTP2_CANCEL, 'CANCEL'],
        [constants.NGHTTP2_NO_ERROR, 'NO_ERROR'],
        [NGHTTP2_PROTOCOL_ERROR, 'PROTOCOL_ERROR'],
      ] as const) {
        const reader = await watch();
        const failed = failureOf(reader.next());
        id += 2;
        injector.resetStream(id, code);
        const error = await failed;
        expect(error.code, name).to.equal('CONNECTION_FAILED');
        expect(error.message, name).to.contain(`HTTP/2 stream reset: ${name}`);
        expect(error.cause, name).to.have.property('code', `HTTP2_${name}`);
      }
      events[0]?.();
      expect(String((await other.next()).value)).to.equal('event');
      expect(raw.connections).to.equal(1);
    });

    it('sends every request again that the server has refused, writes too, and gives up after three times', async () => {
      let refusals = 2;
      await serve({
        script: (stream) => {
          if (refusals === 0) return stream.respond({ ':status': 200 }, { endStream: true });
          refusals -= 1;
          stream.close(NGHTTP2_REFUSED_STREAM);
        },
      });
      open();
      expect((await transport.send({ ...LIST, method: 'POST' })).status).to.equal(200);
      expect(server.streamsOpened).to.equal(3);

      refusals = Infinity;
      const error = await failureOf(transport.send({ ...LIST, method: 'POST' }));
      expect(error.code).to.equal('CONNECTION_FAILED');
      expect(error.message).to.contain('REFUSED_STREAM').and.to.contain('try again later');
      expect(server.streamsOpened).to.equal(7);
      expect(server.sessionsOpened).to.equal(1);
    });

    it('sends a read again whose stream was too much for the server, and no write', async () => {
      let refusals = 2;
      await serve({
        script: (stream) => {
          if (refusals === 0) return stream.respond({ ':status': 200 }, { endStream: true });
          refusals -= 1;
          stream.close(NGHTTP2_ENHANCE_YOUR_CALM);
        },
      });
      open();
      expect((await transport.send(LIST)).status).to.equal(200);
      expect(server.streamsOpened).to.equal(3);
      refusals = 1;
      const error = await failureOf(transport.send({ ...LIST, method: 'POST' }));
      expect(error.message).to.contain('HTTP/2 stream reset: ENHANCE_YOUR_CALM');
      expect(server.streamsOpened).to.equal(4);
    });

    it('sends a write again that came after GOAWAY, and only to a session that has not processed it', async () => {
      const processed: (string | undefined)[] = [];
      const ending = new Set<unknown>();
      await serve({
        script: (stream, headers) => {
          const { session } = stream;
          if (ending.has(session)) return;
          if (headers[':path'] === '/goaway') {
            ending.add(session);
            session?.goaway(0, stream.id);
          } else processed.push(headers[':path']);
          stream.respond({ ':status': 200 }, { endStream: true });
        },
      });
      open();
      for (let round = 0; round < 10; round += 1) {
        const goaway = transport.send({ ...LIST, path: '/goaway' });
        const post = transport.send({ ...LIST, method: 'POST', path: `/${round}` });
        expect((await goaway).status).to.equal(200);
        expect((await post).status).to.equal(200);
      }
      expect(processed).to.deep.equal(Array.from({ length: 10 }, (_, round) => `/${round}`));
    });

    it('closes a session after 60 s without a stream', async () => {
      await serve();
      const runtime = new VirtualRuntime();
      const metrics = new RecordedMetrics();
      open({ runtime, metrics });
      const reader = await watch();
      await reader.return?.();
      await until('the stream has ended', () => sessions()[0]?.streams === 0);
      await runtime.advance(29_999);
      await runtime.advance(1);
      await until('the ping is answered', () => sessions()[0]?.silentMs === 0);
      await runtime.advance(29_999);
      expect(server.sockets.size).to.equal(1);
      await runtime.advance(1);
      await until('the session is closed', () => server.sockets.size === 0);
      expect(sessions()).to.deep.equal([]);
      const labels = { host: `127.0.0.1:${server.port}` };
      expect(Math.max(...metrics.values('listwatch_client_http2_sessions', labels))).to.equal(1);
      expect(metrics.values('listwatch_client_http2_sessions', labels).at(-1)).to.equal(0);
      expect(metrics.values('listwatch_client_http2_streams', labels).at(-1)).to.equal(0);
    });

    it('says what is wrong with a server that never sends its settings', async () => {
      await serve();
      await using proxy = new TcpProxy({ host: '127.0.0.1', port: server.port });
      await proxy.up();
      const runtime = new VirtualRuntime();
      open({ runtime, server: `https://127.0.0.1:${proxy.port}`, timeouts: { connectMs: 3000 } });
      proxy.silence(true);
      const failed = failureOf(transport.send(WATCH));
      await until('the connection is being made', () => runtime.pending === 2);
      await runtime.advance(3000);
      const error = await failed;
      expect(error.code).to.equal('CONNECTION_FAILED');
      expect(error.message).to.contain('within 3000 ms');
    });
  });

  describe('a server that is gone without a word', () => {
    for (const draining of [false, true]) {
      it(`is noticed within 35 s, and all streams fail${draining ? ', also after GOAWAY' : ''}`, async () => {
        await serve();
        await using proxy = new TcpProxy({ host: '127.0.0.1', port: server.port });
        await proxy.up();
        const runtime = new VirtualRuntime();
        open({ runtime, server: `https://127.0.0.1:${proxy.port}` });
        const readers = await watches(100);
        if (draining) {
          onlySession().goaway(0);
          await until('the session drains', () => sessions()[0]?.state === 'draining');
        }
        // First the server is there and answers.
        await runtime.advance(30_000);
        await until('the ping is answered', () =>
          sessions().every(({ silentMs }) => silentMs === 0),
        );
        await runtime.advance(20_000);
        // To all of them: streams do not arrive in the order of their readers.
        for (const stream of server.streams) stream.write('event');
        for (const reader of readers) expect(String((await reader.next()).value)).to.equal('event');

        proxy.silence(true);
        const failed = Promise.all(readers.map((reader) => failureOf(reader.next())));
        await runtime.advance(33_999);
        expect(sessions()).to.have.length(1);
        await runtime.advance(1);
        for (const error of await within(failed, 'all streams fail')) {
          expect(error.code).to.equal('CONNECTION_FAILED');
          expect(error.message).to.contain('did not answer an HTTP/2 ping');
          expect(error.cause).to.have.property('code', 'HTTP2_PING_TIMEOUT');
        }
        expect(sessions()).to.deep.equal([]);
      });
    }
  });
});
