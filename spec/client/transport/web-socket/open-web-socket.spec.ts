import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { AxiosTransport } from '../../../../lib/client/transport/axios-transport.ts';
import type { MessageSocket } from '../../../../lib/client/transport/contract/message-socket.ts';
import { ListwatchError, isListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import type { Runtime } from '../../../../lib/kernel/time/runtime.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { until, within } from '../../../support/until.ts';
import { failureOf, rejectionOf } from '../../support/failure-of.ts';

const PROTOCOL = 'v5.channel.k8s.io';
const TOKEN = 'a-secret-token';

interface Peer extends AsyncDisposable {
  readonly url: string;
  readonly sockets: Socket[];
  readonly heads: string[];
}

/** A server that answers each handshake with `answer`, given the key of the client. */
async function peer(answer: (socket: Socket, key: string) => void): Promise<Peer> {
  const sockets: Socket[] = [];
  const heads: string[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', (head: Buffer) => {
      heads.push(head.toString('latin1'));
      const key = /sec-websocket-key: (\S+)/i.exec(head.toString('latin1'))?.[1] ?? '';
      answer(socket, key);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    heads,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function switched(key: string, protocol: string = PROTOCOL): string {
  const accept = createHash('sha1')
    .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`;
}

function refusal(status: number, headers: string = ''): string {
  return `HTTP/1.1 ${status} Refused\r\n${headers}Content-Length: 2\r\nConnection: close\r\n\r\nno`;
}

interface Opened {
  readonly socket: MessageSocket;
  readonly transport: AxiosTransport;
  readonly messages: string[];
  readonly closed: Promise<unknown>;
}

async function open(
  server: string,
  runtime: Runtime = realRuntime,
  deadPeerMs: number = Infinity,
): Promise<Opened> {
  const transport = new AxiosTransport({ server, token: TOKEN, runtime });
  const webSocket = { protocols: [PROTOCOL], deadPeerMs };
  const path = '/api/v1/namespaces/default/pods/web/exec?command=ls';
  const answer = await transport.send({ method: 'GET', path, stream: true, webSocket });
  const { socket } = answer;
  if (socket === undefined) {
    await transport.close();
    throw new Error(`HTTP ${answer.status}`);
  }
  const messages: string[] = [];
  const closed = new Promise<unknown>((resolve) => {
    socket.listen({ message: (bytes) => void messages.push(bytes.toString()), closed: resolve });
  });
  return { socket, transport, messages, closed };
}

/** A generator of numbers in [0, bound) that starts with the seed. */
function numbers(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

describe('a WebSocket of the transport', () => {
  it('presents the credentials, and carries messages both ways', async () => {
    await using server = await peer((socket, key) => {
      socket.write(switched(key));
      socket.write(Buffer.from([0x82, 2, 0x68, 0x69]));
    });
    const { socket, transport, messages } = await open(server.url);
    await until('a message', () => messages.length === 1);
    expect([socket.protocol, messages]).to.deep.equal([PROTOCOL, ['hi']]);
    expect(server.heads[0]).to.match(/authorization: Bearer a-secret-token/i);
    expect(server.heads[0]).to.not.match(/sec-websocket-extensions/i);
    await transport.close();
  });

  it('refuses a redirect, and passes other answers on', async () => {
    for (const status of [301, 307]) {
      await using server = await peer((socket) => {
        socket.end(refusal(status, 'Location: http://other.example/\r\n'));
      });
      const failure = await within(failureOf(open(server.url)), 'the refusal');
      expect(failure).to.include({ code: 'REDIRECT_REFUSED' });
      expect(failure.message).to.not.include('other.example').and.not.include(TOKEN);
    }
    await using server = await peer((socket) => void socket.end(refusal(403)));
    expect(await rejectionOf(open(server.url))).to.include({ message: 'HTTP 403' });
  });

  it('needs a server that chooses one of its subprotocols', async () => {
    for (const protocol of ['v3.channel.k8s.io', '']) {
      await using server = await peer((socket, key) => void socket.write(switched(key, protocol)));
      const failure = await within(failureOf(open(server.url)), 'the refusal');
      expect(failure).to.include({ code: 'SUBPROTOCOL' });
      expect(failure.message).to.include(`was offered ${PROTOCOL}`).and.not.include('command=');
    }
    await using server = await peer((socket) => void socket.write(switched('another key')));
    const failure = await within(failureOf(open(server.url)), 'the refusal');
    expect(failure).to.include({ code: 'MALFORMED_RESPONSE' });
  });

  it('is not waited for without end', async () => {
    await using server = await peer(() => {});
    const runtime = new VirtualRuntime();
    const opening = failureOf(open(server.url, runtime));
    await until('the handshake', () => server.heads.length === 1);
    await runtime.advance(30_000);
    expect(await within(opening, 'the limit')).to.include({ code: 'REQUEST_TIMEOUT' });
    await until('the end', () => server.sockets[0]?.destroyed === true);
  });

  it('pings a silent server, and ends with STREAM_IDLE when it answers nothing', async () => {
    await using server = await peer((socket, key) => void socket.write(switched(key)));
    const runtime = new VirtualRuntime();
    const { closed, transport } = await open(server.url, runtime, 60_000);
    const received: Buffer[] = [];
    server.sockets[0]?.on('data', (bytes: Buffer) => void received.push(bytes));
    await runtime.advance(15_000);
    // The first byte of a ping is 0x89.
    await until('a ping', () => Buffer.concat(received)[0] === 0x89);
    server.sockets[0]?.write(Buffer.from([0x8a, 0]));
    await runtime.advance(10_000);
    await runtime.advance(120_000);
    const failure = await within(closed, 'the end');
    expect(isListwatchError(failure, 'STREAM_IDLE')).to.equal(true);
    expect(String(failure)).to.include('raise deadPeerMs');
    await transport.close();
  });

  it('ends with an error for frames that are wrong', async () => {
    const frames: readonly (readonly [string, number[]])[] = [
      ['MALFORMED_FRAME', [0x83, 0]],
      ['MALFORMED_FRAME', [0xc2, 0]],
      ['MALFORMED_FRAME', [0x82, 0x80, 0, 0, 0, 0]],
      ['MALFORMED_FRAME', [0x80, 1, 0]],
      ['MALFORMED_FRAME', [0x89, 126, 0, 200]],
      ['FRAME_TOO_LARGE', [0x82, 127, 0, 0, 0, 0, 0xff, 0, 0, 0]],
      ['MALFORMED_FRAME', [0x88, 2, 0x03, 0xec]],
    ];
    for (const [code, bytes] of frames) {
      await using server = await peer((socket, key) => {
        socket.write(switched(key));
        socket.write(Buffer.from(bytes));
      });
      const { closed, transport } = await open(server.url);
      const failure = await within(closed, 'the end');
      expect(failure, String(bytes)).to.be.instanceOf(ListwatchError);
      expect(failure, String(failure)).to.include({ code });
      await transport.close();
    }
  });

  it('ends for any bytes of a server: 900 of them at random', async () => {
    let run = 0;
    const ended = new Map<string, number>();
    await using server = await peer((socket, key) => {
      const next = numbers(run);
      const bytes = Buffer.from(Array.from({ length: 1 + next(60) }, () => next(256)));
      // Half of them begin as a frame does.
      if (run % 2 === 0) bytes[0] = [0x82, 0x02, 0x00, 0x80, 0x81, 0x88, 0x89, 0x8a][next(8)] ?? 0;
      run += 1;
      socket.write(switched(key));
      socket.end(bytes);
    });
    for (let count = 0; count < 90; count += 1) {
      const some = Array.from({ length: 10 }, async () => {
        const { closed, transport } = await open(server.url);
        const error = await closed;
        const how = error === undefined ? 'regular' : (error as ListwatchError).code;
        ended.set(how, (ended.get(how) ?? 0) + 1);
        await transport.close();
      });
      await within(Promise.all(some), 'the ends');
    }
    expect(run).to.equal(900);
    const known = ['regular', 'CONNECTION_FAILED', 'MALFORMED_FRAME', 'FRAME_TOO_LARGE'];
    expect(known).to.include.members([...ended.keys()]);
    expect(ended.get('MALFORMED_FRAME')).to.be.greaterThan(300);
  });
});
