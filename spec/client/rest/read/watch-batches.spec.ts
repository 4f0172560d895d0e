import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import type {
  WatchRequest,
  WatchStream,
} from '../../../../lib/cache/reflector/contract/lister-watcher.ts';
import { Client } from '../../../../lib/client/rest/client.ts';
import { AxiosTransport } from '../../../../lib/client/transport/axios-transport.ts';
import { TransportError } from '../../../../lib/client/transport/contract/transport-error.ts';
import type { ResponseBody } from '../../../../lib/client/transport/contract/transport.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { ApiError } from '../../../../lib/meta/failure/api-error.ts';
import type { ObjectView } from '../../../../lib/meta/object-view.ts';
import { failureOf, rejectionOf } from '../../support/failure-of.ts';
import { RawServer, reset } from '../../support/raw-server.ts';
import { ScriptedTransport } from '../../support/scripted-transport.ts';
import { until } from '../../../support/until.ts';

const PODS = { apiVersion: 'v1', resource: 'pods' };

const added = (name: string): string =>
  JSON.stringify({ type: 'ADDED', object: { metadata: { name, resourceVersion: '1' } } });

/** Collects batches of event summaries; a failure at the end is returned beside them. */
async function collect(
  stream: WatchStream<ObjectView>,
): Promise<{ batches: string[][]; error?: unknown }> {
  const batches: string[][] = [];
  try {
    for await (const batch of stream) {
      batches.push(
        batch.map((event) =>
          event.type === 'BOOKMARK'
            ? `BOOKMARK ${event.resourceVersion}${event.initialEventsEnd ? ' end' : ''}`
            : `${event.type} ${event.object.metadata.name}`,
        ),
      );
    }
    return { batches };
  } catch (error) {
    return { batches, error };
  }
}

async function watchPieces(
  pieces: unknown[],
  options: { maxFrameBytes?: number } = {},
): Promise<{ batches: string[][]; error?: unknown; transport: ScriptedTransport }> {
  const transport = new ScriptedTransport(() => ({ body: pieces }));
  const client = new Client({ transport, ...options });
  const stream = await client.listerWatcher(PODS).watch({});
  return { ...(await collect(stream)), transport };
}

describe('a watch stream', () => {
  it('delivers the same events wherever the network cuts it', async () => {
    const bookmark = {
      type: 'BOOKMARK',
      object: {
        metadata: { resourceVersion: '7', annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    };
    const text = `${added('é漢😀')}\r\n${JSON.stringify(bookmark)}\n\n${added('b')}\n`;
    const bytes = Buffer.from(text);
    const expected = ['ADDED é漢😀', 'BOOKMARK 7 end', 'ADDED b'];
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const { batches, error } = await watchPieces([bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect(error).to.equal(undefined);
      expect(batches.flat(), `cut at ${cut}`).to.deep.equal(expected);
    }
  });

  it('makes one batch of what one piece completes, and none of a piece that completes nothing', async () => {
    const { batches } = await watchPieces([
      `${added('a')}\n${added('b')}\n{"type":`,
      `"ADDED","object":{"metadata":`,
      `{"name":"c"}}}\n${added('d')}\n`,
      '\n',
    ]);
    expect(batches).to.deep.equal([
      ['ADDED a', 'ADDED b'],
      ['ADDED c', 'ADDED d'],
    ]);
  });

  it('makes one batch of all pieces that are here already', async () => {
    const pieces = ['a', 'b', 'c', 'd'].map((name) => Buffer.from(`${added(name)}\n`));
    // The last one is not here yet.
    const here = (): boolean => pieces.length > 1;
    const body: ResponseBody = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          const value = pieces.shift();
          return Promise.resolve(
            value === undefined ? { done: true, value } : { done: false, value },
          );
        },
        poll: () => (here() ? pieces.shift() : undefined),
      }),
    };
    const transport = new ScriptedTransport(() => ({}));
    transport.send = () => Promise.resolve({ status: 200, headers: {}, body });
    const stream = await new Client({ transport }).listerWatcher(PODS).watch({});
    const { batches, error } = await collect(stream);
    expect(batches).to.deep.equal([['ADDED a', 'ADDED b', 'ADDED c'], ['ADDED d']]);
    expect(error).to.equal(undefined);
  });

  it('throws what an ERROR event says, after the events before it', async () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      code: 410,
      reason: 'Expired',
      message: 'old',
    };
    const { batches, error, transport } = await watchPieces([
      `${added('a')}\n${JSON.stringify({ type: 'ERROR', object: status })}\n${added('never')}\n`,
      'never read',
    ]);
    expect(batches).to.deep.equal([['ADDED a']]);
    expect(error).to.be.instanceOf(ApiError).and.to.include({ code: 'EXPIRED', problem: 'old' });
    expect((error as Error).message).to.match(
      /^watch pods \(GET http:\/\/scripted\/api\/v1\/pods\): old; /,
    );
    expect(transport.finished).to.equal(1);
  });

  it('throws a malformed frame with its place and none of its content, after the events before it', async () => {
    const canary = 'c2VjcmV0LXZhbHVl';
    const malformed: [frame: string, problem: string][] = [
      [`{"type":"ADDED","object":{"data":"${canary}"}`, 'it is not JSON'],
      [canary, 'it is not JSON'],
      [`["${canary}"]`, 'it is not a watch event'],
      [`{"type":"ADDED","object":"${canary}"}`, 'it has no object'],
      [`{"type":"${canary}","object":{}}`, 'its type is none of'],
      [`{"type":"ERROR","object":{"kind":"${canary}"}}`, 'without a Status'],
      [`{"type":"BOOKMARK","object":{"data":"${canary}"}}`, 'without a resource version'],
    ];
    for (const [frame, problem] of malformed) {
      const { batches, error } = await watchPieces([`${added('a')}\n${frame}\n${added('b')}\n`]);
      expect(batches, frame).to.deep.equal([['ADDED a']]);
      expect(error).to.be.instanceOf(TransportError).and.to.include({ code: 'MALFORMED_FRAME' });
      const { message, cause } = error as TransportError;
      expect(message).to.contain(problem).and.to.contain('event 2, at byte ');
      expect(message).to.contain('GET http://scripted/api/v1/pods:').and.not.to.contain(canary);
      expect(cause).to.equal(undefined);
    }
  });

  it('throws FRAME_TOO_LARGE after the events before it', async () => {
    const pieces = [`${added('a')}\n{"type":`, 'x'.repeat(100)];
    const { batches, error } = await watchPieces(pieces, { maxFrameBytes: 90 });
    expect(batches).to.deep.equal([['ADDED a']]);
    expect(error).to.include({ code: 'FRAME_TOO_LARGE' });
  });

  it('ends normally between events, also without a last newline, and fails within one', async () => {
    expect(await watchPieces([])).to.deep.include({ batches: [] });
    const whole = await watchPieces([`${added('a')}\n`, added('b')]);
    expect(whole.batches).to.deep.equal([['ADDED a'], ['ADDED b']]);
    expect(whole.error).to.equal(undefined);
    const cut = await watchPieces([`${added('a')}\n`, added('b').slice(0, -1)]);
    expect(cut.batches).to.deep.equal([['ADDED a']]);
    expect(cut.error).to.include({ code: 'CONNECTION_FAILED' });
    expect((cut.error as Error).message).to.contain('ended in the middle of event 2');
  });

  it('asks with exactly the parameters it was given', async () => {
    const transport = new ScriptedTransport(() => ({}));
    const client = new Client({ transport });
    const pods = client.listerWatcher(PODS, { namespace: 'shop', labelSelector: 'a in (b,c)' });
    const request: WatchRequest = {
      resourceVersion: '9007199254740993',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
      sendInitialEvents: false,
      timeoutSeconds: 300,
    };
    await pods.watch(request);
    await pods.watch({});
    expect(transport.requests.map((one) => one.path)).to.deep.equal([
      '/api/v1/namespaces/shop/pods?watch=true&labelSelector=a%20in%20(b%2Cc)' +
        '&resourceVersion=9007199254740993&resourceVersionMatch=NotOlderThan' +
        '&allowWatchBookmarks=true&sendInitialEvents=false&timeoutSeconds=300',
      '/api/v1/namespaces/shop/pods?watch=true&labelSelector=a%20in%20(b%2Cc)',
    ]);
    expect(transport.requests[0]?.stream).to.equal(true);
  });

  it('rejects with the ApiError of a refusal', async () => {
    const body = {
      kind: 'Status',
      apiVersion: 'v1',
      code: 403,
      reason: 'Forbidden',
      message: 'no',
    };
    const client = new Client({ transport: new ScriptedTransport(() => ({ status: 403, body })) });
    const { signal } = new AbortController();
    const error = await failureOf(client.listerWatcher(PODS).watch({ signal }));
    expect(error).to.be.instanceOf(ApiError).and.to.include({ code: 'FORBIDDEN', problem: 'no' });
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });

  it('decodes a hundred thousand events in one go', async () => {
    const line = `${added('a')}\n`;
    const { batches } = await watchPieces([line.repeat(100_000)]);
    expect(batches).to.have.length(1);
    expect(batches[0]).to.have.length(100_000);
  });
});

describe('a watch stream over a socket', () => {
  const runtime = new VirtualRuntime();
  let client: Client;
  const clientOf = (server: RawServer): Client => {
    client = new Client({
      runtime,
      transport: new AxiosTransport({ runtime, server: server.url }),
    });
    return client;
  };
  const sending = (text: string): Promise<RawServer> =>
    RawServer.start((_, response) => void response.write(text));

  afterEach(async () => {
    await client.close();
  });

  it('fails when the connection is reset, after the events before', async () => {
    await using server = await RawServer.start((_, response) => {
      response.write(`${added('a')}\n`, () => setImmediate(() => reset(response)));
    });
    const stream = await clientOf(server).listerWatcher(PODS).watch({});
    const { batches, error } = await collect(stream);
    expect(batches).to.deep.equal([['ADDED a']]);
    expect(error).to.include({ code: 'CONNECTION_FAILED' });
  });

  it('ends normally when the server ends it, and keeps the connection', async () => {
    await using server = await RawServer.start((_, response) => {
      response.end(`${added('a')}\n`);
    });
    const pods = clientOf(server).listerWatcher(PODS);
    for (let round = 0; round < 3; round += 1) {
      expect(await collect(await pods.watch({}))).to.deep.equal({ batches: [['ADDED a']] });
    }
    expect(server.connections).to.equal(1);
  });

  it('closes the connection when its loop is left, when it is never entered, and on abort', async () => {
    await using server = await sending(`${added('a')}\n`);
    const pods = clientOf(server).listerWatcher(PODS);
    const controller = new AbortController();
    const { signal } = controller;

    for await (const _ of await pods.watch({ signal })) break;
    const untouched = await pods.watch({ signal });
    await untouched[Symbol.asyncIterator]().return?.();
    await until('both connections are closed', () => server.sockets.size === 0);
    expect(getEventListeners(signal, 'abort')).to.have.length(0);

    const batches = (await pods.watch({ signal }))[Symbol.asyncIterator]();
    await batches.next();
    const next = rejectionOf(batches.next());
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await next).to.equal(reason);
    await until('the connection is closed', () => server.sockets.size === 0);
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });

  it('ends a read that is under way when it is left from elsewhere', async () => {
    await using server = await sending(`${added('a')}\n`);
    const batches = (await clientOf(server).listerWatcher(PODS).watch({}))[Symbol.asyncIterator]();
    await batches.next();
    const next = batches.next();
    await batches.return?.();
    expect((await next).done).to.equal(true);
  });

  it('takes a silent connection for dead after the idle limit', async () => {
    await using server = await sending(`${added('a')}\n`);
    const options = { watchIdleTimeoutMs: 1_000 };
    const stream = await clientOf(server).listerWatcher(PODS, options).watch({});
    const batches = stream[Symbol.asyncIterator]();
    await batches.next();
    // Time its reader takes is not silence.
    await runtime.advance(10_000);
    let failed = false;
    const next = failureOf(batches.next()).finally(() => {
      failed = true;
    });
    await runtime.advance(999);
    expect(failed).to.equal(false);
    await runtime.advance(1);
    const error = await next;
    expect(error.code).to.equal('STREAM_IDLE');
    expect(error.message).to.contain('carried nothing for 1000 ms');
    await until('the connection is closed', () => server.sockets.size === 0);
    expect(runtime.pending).to.equal(0);
  });

  it('grants a server thirty seconds to end a watch whose time is up', async () => {
    await using server = await sending(`${added('a')}\n`);
    const pods = clientOf(server).listerWatcher(PODS);
    const batches = (await pods.watch({ timeoutSeconds: 300 }))[Symbol.asyncIterator]();
    await batches.next();
    let failed = false;
    const next = failureOf(batches.next()).then((error) => {
      failed = true;
      return error;
    });
    await runtime.advance(329_999);
    expect(failed).to.equal(false);
    await runtime.advance(1);
    expect((await next).code).to.equal('STREAM_IDLE');
  });
});
