import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { AxiosTransport } from '../../../../lib/client/transport/axios-transport.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { failureOf } from '../../support/failure-of.ts';
import { json, RawServer } from '../../support/raw-server.ts';

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
