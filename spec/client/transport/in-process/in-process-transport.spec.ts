import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { Client } from '../../../../lib/client/rest/client.ts';
import { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import type {
  ApiHandler,
  ApiRequest,
  ApiResponse,
} from '../../../../lib/server/http/api-request.ts';
import { inProcessTransport } from '../../../../lib/client/transport/in-process/in-process-transport.ts';

const NEVER = new Promise<never>(() => {});

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => new Error('expected a rejection'),
    (error: unknown) => error,
  );
}

function ok(body: ApiResponse['body'], headers: ApiResponse['headers'] = {}): ApiResponse {
  return { status: 200, headers, body };
}

describe('inProcessTransport', () => {
  const seen: ApiRequest[] = [];
  const transportTo = (handler: ApiHandler): ReturnType<typeof inProcessTransport> => {
    seen.length = 0;
    return inProcessTransport(
      (request) => {
        seen.push(request);
        return handler(request);
      },
      { token: 'canary' },
    );
  };

  it('passes on method, path, body and headers, and the answer back', async () => {
    const transport = transportTo(() =>
      Promise.resolve({ status: 201, headers: { ETag: ['a', 'b'] }, body: Buffer.from('made') }),
    );
    const body = Buffer.from('{}');
    const response = await transport.send({
      method: 'POST',
      path: '/api/v1/pods?x=1',
      headers: { accept: 'application/json' },
      body,
    });
    expect(seen[0]).to.deep.include({ method: 'POST', url: '/api/v1/pods?x=1', body });
    expect(seen[0]?.headers).to.deep.equal({
      host: 'in-process',
      accept: 'application/json',
      authorization: 'Bearer canary',
    });
    expect(response).to.deep.include({ status: 201, headers: { etag: 'a, b' } });
    let text = '';
    for await (const piece of response.body) text += Buffer.from(piece).toString();
    expect(text).to.equal('made');
    expect(seen[0]?.signal.aborted).to.equal(false);
  });

  it('refuses unknown options', () => {
    const handler: ApiHandler = () => NEVER;
    const wrong = { tokn: 'x' } as object;
    expect(() => inProcessTransport(handler, wrong)).to.throw('unknown option "tokn"');
  });

  it('carries a watch in virtual time', async () => {
    const runtime = new VirtualRuntime();
    async function* body({ signal }: ApiRequest): AsyncGenerator<Uint8Array> {
      for (let revision = 1; ; revision += 1) {
        await sleep(runtime, 60_000, { signal });
        const object = { metadata: { name: `p${revision}` } };
        yield Buffer.from(`${JSON.stringify({ type: 'ADDED', object })}\n`);
      }
    }
    const transport = transportTo((request) => Promise.resolve(ok(body(request))));
    const client = new Client({ transport, runtime });
    const names: (string | undefined)[] = [];
    await runtime.run(async () => {
      const pods = client.listerWatcher({ apiVersion: 'v1', resource: 'pods' });
      for await (const batch of await pods.watch({})) {
        for (const event of batch) {
          if (event.type !== 'BOOKMARK') names.push(event.object.metadata.name);
        }
        if (names.length === 3) break;
      }
    });
    expect(names).to.deep.equal(['p1', 'p2', 'p3']);
    expect(runtime.monotonicMs()).to.equal(180_000);
    expect(seen[0]?.signal.aborted).to.equal(true);
    expect(runtime.pending).to.equal(0);
  });

  it('gives up on an abort at once, even if the handler or its body never notices', async () => {
    async function* stuck(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('piece');
      await NEVER;
    }
    const transport = transportTo(({ url }) =>
      url === '/stuck' ? NEVER : Promise.resolve(ok(stuck())),
    );
    for (const path of ['/stuck', '/body']) {
      const controller = new AbortController();
      const { signal } = controller;
      const reading = failureOf(
        (async () => {
          const { body } = await transport.send({ method: 'GET', path, signal });
          for await (const _ of body);
        })(),
      );
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      const reason = new Error('enough');
      controller.abort(reason);
      expect(await reading, path).to.equal(reason);
      expect(seen.at(-1)?.signal.aborted).to.equal(true);
      expect(getEventListeners(signal, 'abort')).to.have.length(0);
    }
  });

  it('gives the answer of a handler that has ended its own work', async () => {
    const transport = transportTo(({ signal, abort }) => {
      abort?.(new Error('too late'));
      const body = Buffer.from(String(signal.aborted));
      return Promise.resolve({ status: 504, headers: {}, body });
    });
    const { status, body } = await transport.send({ method: 'GET', path: '/' });
    expect(status).to.equal(504);
    expect((await body[Symbol.asyncIterator]().next()).value).to.deep.equal(Buffer.from('true'));
  });

  it('aborts the signal of the handler when a body is left, also before its first piece', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.from('piece');
    }
    const transport = transportTo(() => Promise.resolve(ok(endless())));
    const first = await transport.send({ method: 'GET', path: '/' });
    for await (const _ of first.body) break;
    const second = await transport.send({ method: 'GET', path: '/' });
    await second.body[Symbol.asyncIterator]().return?.();
    expect(seen.map((one) => one.signal.aborted)).to.deep.equal([true, true]);
  });

  it('fails with CLOSED what runs when it is closed, and what comes later', async () => {
    const transport = transportTo(() => NEVER);
    const running = failureOf(transport.send({ method: 'GET', path: '/' }));
    await transport.close();
    for (const work of [running, failureOf(transport.send({ method: 'GET', path: '/' }))]) {
      expect(await work)
        .to.be.instanceOf(ListwatchError)
        .and.to.include({ code: 'CLOSED' });
    }
    expect(seen[0]?.signal.aborted).to.equal(true);
  });

  it('reports a handler that rejects, or a body that throws, as a broken connection', async () => {
    const rejecting = transportTo(() => Promise.reject(new Error('boom')));
    const { signal } = new AbortController();
    const rejected = await failureOf(rejecting.send({ method: 'GET', path: '/a?b=c', signal }));
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
    expect(rejected).to.include({ code: 'CONNECTION_FAILED' });
    expect((rejected as Error).message).to.equal(
      'GET http://in-process/a: the connection failed: boom',
    );
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('piece');
      throw new Error('boom');
    }
    const { body } = await transportTo(() => Promise.resolve(ok(breaking()))).send({
      method: 'GET',
      path: '/',
    });
    const broken = await failureOf(
      (async () => {
        for await (const _ of body);
      })(),
    );
    expect(broken).to.include({ code: 'CONNECTION_FAILED' });
  });
});
