import { once } from 'node:events';
import { Agent, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import { BodyTaps } from '../../../../../lib/client/transport/connection/tap/body-tap.ts';
import { AxiosTransport } from '../../../../../lib/client/transport/axios-transport.ts';
import type { TlsOptions } from '../../../../../lib/client/transport/contract/tls-options.ts';
import { AUTHORITY, SERVER_CERTIFICATE, SERVER_KEY } from '../../../support/certificates.ts';
import { RawServer } from '../../../support/raw-server.ts';

/** The option of a socket, as a runtime uses it. */
interface Reading {
  readonly buffer: Uint8Array;
  readonly callback: (length: number, buffer: Uint8Array) => boolean;
}

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
async function received(server: string, stream: boolean, tls?: TlsOptions): Promise<Buffer> {
  const transport = new AxiosTransport({ server, tls, http2: false });
  try {
    const { body } = await transport.send({ method: 'GET', path: '/', stream });
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    return Buffer.concat(pieces);
  } finally {
    await transport.close();
  }
}

describe('connections that read into the same memory', () => {
  for (const chunkBytes of [900, 4000, 300_000]) {
    it(`give pieces that do not change, in chunks of ${chunkBytes} bytes`, async () => {
      await using server = await RawServer.start((_, response) => send(response, chunkBytes));
      for (const url of [server.url, `http://localhost:${server.port}`]) {
        for (const stream of [true, false]) {
          expect((await received(url, stream)).equals(SENT), `stream ${stream}`).to.equal(true);
        }
      }
    });
  }

  it('do so over TLS', async () => {
    const certificate = { cert: SERVER_CERTIFICATE, key: SERVER_KEY };
    const script = (_: unknown, response: ServerResponse): Promise<void> => send(response, 4000);
    await using server = await RawServer.start(script, certificate);
    const tls = { ca: AUTHORITY, serverName: 'api.test' };
    for (const stream of [true, false]) {
      expect((await received(server.url, stream, tls)).equals(SENT), `${stream}`).to.equal(true);
    }
  });

  for (const [runtime, calledWithSocket] of [
    ['names the socket, as Node does', true],
    ['names no socket, as Bun does', false],
  ] as const) {
    it(`pass on what was read where the runtime ${runtime}`, () => {
      const agent = new Agent();
      const socket = new Socket();
      let onread: Reading | undefined;
      agent.createConnection = (options) => {
        onread = (options as { readonly onread?: Reading }).onread;
        return socket;
      };
      new BodyTaps().install(agent);
      agent.createConnection({ port: 1 });
      const pieces: Buffer[] = [];
      socket.on('data', (piece: Buffer) => pieces.push(piece));
      for (const text of ['first', 'other']) {
        if (onread === undefined) throw new Error('the socket reads into memory of its own');
        const { buffer } = onread;
        buffer.set(Buffer.from(text));
        const called = Reflect.apply(onread.callback, calledWithSocket ? socket : undefined, [
          text.length,
          buffer,
        ]);
        expect(called).to.equal(true);
      }
      // Bytes in memory that is written again only where the listener is known to be done with them.
      const expected = calledWithSocket ? ['other', 'other'] : ['first', 'other'];
      expect(pieces.map(String)).to.deep.equal(expected);
      socket.destroy();
    });
  }
});
