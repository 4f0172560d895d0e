import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import {
  AxiosTransport,
  type AxiosTransportOptions,
} from '../../../../lib/client/transport/axios-transport.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { until } from '../../../support/until.ts';
import { failureOf, rejectionOf } from '../../support/failure-of.ts';
import { json, RawServer } from '../../support/raw-server.ts';
import { TestAuthority } from '../../support/test-authority.ts';
import { TestProxy, type TestProxyOptions } from '../../support/test-proxy.ts';

const authority = new TestAuthority();
const { certificate, privateKey } = authority.server({ hosts: ['api.test'] });
const SERVED = { cert: certificate, key: privateKey };

const KINDS: [kind: string, options: TestProxyOptions][] = [
  ['http', {}],
  ['http with a password', { user: 'dev', password: 'a:b@c' }],
  ['https', { tls: SERVED }],
  ['socks5', { protocol: 'socks5' }],
  ['socks5 with a password', { protocol: 'socks5', user: 'dev', password: 'a:b@c' }],
];

async function get(transport: AxiosTransport, path: string = '/'): Promise<string> {
  const { body } = await transport.send({ method: 'GET', path });
  let text = '';
  for await (const piece of body) text += Buffer.from(piece).toString();
  return text;
}

for (const http2 of [false, true]) {
  describe(`connections of HTTP/${http2 ? '2' : '1.1'} through a proxy`, () => {
    const answer = (_: unknown, response: ServerResponse): void => json(response, { ok: true });

    /** A transport to the name `api.test`, which only the proxy can reach. */
    const open = (
      proxy: TestProxy,
      server: RawServer,
      more: Partial<AxiosTransportOptions> = {},
    ): AxiosTransport => {
      const tls = { ca: authority.certificate, serverName: 'api.test' };
      const url = server.url.replace('127.0.0.1', 'api.test');
      // The certificate of an https proxy is for api.test, not for the loopback.
      const proxyTls = proxy.options.tls === undefined ? {} : { insecureSkipVerify: true };
      return new AxiosTransport({
        server: url,
        tls: { ...tls, ...proxyTls },
        proxy: proxy.urlWithPassword,
        http2: http2 && 'prior-knowledge',
        ...more,
      });
    };

    for (const [kind, options] of KINDS) {
      for (const scheme of ['http', 'https'] as const) {
        it(`are one for 100 sequential calls to an ${scheme} server, with ${kind}`, async () => {
          const tls = scheme === 'https' ? SERVED : undefined;
          await using server = await RawServer.start(answer, tls, http2);
          await using proxy = await TestProxy.start(options);
          const transport = open(proxy, server);
          try {
            for (let call = 0; call < 100; call += 1) {
              expect(await get(transport)).to.equal('{"ok":true}');
            }
            expect(proxy.tunnels).to.equal(1);
            expect(server.connections).to.equal(1);
            expect(transport.connectionsOpened).to.equal(1);
            const { port } = server;
            expect(proxy.targets).to.deep.equal([`api.test:${port}`]);
            expect(server.requests[0]?.headers).to.include({
              [http2 ? ':authority' : 'host']: `api.test:${port}`,
            });
            expect(server.requests[0]?.headers).not.to.have.property('proxy-authorization');
          } finally {
            await transport.close();
          }
          await proxy.allClosed();
        });
      }
    }

    it('leave no timer when they are made', async () => {
      await using server = await RawServer.start(answer, SERVED, http2);
      await using proxy = await TestProxy.start();
      const runtime = new VirtualRuntime();
      const transport = open(proxy, server, { runtime });
      try {
        expect(await get(transport)).to.equal('{"ok":true}');
        // The answer is read to its end, so only the connection could have a timer left.
        await runtime.settle();
        expect(runtime.pending).to.equal(0);
      } finally {
        await transport.close();
      }
      await proxy.allClosed();
    });

    it('are made again after the proxy has restarted', async () => {
      await using server = await RawServer.start(answer, SERVED, http2);
      await using proxy = await TestProxy.start();
      const transport = open(proxy, server);
      try {
        for (let round = 1; round <= 3; round += 1) {
          expect(await get(transport)).to.equal('{"ok":true}');
          proxy.cut();
          await proxy.allClosed();
          await until('the server has no connection', () => server.sockets.size === 0);
        }
        expect(proxy.tunnels).to.be.within(3, 6);
      } finally {
        await transport.close();
      }
    });

    it('fail with the code and text of the proxy, and without its password', async () => {
      await using server = await RawServer.start(answer, SERVED, http2);
      for (const protocol of ['http', 'socks5'] as const) {
        await using proxy = await TestProxy.start({ protocol, user: 'dev', password: 'canary' });
        const transport = open(proxy, server, { proxy: proxy.urlOf('dev:canary2@') });
        const error = await failureOf(get(transport, '/version?x=1'));
        expect(error.code).to.equal('PROXY');
        const start = `GET https://api.test:${server.port}/version: no tunnel to api.test:${server.port} through the proxy ${proxy.url}: `;
        expect(error.message.slice(0, start.length)).to.equal(start);
        expect(error.message).to.include('it does not accept the user and password (');
        expect(error.message).not.to.include('canary');
        await transport.close();
        await proxy.allClosed();
      }
    });

    const SILENT: [phase: string, options: TestProxyOptions][] = [
      ['CONNECT', { silent: 'greeting' }],
      ['the request of SOCKS', { protocol: 'socks5', silent: 'request' }],
      ['the TLS to the server', { garbage: 'HTTP/1.1 200 OK\r\n\r\n' }],
    ];
    for (const [phase, options] of SILENT) {
      it(`leave no socket and no timer when the transport is closed while ${phase} is not answered`, async () => {
        await using server = await RawServer.start(answer, SERVED, http2);
        await using proxy = await TestProxy.start(options);
        const runtime = new VirtualRuntime();
        const transport = open(proxy, server, { runtime });
        const failed = failureOf(get(transport));
        await until('the proxy is asked', () => proxy.received > 0);
        await transport.close();
        expect((await failed).code).to.equal('CLOSED');
        await proxy.allClosed();
        expect(runtime.pending).to.equal(0);
      });

      it(`end at connectMs while ${phase} is not answered`, async () => {
        await using server = await RawServer.start(answer, SERVED, http2);
        await using proxy = await TestProxy.start(options);
        const runtime = new VirtualRuntime();
        const transport = open(proxy, server, { runtime, timeouts: { connectMs: 3000 } });
        const failed = failureOf(get(transport));
        await until('the proxy is asked', () => proxy.received > 0);
        await runtime.advance(2999);
        expect(proxy.sockets.size).to.equal(1);
        await runtime.advance(1);
        const { message } = await failed;
        expect(message).to.include('within 3000 ms');
        await proxy.allClosed();
        await transport.close();
        expect(runtime.pending).to.equal(0);
      });

      it(`end with the last request that waits while ${phase} is not answered`, async () => {
        await using server = await RawServer.start(answer, SERVED, http2);
        await using proxy = await TestProxy.start(options);
        const runtime = new VirtualRuntime();
        const transport = open(proxy, server, { runtime });
        const controller = new AbortController();
        const { signal } = controller;
        const failed = rejectionOf(transport.send({ method: 'GET', path: '/', signal }));
        await until('the proxy is asked', () => proxy.received > 0);
        controller.abort('enough');
        expect(await failed).to.equal('enough');
        await runtime.advance(10_000);
        await proxy.allClosed();
        expect(runtime.pending).to.equal(0);
        await transport.close();
      });
    }

    it('say that what answers behind the proxy does not speak TLS', async () => {
      await using server = await RawServer.start(answer, SERVED, http2);
      const body = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n<html>welcome</html>';
      await using proxy = await TestProxy.start({ garbage: body });
      const transport = open(proxy, server);
      const error = await failureOf(get(transport));
      expect(error.code).to.equal('CONNECTION_FAILED');
      expect(error.message).to.include('the server does not speak TLS at this port');
      await proxy.allClosed();
      await transport.close();
    });

    it('fail when the proxy closes a tunnel in the moment in which it opens it', async () => {
      for (const tls of [undefined, SERVED]) {
        await using server = await RawServer.start(answer, tls, http2);
        await using proxy = await TestProxy.start({
          garbage: 'HTTP/1.1 200 OK\r\n\r\n',
          garbageEnds: true,
        });
        const transport = open(proxy, server, {
          timeouts: { connectMs: Infinity, headersMs: Infinity },
        });
        const error = await failureOf(get(transport));
        expect(error.code).to.equal('CONNECTION_FAILED');
        expect(error.message).to.match(
          /the connection broke|closed the connection within the TLS handshake/,
        );
        await proxy.allClosed();
        await transport.close();
      }
    });
  });
}
