import { expect } from 'chai';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { deferred } from '../../../../lib/kernel/time/latch.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import type {
  PodExecRequest,
  TerminalSize,
} from '../../../../lib/server/api/pods/container-streams.ts';
import { until } from '../../../support/until.ts';
import { call } from '../support.ts';
import { clientFrame, WebSocketClient } from '../websocket/web-socket-client.ts';

const TOKEN = 'a-token-of-a-spec';
const PODS = '/api/v1/namespaces/default/pods';
const V4 = 'v4.channel.k8s.io';
const V5 = 'v5.channel.k8s.io';
const OUT = 'stdout=true&stderr=true';
const SUCCESS = '3{"metadata":{},"status":"Success"}';

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces).toString('latin1');
}

/** The messages with content, each with the digit of its channel in front. */
function messages({ frames }: WebSocketClient): string[] {
  return frames
    .filter(({ opcode, payload }) => opcode === 2 && payload.length > 1)
    .map(({ payload }) => `${payload[0]}${payload.subarray(1).toString('latin1')}`);
}

describe('the streams of a pod over a WebSocket', () => {
  let server: ApiServer;
  const errors: unknown[] = [];
  const warnings: unknown[] = [];
  const clients: WebSocketClient[] = [];

  const open = (
    path: string,
    protocols: string = V5,
    headers: Readonly<Record<string, string>> = {},
  ): WebSocketClient => {
    const port = Number(server.url.slice(server.url.lastIndexOf(':') + 1));
    const client = new WebSocketClient(port, `${PODS}/${path}`, {
      Authorization: `Bearer ${TOKEN}`,
      'Sec-WebSocket-Protocol': protocols,
      // These clients send none.
      Origin: '',
      ...headers,
    });
    clients.push(client);
    return client;
  };
  const send = (client: WebSocketClient, channel: number, text: string): boolean =>
    client.socket.write(clientFrame(2, String.fromCharCode(channel) + text));
  const ended = async (client: WebSocketClient): Promise<string[]> => {
    await client.closed();
    expect(client.closes).to.deep.equal([1000]);
    return messages(client);
  };

  beforeEach(async () => {
    const logger = {
      ...silentLogger,
      error: (_message: string, fields?: Readonly<Record<string, unknown>>) =>
        void errors.push(fields?.['error']),
      warn: (_message: string, fields?: Readonly<Record<string, unknown>>) =>
        void warnings.push(fields?.['error']),
    };
    server = new ApiServer({ token: TOKEN, logger });
    await server.listen();
    const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'app', image: 'i' }] } };
    await call(server.handler, 'POST', PODS, { body: { apiVersion: 'v1', kind: 'Pod', ...pod } });
  });
  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.destroy();
    errors.length = 0;
    warnings.length = 0;
    await server.close();
  });

  it('carry a command, its output and its success', async () => {
    server.pods.handle({
      exec: async ({ command, container, stdout, stderr, stdin, tty }) => {
        await stdout.write(`${command.join('|')} in ${container}`);
        await stderr.write(Uint8Array.of(0x61));
        await stdout.write(`${await textOf(stdin)}${tty}`);
        return 0;
      },
    });
    const client = await open(`web/exec?command=echo&command=a%20b&${OUT}`).upgraded();
    expect(client.text).to.include(`Sec-WebSocket-Protocol: ${V5}\r\n`);
    expect(await ended(client)).to.deep.equal(['1echo|a b in app', '2a', '1false', SUCCESS]);
    // The first message is empty: clients wait for one before they send.
    expect([...(client.frames[0]?.payload ?? [])]).to.deep.equal([1]);
    expect(errors).to.deep.equal([]);
  });

  it('select version 5 before version 4 in any order', async () => {
    server.pods.handle({ exec: () => 0 });
    for (const [offered, selected] of [
      [`${V4}, ${V5}`, V5],
      [`other, ${V4}`, V4],
    ] as const) {
      const client = await open(`web/exec?${OUT}`, offered).upgraded();
      expect(client.text).to.include(`Sec-WebSocket-Protocol: ${selected}\r\n`);
    }
  });

  it('carry input, cut anywhere, until the client ends it', async () => {
    server.pods.handle({
      exec: async ({ stdin, stdout }) => {
        await stdout.write(String((await textOf(stdin)).length));
        return 0;
      },
    });
    const client = await open(`web/exec?stdin=true&${OUT}`).upgraded();
    send(client, 0, 'x'.repeat(200_000));
    client.socket.write(clientFrame(2, '\0ab', { final: false }));
    client.socket.write(clientFrame(0, 'cd'));
    send(client, 7, 'for no channel');
    send(client, 255, '\0');
    expect(await ended(client)).to.deep.equal(['1200004', SUCCESS]);
  });

  it('carry the bytes of the input unchanged, also with version 4, whose input ends with the connection', async () => {
    const read = deferred<string>();
    server.pods.handle({
      exec: async ({ stdin }) => {
        read.resolve(await textOf(stdin));
        return 0;
      },
    });
    const client = await open(`web/exec?stdin=true&${OUT}`, V4).upgraded();
    send(client, 0, 'a\u00ff\0');
    send(client, 255, '\0');
    send(client, 0, 'b');
    client.socket.write(clientFrame(8, ''));
    expect(await read.promise).to.equal('a\u00ff\0b');
  });

  it('end with the exit code', async () => {
    server.pods.handle({ exec: () => 3 });
    const [status = ''] = await ended(open(`web/exec?command=false&${OUT}`));
    expect(JSON.parse(status.slice(1))).to.deep.equal({
      metadata: {},
      status: 'Failure',
      message:
        'command terminated with non-zero exit code: error executing command [false], exit code 3',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    });
  });

  it('end with a failure that is logged when the handler throws, or returns no exit code', async () => {
    const codes = [
      () => {
        throw new Error('no such program');
      },
      () => 256,
    ];
    for (const exec of codes) {
      using _handler = server.pods.handle({ exec });
      const [status = ''] = await ended(open(`web/exec?${OUT}`));
      expect(status).to.include('"reason":"InternalError"').and.include('"code":500');
    }
    expect(errors).to.deep.equal([
      'error executing command in container: no such program',
      'error executing command in container: the handler "exec" must return an exit code of 0 to 255, not 256',
    ]);
  });

  it('carry the sizes of a terminal, which has one output', async () => {
    server.pods.handle({
      attach: async ({ resize, stdout, stderr, tty }) => {
        const sizes: TerminalSize[] = [];
        for await (const size of resize) {
          sizes.push(size);
          if (size.width === 100) break;
        }
        await stderr.write(JSON.stringify([tty, sizes.at(-1)]));
        await stdout.write('.');
      },
    });
    const client = await open(`web/attach?tty=true&${OUT}`).upgraded();
    send(client, 4, 'no size');
    send(client, 4, '{"Width":80,"Height":24}');
    send(client, 4, '{"Width":100,"Height":30}');
    expect(await ended(client)).to.deep.equal(['1[true,{"width":100,"height":30}]', '1.', SUCCESS]);
  });

  it('forward ports, each with a channel for data and one for errors', async () => {
    server.pods.handle({
      portForward: async ({ port, incoming, outgoing }) => {
        if (port === 81) throw new Error('connection refused');
        for await (const piece of incoming) {
          await outgoing.write(`${port} ${Buffer.from(piece).toString()}`);
          break;
        }
      },
    });
    const client = await open('web/portforward?ports=8080&ports=81', V4).upgraded();
    await until('an error', () => messages(client).length === 5);
    send(client, 0, 'ping');
    const all = await ended(client);
    expect(all.slice(0, 4).toSorted()).to.deep.equal(['0\x90\x1f', '1\x90\x1f', '2Q\0', '3Q\0']);
    expect(all[4]).to.match(/^3error forwarding port 81 to pod web, uid .+: connection refused$/);
    expect(all[5]).to.equal('08080 ping');
  });

  it('take the token of a browser from a subprotocol', async () => {
    server.pods.handle({ exec: () => 0 });
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(TOKEN).toString('base64url')}`;
    const port = Number(server.url.slice(server.url.lastIndexOf(':') + 1));
    const client = new WebSocketClient(port, `${PODS}/web/exec?${OUT}`, {
      'Sec-WebSocket-Protocol': `${token}, ${V4}`,
    });
    clients.push(client);
    expect(await ended(await client.upgraded())).to.deep.equal([SUCCESS]);
  });

  it('abort the signal when the client goes, and when the server closes', async () => {
    const running = deferred<PodExecRequest>();
    server.pods.handle({
      exec: (request) => {
        running.resolve(request);
        return new Promise(() => {});
      },
    });
    const client = await open(`web/exec?${OUT}`).upgraded();
    const { signal, stdout } = await running.promise;
    client.socket.destroy();
    await until('the signal', () => signal.aborted);
    expect(await stdout.write('late').catch(({ code }: { code: string }) => code)).to.equal(
      'ABORTED',
    );
    const other = await open(`web/exec?${OUT}`).upgraded();
    await server.close();
    await other.closed();
    expect([errors, warnings]).to.deep.equal([[], []]);
  });

  it('wait for a handler that reads slowly, with little in memory', async () => {
    const go = deferred<void>();
    const size = 32 * 1024 * 1024;
    server.pods.handle({
      exec: async ({ stdin, stdout }) => {
        await go.promise;
        let bytes = 0;
        for await (const piece of stdin) bytes += piece.length;
        await stdout.write(String(bytes));
        return 0;
      },
    });
    const client = await open(`web/exec?stdin=true&${OUT}`).upgraded();
    for (let sent = 0; sent < size; sent += 1024 * 1024) send(client, 0, 'x'.repeat(1024 * 1024));
    send(client, 255, '\0');
    const before = client.socket.writableLength;
    // A request over another connection is answered while this one waits.
    for (let count = 0; count < 20; count += 1) await fetch(`${server.url}/healthz`);
    // More than the buffers of both sockets stays with the client.
    expect([before > size / 2, client.socket.writableLength > size / 4]).to.deep.equal([
      true,
      true,
    ]);
    go.resolve();
    expect(await ended(client)).to.deep.equal([`1${size}`, SUCCESS]);
  });

  it('break when more than 16 MiB wait for the client', async () => {
    server.pods.handle({
      exec: ({ stdout }) => {
        for (let count = 0; count < 20; count += 1) void stdout.write(new Uint8Array(1024 * 1024));
        return new Promise(() => {});
      },
    });
    await open(`web/exec?${OUT}`).closed();
    await until('a warning', () => warnings.length > 0);
    expect(warnings).to.deep.equal([
      'more than 16777216 bytes wait for the client; await each write',
    ]);
  });

  it('are refused without an upgrade, a stream, a port or a known subprotocol', async () => {
    server.pods.handle({ exec: () => 0, portForward: () => {} });
    for (const method of ['GET', 'POST']) {
      for (const path of ['exec', 'portforward']) {
        const { status, text } = await call(server.handler, method, `${PODS}/web/${path}`);
        expect(status).to.equal(400);
        expect(text).to.include('"message":"Upgrade request required","reason":"BadRequest"');
      }
    }
    for (const [path, protocol, answer] of [
      [`web/exec?${OUT}`, 'channel.k8s.io', ' 403 '],
      ['web/portforward', 'SPDY/3.1+portforward.k8s.io', ' 403 '],
      ['web/exec?stdout=false', V5, 'you must specify at least 1 of stdin, stdout, stderr'],
      ['web/portforward', V4, 'query parameter \\"port\\" is required'],
      ['web/portforward?ports=80,x', V4, 'invalid port \\"x\\"'],
      ['web/attach?stdout=true', V5, 'does not have a host assigned'],
      [`none/exec?${OUT}`, V5, ' 404 '],
      ['web/proxy/', V5, 'WebSockets are not supported by the proxies of this server'],
    ] as const) {
      const client = open(path, protocol);
      await client.closed();
      expect(client.text, path).to.include(answer);
    }
    const unversioned = open(`web/exec?${OUT}`, V5, { 'Sec-WebSocket-Version': '8' });
    await unversioned.closed();
    expect(unversioned.text).to.include(' 400 Bad Request\r\nSec-WebSocket-Version: 13\r\n');
  });
});
