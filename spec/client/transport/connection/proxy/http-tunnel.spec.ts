import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
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

/** The message of the error of a tunnel to `api.test:6443`, without the part that every message has. */
async function refusalOf(options: TestProxyOptions, userPart: string = ''): Promise<string> {
  await using proxy = await TestProxy.start(options);
  const error = await failureOf(dialer(proxy.urlOf(userPart)).dial(TARGET));
  expect(error.code).to.equal('PROXY');
  expect(error.message).not.to.include('\n');
  const start = `no tunnel to api.test:6443 through the proxy ${proxy.url}: `;
  expect(error.message.slice(0, start.length)).to.equal(start);
  await proxy.allClosed();
  return proxy.maskPort(error.message.slice(start.length));
}

describe('a tunnel through an HTTP proxy', () => {
  it('leads to the host and port that were asked for, an IPv6 address in brackets', async () => {
    await using server = await RawServer.start((_request, response) => json(response, {}));
    await using proxy = await TestProxy.start();
    const { port } = server;
    for (const host of ['127.0.0.1', 'api.test', '::1', '[fe80::1]', `${'a'.repeat(250)}.test`]) {
      (await dialer(proxy.url).dial({ host, port })).destroy();
    }
    expect(proxy.targets).to.deep.equal(
      ['127.0.0.1', 'api.test', '[::1]', '[fe80::1]', `${'a'.repeat(250)}.test`].map(
        (host) => `${host}:${port}`,
      ),
    );
    expect(proxy.heads[1]).to.equal(
      `CONNECT api.test:${port} HTTP/1.1\r\nHost: api.test:${port}\r\nUser-Agent: listwatch\r\n\r\n`,
    );
  });

  it('carries 100 sequential requests of an agent with one connection', async () => {
    await using server = await RawServer.start((_request, response) => json(response, {}));
    await using proxy = await TestProxy.start();
    const agent = new Agent({ keepAlive: true });
    agent.createConnection = (_options, callback) => {
      const opened = dialer(proxy.url).dial({ host: 'api.test', port: server.port });
      void (async (): Promise<void> => callback?.(null, await opened))();
      return undefined;
    };
    for (let call = 0; call < 100; call += 1) {
      const [response] = (await once(get({ agent }), 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
    }
    agent.destroy();
    expect(server.requests).to.have.length(100);
    expect(proxy).to.include({ tunnels: 1, connections: 1 });
  });

  it('shows the user and the password to the proxy, percent-decoded', async () => {
    await using server = await RawServer.start((_request, response) => json(response, {}));
    const secret = { user: 'dev@shop', password: 'a:b/c%ü' };
    await using proxy = await TestProxy.start(secret);
    const { port } = server;
    (await dialer(proxy.urlWithPassword).dial({ host: 'api.test', port })).destroy();
    expect(proxy.tunnels).to.equal(1);
  });

  it('opens when the answer arrives byte by byte', async () => {
    await using server = await RawServer.start((_request, response) => json(response, {}));
    await using proxy = await TestProxy.start({ pieceBytes: 1 });
    const { port } = server;
    (await dialer(proxy.url).dial({ host: 'api.test', port })).destroy();
    expect(proxy.tunnels).to.equal(1);
  });

  it('keeps the bytes that arrive together with the answer', async () => {
    await using server = await RawServer.start((_request, response) => json(response, {}));
    for (const pieceBytes of [undefined, 1]) {
      await using proxy = await TestProxy.start({ trailing: 'first bytes', pieceBytes });
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

  it('says what to do when the proxy asks for a user', async () => {
    expect(await refusalOf({ user: 'dev', password: 'canary' })).to.equal(
      'it asks for a user and a password (HTTP 407 Proxy Authentication Required); put them into the proxy ' +
        'URL (proxy-url or HTTPS_PROXY): http://USER:PASSWORD@127.0.0.1:PORT',
    );
    expect(await refusalOf({ user: 'dev', password: 'canary' }, 'dev:canary2@')).to.equal(
      'it does not accept the user and password (HTTP 407 Proxy Authentication Required); correct them in the proxy URL ' +
        '(proxy-url or HTTPS_PROXY)',
    );
    const refusalHeaders = ['Proxy-Authenticate: Negotiate', 'Proxy-Authenticate: NTLM'];
    expect(await refusalOf({ refuse: 407, refusalHeaders })).to.equal(
      'it asks for Negotiate or NTLM authentication, and only Basic is possible (HTTP 407 Proxy Authentication ' +
        'Required); run a local proxy that signs in there, and use that one',
    );
  });

  it('says what to do by the status of a refusal', async () => {
    const refusals: Record<number, string> = {
      403: 'it does not allow connections to api.test:6443 (HTTP 403 Forbidden); let its operator allow them',
      502: 'it cannot reach api.test:6443 (HTTP 502 Bad Gateway); check that the server address can be resolved',
      503: 'it cannot reach api.test:6443 (HTTP 503 Service Unavailable)',
      504: 'it cannot reach api.test:6443 (HTTP 504 Gateway Timeout)',
      302: 'it refused CONNECT with HTTP 302 Found; give host and port of an HTTP proxy in the proxy URL',
      400: 'it refused CONNECT with HTTP 400 Bad Request; give host and port of an HTTP proxy in the proxy URL',
      405: 'it refused CONNECT with HTTP 405 Method Not Allowed; give',
      999: 'it refused CONNECT with HTTP 999; give',
    };
    for (const [status, text] of Object.entries(refusals)) {
      expect(await refusalOf({ refuse: Number(status) }), status).to.include(text);
    }
  });

  it('refuses an answer that is not that of an HTTP proxy', async () => {
    const answers: [string | Buffer, string][] = [
      [
        'SSH-2.0-OpenSSH_9.6\r\n',
        'its answer is not HTTP/1.1; give host and port of an HTTP proxy',
      ],
      ['x'.repeat(2 ** 20), 'its answer is not HTTP/1.1; give host and port of an HTTP proxy'],
      ['HTTP/1.1 ok\r\n\r\n', 'its answer has no HTTP status line; give'],
      [
        'HTTP/1.1 200 OK\r\n' + 'a: b\r\n'.repeat(2 ** 18),
        'the head of its answer has more than 16384 bytes',
      ],
      [
        Buffer.from([0x15, 3, 1, 0, 2, 2, 70]),
        'it speaks TLS at this port; write https:// in the proxy URL',
      ],
      [Buffer.from([5, 0xff]), 'it speaks SOCKS; write socks5:// in the proxy URL'],
    ];
    for (const [garbage, text] of answers) expect(await refusalOf({ garbage })).to.include(text);
  });

  it('goes on after interim answers, as many as fit into the limit', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n';
    await using proxy = await TestProxy.start({
      garbage: `${interim.repeat(3)}HTTP/1.1 204 X\n\n`,
    });
    (await dialer(proxy.url).dial(TARGET)).destroy();
    expect(await refusalOf({ garbage: interim.repeat(2 ** 15) })).to.include(
      'more than 16384 bytes',
    );
  });

  it('says that the proxy closed the connection', async () => {
    for (const close of ['greeting', 'request'] as const) {
      expect(await refusalOf({ close })).to.include('it closed the connection without an answer');
    }
    expect(await refusalOf({ garbage: 'HTTP/1.1 200', close: 'greeting' })).to.include(
      'closed the connection',
    );
  });
});
