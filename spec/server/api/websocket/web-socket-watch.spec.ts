import { parse } from 'yaml';
import { expect } from 'chai';
import { deferred } from '../../../../lib/kernel/time/latch.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { decodeObject } from '../../../../lib/meta/protobuf/object-codec.ts';
import { readWatchEvent } from '../../../meta/protobuf/read-watch-event.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import type { ApiRequest } from '../../../../lib/server/http/api-request.ts';
import { bytesResponse } from '../../../../lib/server/http/responses/api-response.ts';
import { HttpListener } from '../../../../lib/server/api/port/http-listener.ts';
import type { HttpListenerOptions } from '../../../../lib/server/api/port/http-listener-options.ts';
import type { RequestRecord } from '../../../../lib/server/api/port/request-record.ts';
import { until } from '../../../support/until.ts';
import { clientFrame, WebSocketClient } from './web-socket-client.ts';

const TOKEN = 'a-token-of-a-spec';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const WATCH = `${CONFIG_MAPS}?watch=true`;
const AUTHORIZED = { Authorization: `Bearer ${TOKEN}` };

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}

describe('a watch over a WebSocket', () => {
  let server: ApiServer;
  const records: RequestRecord[] = [];
  const clients: WebSocketClient[] = [];

  const open = (path: string, headers: Readonly<Record<string, string>> = {}): WebSocketClient => {
    const port = portOf(server.url);
    const client = new WebSocketClient(port, path, { ...AUTHORIZED, ...headers });
    clients.push(client);
    return client;
  };
  const create = async (name: string): Promise<void> => {
    const response = await server.handler({
      method: 'POST',
      url: CONFIG_MAPS,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ metadata: { name }, data: { key: 'ä\n€' } })),
      signal: new AbortController().signal,
    });
    expect(response.status).to.equal(201);
  };
  const objects = (client: WebSocketClient): string[] =>
    client.texts.map((text) => {
      const { type, object } = JSON.parse(text) as {
        type: string;
        object: { metadata: { name?: string } };
      };
      return `${type} ${object.metadata.name ?? ''}`;
    });

  beforeEach(async () => {
    server = new ApiServer({ token: TOKEN });
    await server.listen();
  });
  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.destroy();
    records.length = 0;
    await server.close();
  });

  it('has one text frame for each event, those of now and those to come', async () => {
    await create('a');
    await create('b');
    const client = await open(WATCH).upgraded();
    await until('two events', () => client.texts.length === 2);
    await create('c');
    await until('three events', () => client.texts.length === 3);
    expect(objects(client)).to.deep.equal(['ADDED a', 'ADDED b', 'ADDED c']);
    for (const { masked, final, payload } of client.frames) {
      expect([masked, final]).to.deep.equal([false, true]);
      expect(payload.toString().endsWith('}\n')).to.equal(true);
    }
    expect(client.texts[0]).to.include('"ä\\n€"');
  });

  it('answers 101 with the headers of kube-apiserver and no others', async () => {
    const client = await open(WATCH).upgraded();
    expect(client.text.split('\r\n\r\n', 1)[0]?.split('\r\n')).to.deep.equal([
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
    ]);
  });

  it('closes with 1000 at its timeout', async () => {
    const client = await open(`${WATCH}&timeoutSeconds=1`).upgraded();
    await client.closed();
    expect(client.closes).to.deep.equal([1000]);
    expect(client.frames.length).to.equal(1);
  });

  it('has an ERROR event and the close when its version is too old', async () => {
    await create('a');
    await server.compact();
    const client = await open(`${WATCH}&resourceVersion=1`).upgraded();
    await client.closed();
    expect(client.texts.length).to.equal(1);
    expect(client.texts[0]).to.include('"type":"ERROR"').and.include('"reason":"Expired"');
    expect(client.closes).to.deep.equal([1000]);
  });

  it('works for the older path, with a list of events first, and as a table', async () => {
    await create('a');
    const paths: readonly [path: string, text: string, accept: string][] = [
      ['/api/v1/watch/namespaces/default/configmaps/a', 'ADDED', '*/*'],
      [
        `${WATCH}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
        'k8s.io/initial-events-end',
        '*/*',
      ],
      [WATCH, 'columnDefinitions', 'application/json;as=Table;v=v1;g=meta.k8s.io'],
    ];
    for (const [path, text, accept] of paths) {
      const client = await open(path, { Accept: accept }).upgraded();
      await until(text, () => client.texts.some((one) => one.includes(text)));
    }
  });

  it('has one binary frame for each event in protobuf, without its length', async () => {
    await create('a');
    const headers = { Accept: 'application/vnd.kubernetes.protobuf' };
    const client = await open(`${WATCH}&timeoutSeconds=1`, headers).upgraded();
    await client.closed();
    const binary = client.frames.filter(({ opcode }) => opcode === 2);
    const events = binary.map(({ payload }) => readWatchEvent(payload));
    expect(events.map(({ type }) => type)).to.deep.equal(['ADDED']);
    const object = decodeObject((events[0] as { object: Uint8Array }).object);
    expect(object.metadata).to.include({ name: 'a' });
    expect(client.texts).to.deep.equal([]);
    expect(client.closes).to.deep.equal([1000]);
  });

  it('takes the token from a subprotocol, as browsers have to send it', async () => {
    const protocol = `base64url.bearer.authorization.k8s.io.${Buffer.from(TOKEN).toString('base64url')}`;
    const openWith = (
      offered: string,
      more: Readonly<Record<string, string>> = {},
    ): WebSocketClient => {
      const headers = { 'Sec-WebSocket-Protocol': offered, ...more };
      const client = new WebSocketClient(portOf(server.url), WATCH, headers);
      clients.push(client);
      return client;
    };
    const client = await openWith(`${protocol}, v4.channel.k8s.io`).upgraded();
    expect(client.text).to.include('\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n');
    const wrong = protocol.slice(0, -4);
    for (const offered of [
      protocol,
      `${wrong}!!, a`,
      `${wrong}, a`,
      `${protocol}, ${protocol}, a`,
    ]) {
      const refused = openWith(offered);
      await refused.closed();
      expect(refused.text, offered).to.match(/^HTTP\/1.1 401 /);
    }
    const both = openWith(`${protocol}, a`, AUTHORIZED);
    await both.closed();
    expect(both.text).to.match(/^HTTP\/1.1 400 /);
  });

  it('is a plain HTTP response when it cannot begin', async () => {
    const rows: readonly [path: string, headers: Record<string, string>, status: number][] = [
      [WATCH, { Authorization: 'Bearer wrong' }, 401],
      [`${WATCH}&resourceVersion=abc`, {}, 500],
      [`${WATCH}&sendInitialEvents=true`, {}, 422],
      ['/api/v1/namespaces/default/nothing?watch=true', {}, 404],
      [WATCH, { Accept: 'application/yaml' }, 406],
      [WATCH, { Host: 'evil.example' }, 403],
    ];
    for (const [path, headers, status] of rows) {
      const client = open(path, headers);
      await client.closed();
      expect(client.text, path).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      const [head = '', body = ''] = client.text.split('\r\n\r\n');
      expect(head.toLowerCase()).to.include(`content-length: ${body.length}`);
      // YAML has JSON within.
      expect(parse(body)).to.include({ kind: 'Status', code: status });
    }
  });

  it('is refused without an origin', async () => {
    const client = open(WATCH, { Origin: 'null' });
    await client.closed();
    expect(client.text).to.equal('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
  });

  it('is a plain response for everything that is not a watch', async () => {
    await create('a');
    const rows: readonly [path: string, headers: Record<string, string>, text: string][] = [
      [CONFIG_MAPS, {}, '"kind":"ConfigMapList"'],
      [`${CONFIG_MAPS}/a`, {}, '"name":"a"'],
      ['/version', {}, '"gitVersion"'],
      [WATCH, { Upgrade: 'h2c' }, '"type":"ADDED"'],
      [WATCH, { Upgrade: 'SPDY/3.1' }, '"type":"ADDED"'],
    ];
    for (const [path, headers, text] of rows) {
      const client = open(path, headers);
      await until(text, () => client.text.includes(text));
      expect(client.text, path).to.match(/^HTTP\/1.1 200 /);
    }
  });

  it('leaves a connection usable that asked for other protocols many times', async () => {
    const client = open('/version');
    const answers = (): number => client.text.split('"gitVersion"').length - 1;
    for (let count = 1; count <= 30; count += 1) {
      await until(`answer ${count}`, () => answers() === count);
      client.socket.write(
        `GET /version HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n\r\n`,
      );
    }
    const body = JSON.stringify({ metadata: { name: 'posted' } });
    client.socket.write(
      `POST ${CONFIG_MAPS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await until('the created object', () => client.text.includes('"name":"posted"'));
    expect(client.text).to.include('HTTP/1.1 201 Created');
  });

  it('answers pings, also one that came with the handshake, and the close of the client', async () => {
    const client = open(WATCH);
    client.socket.write(clientFrame(0x9, 'early'));
    await client.upgraded();
    client.socket.write(clientFrame(0x9, 'later'));
    await until('two pongs', () => client.frames.length === 2);
    expect(
      client.frames.map(({ opcode, payload }) => `${opcode} ${payload.toString()}`),
    ).to.deep.equal(['10 early', '10 later']);
    client.socket.write(clientFrame(0x8, '\x03\xe9bye'));
    await client.closed();
    expect(client.closes).to.deep.equal([1000]);
  });

  it('closes with 1002 when the client does not mask', async () => {
    const client = await open(WATCH).upgraded();
    client.socket.write(clientFrame(0x1, 'x', { masked: false }));
    await client.closed();
    expect(client.closes).to.deep.equal([1002]);
  });

  it('ends with the close frame when the server closes', async () => {
    const client = await open(WATCH).upgraded();
    await server.close();
    await client.closed();
    expect(client.closes).to.deep.equal([1000]);
  });

  describe('of a handler of its own', () => {
    const piece = Buffer.from(`${'x'.repeat(1024 * 1024)}\n`);
    let listener: HttpListener | undefined;
    afterEach(() => listener?.close());

    /** A listener whose watch brings pieces until it is left. */
    const listen = async (
      next: () => Promise<IteratorResult<Uint8Array, undefined>>,
      options: Partial<HttpListenerOptions> = {},
    ): Promise<{ left: Promise<void>; request: Promise<ApiRequest>; port: number }> => {
      const left = deferred<void>();
      const asked = deferred<ApiRequest>();
      const done = { done: true, value: undefined } as const;
      const iterator = {
        next: () => Promise.race([next(), left.promise.then(() => done)]),
        return: () => {
          left.resolve();
          return Promise.resolve(done);
        },
      };
      listener = new HttpListener({
        handler: (request) => {
          asked.resolve(request);
          const body = { [Symbol.asyncIterator]: () => iterator };
          const response = bytesResponse(200, 'application/json', body);
          return Promise.resolve({ ...response, isWatch: true });
        },
        onRequest: (record) => records.push(record),
        ...options,
      });
      await listener.listen();
      return { left: left.promise, request: asked.promise, port: portOf(listener.address) };
    };
    const connect = (port: number, origin: string = 'http://localhost'): WebSocketClient => {
      const client = new WebSocketClient(port, WATCH, { Origin: origin });
      clients.push(client);
      return client;
    };
    const silent = (): Promise<never> => deferred<never>().promise;

    it('is left, with its request aborted and recorded as 101, when the client goes away', async () => {
      const { left, request, port } = await listen(silent);
      const client = await connect(port).upgraded();
      client.socket.destroy();
      await left;
      const { signal } = await request;
      await until('the abort', () => signal.aborted && records.length === 1);
      expect(records[0]).to.include({ method: 'GET', url: WATCH, status: 101 });
    });

    it('is left, with its request aborted and recorded as 403, when the handshake is refused', async () => {
      const { left, request, port } = await listen(silent);
      await connect(port, 'null').closed();
      await left;
      expect((await request).signal.aborted).to.equal(true);
      await until('the record', () => records.length === 1);
      expect(records[0]).to.include({ status: 403 });
    });

    it('is not read faster than the client reads, which is cut off in the end', async () => {
      let pulled = 0;
      const warnings: unknown[] = [];
      const { left, port } = await listen(
        () => {
          pulled += 1;
          return Promise.resolve({ done: false, value: piece });
        },
        {
          stuckClientTimeoutMs: 200,
          logger: { ...silentLogger, warn: (_message, fields) => warnings.push(fields?.['error']) },
        },
      );
      const client = connect(port);
      client.socket.pause();
      await left;
      expect(pulled).to.be.below(50);
      await until('the warning', () => warnings.length === 1);
      expect(warnings).to.deep.equal(['the client read nothing of its watch for 200 ms']);
      client.socket.resume();
      await client.closed();
    });

    it('breaks off without a close frame when its body fails', async () => {
      const { port } = await listen(() => Promise.reject(new Error('storage gone')));
      const client = connect(port);
      await client.closed();
      expect(client.closes).to.deep.equal([]);
    });

    it('is cut off when the client does not close its end', async () => {
      const { port } = await listen(() => Promise.resolve({ done: true, value: undefined }), {
        closeTimeoutMs: 50,
      });
      const client = connect(port);
      client.socket.allowHalfOpen = true;
      await client.upgraded();
      await until('the record of the lost connection', () => records.length === 1);
      expect(client.closes).to.deep.equal([1000]);
    });
  });
});
