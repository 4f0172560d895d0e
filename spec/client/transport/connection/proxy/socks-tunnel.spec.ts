import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { proxyDialer } from '../../../../../lib/client/transport/connection/proxy/proxy-dialer.ts';
import { realRuntime } from '../../../../../lib/kernel/time/real-runtime.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { json, RawServer } from '../../../support/raw-server.ts';
import { TestProxy, type TestProxyOptions } from '../../../support/test-proxy.ts';

const TARGET = { host: 'api.test', port: 6443 };

function dialer(url: string): ReturnType<typeof proxyDialer> {
  return proxyDialer(url, { runtime: realRuntime, connectMs: Infinity });
}

/** The message of the error of a tunnel to `target`, without the part that every message has. */
async function refusalOf(
  options: TestProxyOptions,
  { userPart = '', target = TARGET }: { userPart?: string; target?: typeof TARGET } = {},
): Promise<string> {
  await using proxy = await TestProxy.start({ protocol: 'socks5', ...options });
  const error = await failureOf(dialer(proxy.urlOf(userPart)).dial(target));
  expect(error.code).to.equal('PROXY');
  expect(error.message).not.to.include('\n');
  const start = `no tunnel to ${target.host}:${target.port} through the proxy ${proxy.url}: `;
  expect(error.message.slice(0, start.length)).to.equal(start);
  await proxy.allClosed();
  return proxy.maskPort(error.message.slice(start.length));
}

describe('a tunnel through a SOCKS5 proxy', () => {
  it('leads to the host and port that were asked for, a name unresolved, with socks5 and socks5h', async () => {
    await using server = await RawServer.start((_request, response) => json(response, {}));
    const { port } = server;
    const hosts = [
      '10.1.2.3',
      'api.test',
      '::1',
      '[fe80::1]',
      '2001:db8::1.2.3.4',
      '1:2:3:4:5:6:7:8',
      '1::',
    ];
    const longest = 'a'.repeat(255);
    for (const scheme of ['socks5', 'socks5h']) {
      await using proxy = await TestProxy.start({ protocol: 'socks5' });
      const through = dialer(proxy.url.replace('socks5', scheme));
      expect(through.description).to.equal(`${scheme}://127.0.0.1:${proxy.port}`);
      for (const host of [...hosts, longest]) (await through.dial({ host, port })).destroy();
      expect(proxy.targets.map((target) => target.replace(`:${port}`, ''))).to.deep.equal([
        '10.1.2.3',
        'api.test',
        '[::1]',
        '[fe80::1]',
        '[2001:db8::102:304]',
        '[1:2:3:4:5:6:7:8]',
        '[1::]',
        longest,
      ]);
    }
  });

  it('carries a request when the answers of the proxy are cut anywhere', async () => {
    await using server = await RawServer.start((_request, response) => json(response, {}));
    for (const pieceBytes of [undefined, 1, 3]) {
      await using proxy = await TestProxy.start({
        protocol: 'socks5',
        user: 'dev',
        password: '',
        pieceBytes,
      });
      const socket = await dialer(proxy.urlWithPassword).dial({
        host: 'api.test',
        port: server.port,
      });
      const request = get({ createConnection: () => socket, headers: { connection: 'close' } });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      expect(response.statusCode).to.equal(200);
      await once(response.resume(), 'close');
      expect(proxy.tunnels).to.equal(1);
    }
  });

  it('keeps the bytes that arrive together with the answer', async () => {
    await using server = await RawServer.start((_request, response) => json(response, {}));
    for (const pieceBytes of [undefined, 1]) {
      const options = { protocol: 'socks5', trailing: 'first bytes', pieceBytes } as const;
      await using proxy = await TestProxy.start(options);
      const socket = await dialer(proxy.url).dial({ host: 'api.test', port: server.port });
      let text = '';
      socket.on('data', (piece: Buffer) => {
        text += String(piece);
        if (text.length === 11) socket.destroy();
      });
      await once(socket, 'close');
      expect(text).to.equal('first bytes');
    }
  });

  it('opens after a reply with an address of any type, and keeps the bytes behind it', async () => {
    const port = [1, 187];
    for (const address of [
      [1, 10, 0, 0, 1],
      [4, ...Array.from({ length: 16 }, () => 1)],
      [3, 4, ...Buffer.from('host')],
      [3, 0],
    ]) {
      const reply = Buffer.from([5, 0, 5, 0, 0, ...address, ...port]);
      const garbage = Buffer.concat([reply, Buffer.from('behind')]);
      await using proxy = await TestProxy.start({ protocol: 'socks5', garbage });
      const socket = await dialer(proxy.url).dial(TARGET);
      expect(String(socket.read())).to.equal('behind');
      socket.destroy();
    }
  });

  it('says what to do when the proxy asks for a user', async () => {
    const secret = { user: 'dev', password: 'canary' };
    expect(await refusalOf(secret)).to.equal(
      'it asks for a user and a password (no acceptable SOCKS authentication method); put them into the proxy URL ' +
        '(proxy-url or HTTPS_PROXY): socks5://USER:PASSWORD@127.0.0.1:PORT',
    );
    expect(await refusalOf(secret, { userPart: 'dev:canary2@' })).to.equal(
      'it does not accept the user and password (SOCKS login refused); correct them in the proxy URL (proxy-url or HTTPS_PROXY)',
    );
    expect(
      await refusalOf({ garbage: Buffer.from([5, 255]) }, { userPart: 'dev:canary@' }),
    ).to.include('it accepts no login with user and password');
  });

  it('names the reply of a refusal and says what to do', async () => {
    const cannotReach = 'it cannot reach api.test:6443';
    const replies: Record<number, string> = {
      1: `${cannotReach} (SOCKS reply 1: general SOCKS server failure); check that the server address can be resolved`,
      2: 'it does not allow connections to api.test:6443 (SOCKS reply 2: connection not allowed by ruleset); let its',
      3: `${cannotReach} (SOCKS reply 3: network unreachable)`,
      4: `${cannotReach} (SOCKS reply 4: host unreachable)`,
      5: `${cannotReach} (SOCKS reply 5: connection refused)`,
      6: `${cannotReach} (SOCKS reply 6: TTL expired)`,
      7: 'it makes no connections (SOCKS reply 7: command not supported); give host and port of a SOCKS5 proxy',
      8: 'it does not take an address such as api.test:6443 (SOCKS reply 8: address type not supported); write',
      99: `${cannotReach} (SOCKS reply 99: unknown)`,
    };
    for (const [refuse, text] of Object.entries(replies)) {
      expect(await refusalOf({ refuse: Number(refuse) }), refuse).to.include(text);
    }
  });

  it('refuses an answer that is not that of a SOCKS5 proxy', async () => {
    const answers: [string | Buffer, string][] = [
      ['HTTP/1.1 400 Bad Request\r\n\r\n', 'it speaks HTTP; write http:// in the proxy URL'],
      [Buffer.from([0x15, 3, 1, 0, 2, 2, 70]), 'it speaks TLS; write https:// in the proxy URL'],
      [
        Buffer.alloc(2 ** 20, 'x'),
        'its answer is not SOCKS5; give host and port of a SOCKS5 proxy',
      ],
      [Buffer.from([4, 0]), 'its answer is not SOCKS5'],
      [Buffer.from([5, 2]), 'it chose the authentication method 2, which was not offered'],
      [Buffer.from([5, 0, 5, 0, 0, 9]), 'its reply has an address of the unknown type 9'],
      [Buffer.from([5, 0, 4, 0, 0, 1]), 'its answer is not SOCKS5'],
    ];
    for (const [garbage, text] of answers) expect(await refusalOf({ garbage })).to.include(text);
  });

  it('refuses a host name that SOCKS cannot carry before it asks', async () => {
    const target = { host: `${'a'.repeat(250)}.test`.padEnd(256, 'x'), port: 443 };
    expect(await refusalOf({}, { target })).to.include(
      'more than the 255 bytes that SOCKS can carry',
    );
  });

  it('says that the proxy closed the connection', async () => {
    for (const close of ['greeting', 'request'] as const) {
      expect(await refusalOf({ close })).to.include('it closed the connection without an answer');
    }
  });
});
