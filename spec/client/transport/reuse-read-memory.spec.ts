import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { AxiosTransport, type TlsOptions } from '../../../lib/client/transport/axios-transport.ts';
import { AUTHORITY, SERVER_CERTIFICATE, SERVER_KEY } from '../support/certificates.ts';
import { RawServer } from '../support/raw-server.ts';

const TOTAL = 4 << 20;

/** Bytes that are nowhere the same. */
const SENT: Buffer = Buffer.alloc(TOTAL);
for (let at = 0; at < TOTAL; at += 4) SENT.writeUInt32LE(at, at);

async function send(response: ServerResponse, chunkBytes: number): Promise<void> {
  for (let at = 0; at < TOTAL; at += chunkBytes) {
    if (!response.write(SENT.subarray(at, at + chunkBytes))) await once(response, 'drain');
  }
  response.end();
}

/** Keeps every piece of the answer as it was given, and joins them only in the end. */
async function received(server: string, tls?: TlsOptions): Promise<Buffer> {
  const transport = new AxiosTransport({ server, tls });
  try {
    const { body } = await transport.send({ method: 'GET', path: '/', stream: true });
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    return Buffer.concat(pieces);
  } finally {
    transport.close();
  }
}

describe('connections that read into the same memory', () => {
  for (const chunkBytes of [900, 4000, 300_000]) {
    it(`give pieces that do not change, in chunks of ${chunkBytes} bytes`, async () => {
      await using server = await RawServer.start((_, response) => send(response, chunkBytes));
      expect((await received(server.url)).equals(SENT)).to.equal(true);
      const named = `http://localhost:${server.port}`;
      expect((await received(named)).equals(SENT)).to.equal(true);
    });
  }

  it('do so over TLS', async () => {
    const certificate = { cert: SERVER_CERTIFICATE, key: SERVER_KEY };
    const script = (_: unknown, response: ServerResponse): Promise<void> => send(response, 4000);
    await using server = await RawServer.start(script, certificate);
    const tls = { ca: AUTHORITY, serverName: 'api.test' };
    expect((await received(server.url, tls)).equals(SENT)).to.equal(true);
  });
});
