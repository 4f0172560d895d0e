import { constants, type ServerHttp2Session } from 'node:http2';
import { expect } from 'chai';
import { AxiosTransport } from '../../../../../lib/client/transport/axios-transport.ts';
import type {
  BodyReader,
  TransportRequest,
} from '../../../../../lib/client/transport/contract/transport.ts';
import { VirtualRuntime } from '../../../../../lib/kernel/time/virtual-runtime.ts';
import { TcpProxy } from '../../../../faults/storms/tcp-proxy.ts';
import { until, within } from '../../../../support/until.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { Http2Server, watchScript } from '../../../support/http2-server.ts';

const WATCH: TransportRequest = { method: 'GET', path: '/api/v1/pods?watch=1', stream: true };
const WATCHES = 1000;
const GROUP = 50;

describe('a thousand watches over HTTP/2', () => {
  let server: Http2Server;
  let proxy: TcpProxy;
  let runtime: VirtualRuntime;
  let transport: AxiosTransport;
  let readers: BodyReader[];

  /** A clock of its own: no time passes, so nothing is cleared up by a time limit. */
  const start = async (limit: number): Promise<void> => {
    server = await Http2Server.start({ script: watchScript, limit });
    proxy = new TcpProxy({ host: '127.0.0.1', port: server.port });
    await proxy.up();
    runtime = new VirtualRuntime();
    const tls = { ca: Http2Server.ca };
    const address = `https://127.0.0.1:${proxy.port}`;
    transport = new AxiosTransport({ server: address, tls, http2: true, runtime });
    readers = [];
  };
  const watch = async (): Promise<BodyReader> => {
    const { body } = await transport.send(WATCH);
    const reader = body[Symbol.asyncIterator]();
    expect(String((await reader.next()).value)).to.equal('first');
    return reader;
  };
  /** Opens watches in groups, each group at once, until there are so many. */
  const openUpTo = async (count: number): Promise<void> => {
    while (readers.length < count) {
      const group = Array.from({ length: Math.min(GROUP, count - readers.length) }, watch);
      readers.push(...(await within(Promise.all(group), 'the first events of a group')));
    }
  };
  const eachGetsAnEvent = async (these: readonly BodyReader[]): Promise<void> => {
    for (const stream of server.streams) stream.write('event');
    const events = Promise.all(these.map((reader) => reader.next()));
    for (const { value } of await within(events, 'an event for each watch')) {
      expect(String(value)).to.equal('event');
    }
  };
  const streams = (): number[] => transport.inspect().sessions.map((one) => one.streams);

  afterEach(async () => {
    await transport.close();
    await proxy.down();
    await server[Symbol.asyncDispose]();
  });

  for (const limit of [100, 250]) {
    it(`that come in groups use ${WATCHES / limit} sessions of ${limit} streams`, async () => {
      await start(limit);
      await openUpTo(WATCHES);
      await eachGetsAnEvent(readers);
      expect(server.sessionsOpened).to.equal(WATCHES / limit);
      expect([server.mostStreams, server.streamsOpened]).to.deep.equal([limit, WATCHES]);
      expect(streams()).to.deep.equal(Array.from({ length: WATCHES / limit }, () => limit));
    });
  }

  it('go on when the limit is lowered in the middle, and further ones keep to it', async () => {
    await start(250);
    await openUpTo(500);
    server.changeLimit(100);
    await until('the settings have arrived', () =>
      transport.inspect().sessions.every(({ limit }) => limit === 100),
    );
    await openUpTo(WATCHES);
    await eachGetsAnEvent(readers);
    expect(streams()).to.deep.equal([250, 250, 100, 100, 100, 100, 100]);
    expect(server.streamsOpened).to.equal(WATCHES);
  });

  it('go on after GOAWAY of one session in the middle, and further ones use others', async () => {
    await start(100);
    await openUpTo(450);
    const [first] = [...server.sessions] as [ServerHttp2Session];
    first.goaway(constants.NGHTTP2_NO_ERROR);
    await until('the session drains', () => transport.inspect().sessions[0]?.state === 'draining');
    await openUpTo(WATCHES);
    await eachGetsAnEvent(readers);
    expect(server.sessionsOpened).to.equal(WATCHES / 100);
    for (const reader of readers.slice(0, 100)) await reader.return?.();
    await until('the session is closed', () => server.sockets.size === 9);
    expect(streams()).to.deep.equal(Array.from({ length: 9 }, () => 100));
    expect(server.streamsOpened).to.equal(WATCHES);
  });

  it('lose only those of a session that breaks while further ones are opened', async () => {
    await start(100);
    await openUpTo(450);
    const failing = readers.splice(0, 100);
    const failed = Promise.all(failing.map((reader) => failureOf(reader.next())));
    const [first] = [...server.sessions] as [ServerHttp2Session];
    const opening = openUpTo(WATCHES);
    first.destroy();
    for (const { code } of await within(failed, 'the failures')) {
      expect(code).to.equal('CONNECTION_FAILED');
    }
    await opening;
    await eachGetsAnEvent(readers);
    expect(server.sessionsOpened).to.be.at.most(WATCHES / 100 + 2);
  });

  it('fail within 35 s, those whose sessions are dead without a word, and the others go on', async () => {
    await start(100);
    await openUpTo(500);
    proxy.strand();
    const dead = readers.splice(0);
    const failed = Promise.all(dead.map((reader) => failureOf(reader.next())));
    await openUpTo(500);
    await runtime.advance(30_000);
    await until('the living sessions answer the ping', () =>
      transport
        .inspect()
        .sessions.slice(5)
        .every(({ silentMs }) => silentMs === 0),
    );
    await runtime.advance(4000);
    for (const { code, message } of await within(failed, 'the failures')) {
      expect(code).to.equal('CONNECTION_FAILED');
      expect(message).to.contain('did not answer an HTTP/2 ping');
    }
    expect(streams()).to.deep.equal([100, 100, 100, 100, 100]);
    await openUpTo(WATCHES);
    await eachGetsAnEvent(readers);
    expect(server.sessionsOpened).to.equal(5 + WATCHES / 100);
  });
});
