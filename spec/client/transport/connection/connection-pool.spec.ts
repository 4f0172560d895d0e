import { once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { AxiosTransport } from '../../../../lib/client/transport/axios-transport.ts';
import { readBody } from '../../../../lib/client/transport/body/read-body.ts';
import {
  Credential,
  type CredentialSource,
} from '../../../../lib/client/transport/contract/credential.ts';
import { ConnectionPool } from '../../../../lib/client/transport/connection/connection-pool.ts';
import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import { until } from '../../../support/until.ts';
import { json, RawServer } from '../../support/raw-server.ts';
import { TestAuthority } from '../../support/test-authority.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { failureOf } from '../../support/failure-of.ts';

/** Answers with the user of the client certificate; `/watch` stays open. */
function whoAmI(request: IncomingMessage, response: ServerResponse): void {
  const user = (request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'no certificate';
  if (request.url !== '/watch') return json(response, { user });
  response.write(`${String(user)}\n`);
  connectionOf(request).once('spec:event', () => response.write('event\n'));
}

/** Over HTTP/2 the socket of a request stands for its stream. */
function connectionOf(request: IncomingMessage): Socket {
  const { stream } = request as unknown as Partial<Http2ServerRequest>;
  return stream?.session?.socket ?? request.socket;
}

function certificateOf(authority: TestAuthority, user: string): Credential {
  const { certificate, privateKey } = authority.client({ user });
  return new Credential({
    cert: certificate,
    key: privateKey,
    source: `the certificate of ${user}`,
  });
}

for (const http2 of [false, true]) {
  describe(`ConnectionPool over HTTP/${http2 ? '2' : '1.1'}`, () => {
    const authority = new TestAuthority();
    let transport: AxiosTransport;
    let server: RawServer;

    const start = async (): Promise<RawServer> => {
      const { certificate, privateKey } = authority.server();
      return await RawServer.start(
        whoAmI,
        {
          cert: certificate,
          key: privateKey,
          ca: authority.certificate,
          requestCert: true,
        },
        http2,
      );
    };
    const userOf = async (): Promise<string> => {
      const { body } = await transport.send({ method: 'GET', path: '/' });
      const bytes = await readBody(body, 1000, { server: '', method: '', path: '' });
      return (JSON.parse(bytes.toString()) as { user: string }).user;
    };

    beforeEach(async () => {
      server = await start();
    });
    afterEach(async () => {
      await transport.close();
      await server[Symbol.asyncDispose]();
    });

    it('makes one connection for 100 calls that present the same certificate', async () => {
      const credential = certificateOf(authority, 'jane');
      const credentials: CredentialSource = { source: 'spec', current: () => credential };
      const tls = { ca: authority.certificate };
      transport = new AxiosTransport({ http2, server: server.url, tls, credentials });
      for (let call = 0; call < 100; call += 1) expect(await userOf()).to.equal('jane');
      expect([server.connections, transport.connectionsOpened]).to.deep.equal([1, 1]);
    });

    it('presents a rotated certificate with the next request, and does not interrupt a watch', async () => {
      let credential = certificateOf(authority, 'first');
      const credentials: CredentialSource = { source: 'spec', current: () => credential };
      const tls = { ca: authority.certificate };
      transport = new AxiosTransport({ http2, server: server.url, tls, credentials });
      const watch = await transport.send({ method: 'GET', path: '/watch', stream: true });
      const lines = watch.body[Symbol.asyncIterator]();
      expect(String((await lines.next()).value)).to.equal('first\n');
      expect(transport.inspect().streamsPastParser).to.equal(http2 ? 0 : 1);
      expect(await userOf()).to.equal('first');

      credential = certificateOf(authority, 'second');
      expect(await userOf()).to.equal('second');
      expect(await userOf()).to.equal('second');
      // A stream has a connection of its own over HTTP/1.1.
      expect(server.connections).to.equal(http2 ? 2 : 3);
      await until('the kept connection of the first is closed', () => server.sockets.size === 2);

      for (const socket of server.sockets) socket.emit('spec:event');
      expect(String((await lines.next()).value)).to.equal('event\n');
      await lines.return?.();
      await until('the connection of the watch is closed', () => server.sockets.size === 1);
    });

    it('closes what a request of the old certificate leaves free', async () => {
      let credential = certificateOf(authority, 'first');
      const credentials: CredentialSource = { source: 'spec', current: () => credential };
      const tls = { ca: authority.certificate };
      transport = new AxiosTransport({ http2, server: server.url, tls, credentials });
      const slow = await transport.send({ method: 'GET', path: '/' });
      credential = certificateOf(authority, 'second');
      expect(await userOf()).to.equal('second');
      // Over HTTP/2 a short answer has left its stream before it is read.
      expect(server.sockets.size).to.equal(http2 ? 1 : 2);
      await readBody(slow.body, 1000, { server: '', method: '', path: '' });
      await until('the connection of the first is closed', () => server.sockets.size === 1);
    });

    it('asks for the authorities before each request, and trusts new ones from then on', async () => {
      const next = new TestAuthority();
      let ca = authority.certificate;
      transport = new AxiosTransport({
        http2,
        server: server.url,
        tls: { ca: () => Promise.resolve(ca) },
      });
      const credential = certificateOf(authority, 'jane');
      const credentials: CredentialSource = { source: 'spec', current: () => credential };
      transport = new AxiosTransport({
        http2,
        server: server.url,
        tls: { ca: () => ca },
        credentials,
      });
      expect(await userOf()).to.equal('jane');
      ca = next.certificate;
      const error = await userOf().catch((failure: unknown) => failure);
      expect(error).to.have.property('code', 'CERTIFICATE');
      ca = authority.certificate + next.certificate;
      expect(await userOf()).to.equal('jane');
    });

    it('looks for another certificate when a handshake fails because of the first', async () => {
      const stranger = new TestAuthority();
      let refreshed = 0;
      const credentials: CredentialSource = {
        source: 'spec',
        current: () => certificateOf(stranger, 'stranger'),
        refresh: () => {
          refreshed += 1;
          return Promise.resolve(certificateOf(authority, 'known'));
        },
      };
      const tls = { ca: authority.certificate };
      transport = new AxiosTransport({ http2, server: server.url, tls, credentials });
      expect(await userOf()).to.equal('known');
      expect(refreshed).to.equal(1);
    });

    it('closes all connections, also those of earlier certificates', async () => {
      let credential = certificateOf(authority, 'first');
      const credentials: CredentialSource = { source: 'spec', current: () => credential };
      const tls = { ca: authority.certificate };
      transport = new AxiosTransport({ http2, server: server.url, tls, credentials });
      await transport.send({ method: 'GET', path: '/watch', stream: true });
      credential = certificateOf(authority, 'second');
      await transport.send({ method: 'GET', path: '/watch', stream: true });
      expect(server.sockets.size).to.equal(2);
      await transport.close();
      await until('no connection is open', () => server.sockets.size === 0);
    });
  });
}

describe('ConnectionPool', () => {
  it('is closed when the connections are, used and unused ones', async () => {
    await using server = await RawServer.start((request, response) => {
      if (request.url === '/watch') response.write('first\n');
      else json(response, {});
    });
    const pool = new ConnectionPool({
      server: server.url,
      secure: false,
      tls: {},
      connectMs: 10_000,
      runtime: realRuntime,
    });
    const agent = pool.agent(undefined, undefined);
    const used = get(`${server.url}/watch`, { agent }).on('error', () => {});
    await once(used, 'response');
    const unused = get(server.url, { agent });
    const [answer] = (await once(unused, 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
    const sockets = [used.socket, unused.socket];
    await until('one connection is unused', () => Object.keys(agent.freeSockets).length === 1);
    await pool.close();
    expect(sockets.map((socket) => socket?.closed)).to.deep.equal([true, true]);
  });
});

const REQUEST = { method: 'GET', path: '/version' } as const;

describe('limitConnecting', () => {
  it('ends a connection whose TLS is not answered after 10 s, as one that failed', async () => {
    const runtime = new VirtualRuntime();
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => {});
      sockets.push(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const transport = new AxiosTransport({ server: `https://127.0.0.1:${port}`, runtime });
    const sent = failureOf(transport.send(REQUEST));
    await once(server, 'connection');
    await runtime.advance(9_999);
    expect(runtime.pending, 'it still waits').to.be.greaterThan(0);
    await runtime.advance(1);
    const error = await sent;
    expect(error.code).to.equal('CONNECTION_FAILED');
    expect(error.message).to.include('connect ETIMEDOUT: no connection within 10000 ms');
    expect(runtime.pending).to.equal(0);
    await transport.close();
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  it('leaves a connection alone that was made in time', async () => {
    const runtime = new VirtualRuntime();
    await using server = await RawServer.start((_request, response) => {
      json(response, { major: '1' });
    });
    const transport = new AxiosTransport({ server: server.url, runtime });
    for (let round = 0; round < 2; round += 1) {
      const { status, body } = await transport.send(REQUEST);
      expect(status).to.equal(200);
      for await (const _ of body) continue;
      await runtime.advance(20_000);
    }
    expect(server.connections).to.equal(1);
    await transport.close();
    expect(runtime.pending).to.equal(0);
  });
});
