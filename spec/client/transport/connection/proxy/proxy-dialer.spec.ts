import { once } from 'node:events';
import type { Socket } from 'node:net';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { proxyDialer } from '../../../../../lib/client/transport/connection/proxy/proxy-dialer.ts';
import { realRuntime } from '../../../../../lib/kernel/time/real-runtime.ts';
import { VirtualRuntime } from '../../../../../lib/kernel/time/virtual-runtime.ts';
import { failureOf, rejectionOf, thrownBy } from '../../../support/failure-of.ts';
import { json, RawServer } from '../../../support/raw-server.ts';
import { expired, TestAuthority } from '../../../support/test-authority.ts';
import { TestProxy, type TestProxyOptions } from '../../../support/test-proxy.ts';

const TARGET = { host: 'api.test', port: 6443 };
const unlimited = { runtime: realRuntime, connectMs: Infinity };

/** The phases of a dial in which a proxy can leave a client without an answer. */
const SILENT_PHASES: [phase: string, options: TestProxyOptions][] = [
  ['after the connection', { silent: 'greeting' }],
  ['after CONNECT', { silent: 'request' }],
  ['within the head of an answer', { garbage: 'HTTP/1.1 200 OK\r\na' }],
  ['after the connection to a SOCKS proxy', { protocol: 'socks5', silent: 'greeting' }],
  ['after the request to a SOCKS proxy', { protocol: 'socks5', silent: 'request' }],
  ['within an answer of a SOCKS proxy', { protocol: 'socks5', garbage: Buffer.from([5]) }],
];

/** Resolves when a client has sent something. */
async function asked(proxy: TestProxy): Promise<void> {
  while (proxy.received === 0) await once(proxy.events, 'received');
}

describe('proxyDialer', () => {
  for (const [phase, options] of SILENT_PHASES) {
    it(`ends a dial whose proxy is silent ${phase} at the time limit`, async () => {
      await using proxy = await TestProxy.start(options);
      const runtime = new VirtualRuntime();
      const failed = failureOf(proxyDialer(proxy.url, { runtime, connectMs: 5000 }).dial(TARGET));
      await asked(proxy);
      await runtime.advance(4999);
      expect(runtime.pending).to.equal(1);
      await runtime.advance(1);
      const error = await failed;
      expect(error.code).to.equal('PROXY');
      expect(error.message).to.equal(
        `no tunnel to api.test:6443 through the proxy ${proxy.url}: it gave no answer within 5000 ms; check host and port of ` +
          'the proxy URL, network and firewall, or raise timeouts.connectMs',
      );
      await proxy.allClosed();
      expect(runtime.pending).to.equal(0);
    });

    it(`closes its connection when the dial is aborted ${phase}`, async () => {
      await using proxy = await TestProxy.start(options);
      const runtime = new VirtualRuntime();
      const controller = new AbortController();
      const dialer = proxyDialer(proxy.url, { runtime, connectMs: 5000 });
      const failed = rejectionOf(dialer.dial(TARGET, controller.signal));
      await asked(proxy);
      controller.abort('enough');
      expect(await failed).to.equal('enough');
      await proxy.allClosed();
      expect(runtime.pending).to.equal(0);
    });
  }

  it('opens no connection for a signal that has aborted, and none that stays for one that aborts at once', async () => {
    await using proxy = await TestProxy.start();
    const dialer = proxyDialer(proxy.url, unlimited);
    expect(await rejectionOf(dialer.dial(TARGET, AbortSignal.abort('early')))).to.equal('early');
    expect(proxy.connections).to.equal(0);
    const controller = new AbortController();
    const failed = rejectionOf(dialer.dial(TARGET, controller.signal));
    controller.abort('soon');
    expect(await failed).to.equal('soon');
    await proxy.allClosed();
  });

  it('ends a TLS handshake that the proxy does not answer', async () => {
    // A plain proxy waits for a request and ignores the bytes of a handshake.
    await using proxy = await TestProxy.start({ silent: 'greeting' });
    const runtime = new VirtualRuntime();
    const url = proxy.url.replace('http:', 'https:');
    const failed = failureOf(proxyDialer(url, { runtime, connectMs: 5000 }).dial(TARGET));
    await asked(proxy);
    await runtime.advance(5000);
    expect((await failed).message).to.include('it could not be reached within 5000 ms; check');
    await proxy.allClosed();
  });

  it('leaves a signal and the clock alone when the tunnel is open', async () => {
    await using server = await RawServer.start((_request, response) => json(response, {}));
    await using proxy = await TestProxy.start();
    const runtime = new VirtualRuntime();
    const controller = new AbortController();
    const dialer = proxyDialer(proxy.url, { runtime, connectMs: 5000 });
    const { port } = server;
    const socket = await dialer.dial({ host: 'api.test', port }, controller.signal);
    expect(runtime.pending).to.equal(0);
    controller.abort();
    expect(socket.destroyed).to.equal(false);
    socket.destroy();
  });

  it('says that nothing listens at the address of the proxy', async () => {
    const proxy = await TestProxy.start();
    const { url, port } = proxy;
    await proxy[Symbol.asyncDispose]();
    const error = await failureOf(proxyDialer(url, unlimited).dial(TARGET));
    expect(error.code).to.equal('PROXY');
    expect(error.message).to.equal(
      `no tunnel to api.test:6443 through the proxy ${url}: nothing listens there; check that the proxy runs, and host and ` +
        `port of the proxy URL (connect ECONNREFUSED 127.0.0.1:${port})`,
    );
    expect(error.cause).to.include({ code: 'ECONNREFUSED' });
  });

  it('speaks TLS with an https proxy that Node or the options trust', async () => {
    const authority = new TestAuthority();
    const { certificate: cert, privateKey: key } = authority.server();
    await using server = await RawServer.start((_request, response) => json(response, {}));
    await using proxy = await TestProxy.start({ tls: { cert, key }, user: 'dev', password: 'x' });
    const target = { host: 'api.test', port: server.port };
    const trusted = proxyDialer(proxy.urlWithPassword, {
      ...unlimited,
      tls: { ca: () => Promise.resolve(authority.certificate) },
    });
    for (let round = 0; round < 3; round += 1) (await trusted.dial(target)).destroy();
    // One of these was closed, because the authorities of Node do not know the proxy.
    expect(proxy.tunnels).to.equal(3);
    const any = proxyDialer(proxy.urlWithPassword, {
      ...unlimited,
      tls: { insecureSkipVerify: true },
    });
    (await any.dial(target)).destroy();
    expect(proxy.tunnels).to.equal(4);
  });

  it('says why the certificate of an https proxy does not verify', async () => {
    const authority = new TestAuthority({ name: 'corporate' });
    const failure = async (hosts: readonly string[], validity = {}): Promise<string> => {
      const { certificate: cert, privateKey: key } = authority.server({ hosts, ...validity });
      await using proxy = await TestProxy.start({ tls: { cert, key } });
      const ca = hosts.length === 0 ? undefined : authority.certificate;
      const dialer = proxyDialer(proxy.url, { ...unlimited, tls: { ca } });
      const error = await failureOf(dialer.dial(TARGET));
      expect(error.code).to.equal('PROXY');
      await proxy.allClosed();
      return error.message.slice(error.message.indexOf(proxy.url) + proxy.url.length);
    };
    expect(await failure([])).to.equal(
      ': the certificate of the proxy is not signed by a known authority, but by "corporate"; give its authority with ' +
        'NODE_EXTRA_CA_CERTS or certificate-authority (unable to verify the first certificate)',
    );
    expect(await failure(['proxy.test'])).to.equal(
      ': the certificate of the proxy is for another host name: 127.0.0.1 was asked for, and it is for proxy.test; use one of ' +
        'these names in the proxy URL',
    );
    expect(await failure(['127.0.0.1'], expired())).to.match(
      /^: the proxy's certificate expired on 20[0-9T:-]+Z; renew it, or correct the clock of this machine$/,
    );
  });

  it('says that an https proxy speaks no TLS, and that an http proxy does', async () => {
    await using plain = await TestProxy.start({ garbage: 'HTTP/1.1 400 Bad Request\r\n\r\n' });
    const url = plain.url.replace('http:', 'https:');
    const error = await failureOf(proxyDialer(url, unlimited).dial(TARGET));
    expect(error.message).to.include(
      'the proxy does not speak TLS at this port; check https:// and the port (',
    );
    const { certificate: cert, privateKey: key } = new TestAuthority().server();
    await using secure = await TestProxy.start({ tls: { cert, key } });
    const asHttp = secure.url.replace('https:', 'http:');
    const other = await failureOf(proxyDialer(asHttp, unlimited).dial(TARGET));
    expect(other.message).to.include(
      'it closed the connection without an answer; look at its log, and check the scheme and',
    );
  });

  it('refuses a URL that it cannot use, and does not repeat it', () => {
    for (const scheme of ['ftp', 'socks4', 'socks', 'HTTPX']) {
      const error = thrownBy(() => proxyDialer(`${scheme}://dev:canary@p:1`, unlimited));
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message).to.equal(
        'the proxy URL cannot be used: its scheme is none of http://, https://, socks5:// and socks5h://; use one that the ' +
          'proxy speaks',
      );
    }
  });

  it('describes the proxy without user and password, and prints neither', async () => {
    await using proxy = await TestProxy.start({ refuse: 403 });
    const dialer = proxyDialer(proxy.urlOf('dev:canary@'), unlimited);
    expect(dialer.description).to.equal(proxy.url);
    const error = await failureOf(dialer.dial(TARGET));
    const printed = [dialer, error].map((one) => inspect(one, { depth: 9, showHidden: true }));
    expect(printed.join('') + JSON.stringify(dialer)).not.to.match(/canary|ZGV2OmNhbmFyeQ/);
  });

  it('uses the default port of the scheme, and a host in brackets', () => {
    const descriptions: Record<string, string> = {
      'http://p.test': 'http://p.test:80',
      'https://p.test': 'https://p.test:443',
      'socks5://p.test': 'socks5://p.test:1080',
      'socks5h://[::1]': 'socks5h://[::1]:1080',
      'HTTP://P.test:3128/': 'http://p.test:3128',
    };
    for (const [url, text] of Object.entries(descriptions)) {
      expect(proxyDialer(url, unlimited).description).to.equal(text);
    }
  });

  it('opens one tunnel for each of many dials at a time', async () => {
    await using server = await RawServer.start((_request, response) => json(response, {}));
    await using proxy = await TestProxy.start();
    const dialer = proxyDialer(proxy.url, unlimited);
    const target = { host: 'api.test', port: server.port };
    const sockets = await Promise.all(Array.from({ length: 50 }, () => dialer.dial(target)));
    expect(new Set<Socket>(sockets).size).to.equal(50);
    expect(proxy).to.include({ tunnels: 50, connections: 50 });
    for (const socket of sockets) socket.destroy();
    await proxy.allClosed();
  });
});
