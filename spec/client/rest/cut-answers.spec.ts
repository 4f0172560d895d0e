import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Client } from '../../../lib/client/rest/client.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import { shareOf } from '../../support/share.ts';
import { failureOf } from '../support/failure-of.ts';

type Framing = 'length' | 'chunks' | 'close';
type Ending = 'reset' | 'end';

/** Of a share: see `shareOf`. */
const BYTES_BETWEEN_CUTS = 5;
const PODS = { apiVersion: 'v1', resource: 'pods' };
const LIST = JSON.stringify({
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '5' },
  items: [{ metadata: { name: 'a', resourceVersion: '4' } }],
});

function answerOf(framing: Framing, gzip: boolean): Buffer {
  const body = gzip ? gzipSync(LIST) : Buffer.from(LIST);
  const framed = {
    length: `content-length: ${body.length}`,
    chunks: 'transfer-encoding: chunked',
    close: 'connection: close',
  }[framing];
  const encoding = gzip ? 'content-encoding: gzip\r\n' : '';
  const head = Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${encoding}${framed}\r\n\r\n`,
  );
  if (framing !== 'chunks') return Buffer.concat([head, body]);
  const chunks: Buffer[] = [];
  for (let start = 0; start < body.length; start += 30) {
    const piece = body.subarray(start, start + 30);
    chunks.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([head, ...chunks, Buffer.from('0\r\n\r\n')]);
}

/** Serves the first bytes of an answer and breaks the connection. */
async function cutting(
  work: (
    client: Client,
    cut: (answer: Buffer, length: number, ending: Ending) => void,
  ) => Promise<void>,
): Promise<void> {
  let [answer, length, ending]: [Buffer, number, Ending] = [Buffer.alloc(0), 0, 'reset'];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(answer.subarray(0, length), () => {
        if (ending === 'end') socket.end();
        // The written bytes have to leave first.
        else setImmediate(() => socket.resetAndDestroy());
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // A connection that breaks before the answer would be tried again after a pause.
  const client = await connect({ server: `http://127.0.0.1:${port}`, retry: { maxRetries: 0 } });
  try {
    await work(client, (...given) => {
      [answer, length, ending] = given;
    });
  } finally {
    await client.close();
    server.close();
    await once(server, 'close');
  }
}

describe('an answer that is cut', () => {
  for (const framing of ['length', 'chunks', 'close'] as const) {
    for (const gzip of [false, true]) {
      const how = `${framing}${gzip ? ', compressed' : ''}`;
      it(`at any byte is a connection that failed (framed by ${how})`, async function () {
        this.timeout(600_000);
        const answer = answerOf(framing, gzip);
        // The last bytes of a compressed text without a frame are a checksum; the text is whole before them.
        const whole = framing === 'close' && gzip ? answer.length - 10 : answer.length;
        await cutting(async (client, cut) => {
          for (const ending of ['reset', 'end'] as const) {
            for (const length of shareOf([...Array(whole).keys()], BYTES_BETWEEN_CUTS)) {
              cut(answer, length, ending);
              const at = `${ending} at byte ${length} of ${answer.length}`;
              const listed = await failureOf(client.listerWatcher(PODS).list({}));
              expect(listed.code, `list, ${at}`).to.equal('CONNECTION_FAILED');
              const got = await failureOf(
                client.resource('v1', 'pods', { namespace: 'x' }).get('a'),
              );
              expect(got.code, `get, ${at}`).to.equal('CONNECTION_FAILED');
            }
          }
        });
      });
    }
  }
});
