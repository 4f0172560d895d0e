import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import type { FaultRule } from '../../../../lib/server/api/faults/fault-rule.ts';
import { apiRequest, call, type Call, type CallOptions } from '../support.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const WATCH = `${CONFIG_MAPS}?watch=true&timeoutSeconds=60`;

const configMap = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
});

interface World {
  readonly server: ApiServer;
  readonly runtime: VirtualRuntime;
  readonly api: (method: string, url: string, options?: CallOptions) => Promise<Call>;
}

async function withServer(run: (world: World) => Promise<void>): Promise<void> {
  const runtime = new VirtualRuntime();
  await runtime.run(async () => {
    await using server = new ApiServer({ runtime });
    const api: World['api'] = (method, url, more) => call(server.handler, method, url, more);
    await run({ server, runtime, api });
  });
}

function namesIn(piece: Uint8Array): string[] {
  const lines = Buffer.from(piece).toString().trim().split('\n');
  return lines.map((line) => {
    const { type, object } = JSON.parse(line) as {
      type: string;
      object: { metadata?: { name?: string }; code?: number };
    };
    return type === 'ERROR' ? `ERROR ${object.code}` : (object.metadata?.name ?? type);
  });
}

/** The names of the objects of a watch until its body ends, and how that was. */
async function watched(
  { server }: World,
  path: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ status: number; names: string[]; end: string }> {
  const { status, body } = await server.handler(apiRequest('GET', path, { signal }));
  if (body instanceof Uint8Array) return { status, names: [], end: 'no stream' };
  const names: string[] = [];
  try {
    for await (const piece of body) names.push(...namesIn(piece));
  } catch (error) {
    return { status, names, end: (error as { code: string }).code };
  }
  return { status, names, end: 'end' };
}

async function createAll({ api }: World, names: readonly string[]): Promise<void> {
  for (const name of names) await api('POST', CONFIG_MAPS, { body: configMap(name) });
}

describe('Faults', () => {
  it('answer in place of the server, with Retry-After, as often as the rule says', async () => {
    await withServer(async ({ server, api }) => {
      using fault = server.faults.add({
        match: { verb: 'create', resource: 'configmaps' },
        answer: { status: 429, retryAfterSeconds: 2 },
        times: 2,
      });
      const answers: unknown[] = [];
      for (let index = 0; index < 3; index += 1) {
        const { status, headers } = await api('POST', CONFIG_MAPS, { body: configMap('a') });
        answers.push([status, headers['retry-after']]);
      }
      expect(answers).to.deep.equal([
        [429, '2'],
        [429, '2'],
        [201, undefined],
      ]);
      expect([fault.matched, fault.applied, fault.fired]).to.deep.equal([3, 2, 2]);
    });
  });

  const reasons: readonly (readonly [number, string])[] = [
    [410, 'Expired'],
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
    [503, 'ServiceUnavailable'],
    [504, 'Timeout'],
  ];
  for (const [status, reason] of reasons) {
    it(`answer ${status} with the reason ${reason}`, async () => {
      await withServer(async ({ server, api }) => {
        server.faults.add({ answer: { status, message: 'made up' } });
        const answer = (await api('GET', CONFIG_MAPS)).json();
        expect(answer).to.include({ kind: 'Status', code: status, reason, message: 'made up' });
      });
    });
  }

  it('concern only the requests that match all of the rule', async () => {
    await withServer(async ({ server, api }) => {
      const answer = { status: 503 };
      const scale = '/apis/apps/v1/namespaces/x/deployments/web/scale';
      const paths = [CONFIG_MAPS, '/api/v1/pods', scale, '/version'];
      const refused = async (match: FaultRule['match']): Promise<number[]> => {
        using _fault = server.faults.add({ match, answer });
        const answers = await Promise.all(paths.map((path) => api('GET', path)));
        return answers.flatMap(({ status }, index) => (status === 503 ? [index] : []));
      };
      expect(await refused(undefined)).to.deep.equal([0, 1, 2, 3]);
      expect(await refused({ verb: 'list' })).to.deep.equal([0, 1]);
      expect(await refused({ verb: ['get', 'list'], group: '' })).to.deep.equal([0, 1]);
      expect(await refused({ resource: 'deployments/scale', group: 'apps' })).to.deep.equal([2]);
      expect(await refused({ resource: 'deployments' })).to.deep.equal([]);
      expect(await refused({ namespace: 'default' })).to.deep.equal([0]);
      expect(await refused({ name: 'web' })).to.deep.equal([2]);
      expect(await refused({ user: 'system:admin', path: /^\/v/g })).to.deep.equal([3]);
      expect(await refused({ user: 'somebody' })).to.deep.equal([]);
      expect(await refused({ path: '/version' })).to.deep.equal([3]);
    });
  });

  it('delay a request by a time that the seed draws', async () => {
    await withServer(async ({ server, runtime, api }) => {
      const took = async (seed: number): Promise<number[]> => {
        using _fault = server.faults.add({ delayMs: [100, 900], seed });
        const times: number[] = [];
        for (let index = 0; index < 5; index += 1) {
          const startMs = runtime.wallMs();
          await api('GET', '/version');
          times.push(runtime.wallMs() - startMs);
        }
        return times;
      };
      const first = await took(7);
      expect(first.every((ms) => ms >= 100 && ms <= 900)).to.equal(true);
      expect(new Set(first).size).to.equal(5);
      expect(await took(8)).to.not.deep.equal(first);
    });
  });

  it('hit the same requests in every run with the same seed', async () => {
    await withServer(async ({ server, api }) => {
      const hits = async (rule: FaultRule): Promise<string> => {
        using _fault = server.faults.add(rule);
        let text = '';
        for (let index = 0; index < 40; index += 1) {
          text += (await api('GET', '/version')).status === 500 ? 'x' : '.';
        }
        return text;
      };
      const answer = { status: 500 };
      const first = await hits({ answer, probability: 0.3, seed: 'a' });
      expect(first).to.match(/^(?=.*x)(?=.*\.)[x.]{40}$/);
      expect(await hits({ answer, probability: 0.3, seed: 'a' })).to.equal(first);
      expect(await hits({ answer, probability: 0.3, seed: 'b' })).to.not.equal(first);
      const skipped = await hits({ answer, probability: 0.3, seed: 'a', skip: 10 });
      expect(skipped).to.equal('.'.repeat(10) + first.slice(10));
    });
  });

  it('reset the connection before a request is handled, or after it was', async () => {
    await withServer(async ({ server, api }) => {
      const codeOf = async (name: string): Promise<unknown> =>
        await api('POST', CONFIG_MAPS, { body: configMap(name) }).catch(
          (error: unknown) => (error as { code?: string }).code,
        );
      const before = server.faults.add({ reset: true, times: 1 });
      expect(await codeOf('a')).to.equal('CONNECTION_FAILED');
      before.remove();
      server.faults.add({ reset: { handled: true }, times: 1 });
      expect(await codeOf('b')).to.equal('CONNECTION_FAILED');
      const [a, b] = await Promise.all(
        ['a', 'b'].map((name) => api('GET', `${CONFIG_MAPS}/${name}`)),
      );
      expect([a?.status, b?.status]).to.deep.equal([404, 200]);
    });
  });

  it('cut the body of an answer after some bytes', async () => {
    await withServer(async ({ server }) => {
      server.faults.add({ reset: { afterBytes: 10 } });
      const { status, body, headers } = await server.handler(apiRequest('GET', '/version'));
      let length = 0;
      let code = '';
      try {
        for await (const piece of body as AsyncIterable<Uint8Array>) length += piece.length;
      } catch (error) {
        ({ code } = error as { code: string });
      }
      expect([status, length, code]).to.deep.equal([200, 10, 'CONNECTION_FAILED']);
      expect(headers).to.not.have.property('content-length');
    });
  });

  const cuts: readonly (readonly [string, FaultRule, string[], string])[] = [
    ['reset', { reset: { afterEvents: 3 } }, ['a', 'b', 'c'], 'CONNECTION_FAILED'],
    ['end', { end: { afterEvents: 2 } }, ['a', 'b'], 'end'],
    ['expire', { expire: { afterEvents: 1 } }, ['a', 'ERROR 410'], 'end'],
    ['expire at once', { expire: true }, ['ERROR 410'], 'end'],
    ['end at once', { end: true }, [], 'end'],
  ];
  for (const [name, rule, names, end] of cuts) {
    it(`${name} a watch, in the middle of events that came together`, async () => {
      await withServer(async (world) => {
        await createAll(world, ['a', 'b', 'c', 'd']);
        using fault = world.server.faults.add({ match: { verb: 'watch' }, ...rule });
        const seen = await watched(world, `${WATCH}&fieldSelector=metadata.name!=kube-root-ca.crt`);
        expect(seen).to.deep.equal({ status: 200, names, end });
        expect(fault.fired).to.equal(1);
      });
    });
  }

  it('count no bookmark as an event', async () => {
    await withServer(async (world) => {
      const query =
        'sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
      world.server.faults.add({ end: { afterEvents: 1 } });
      const watching = watched(world, `${WATCH}&${query}`);
      world.runtime.setTimer(1_000, () => {
        void createAll(world, ['a']);
      });
      expect((await watching).names).to.deep.equal(['BOOKMARK', 'a']);
    });
  });

  it('silence a watch, which stays open until its client leaves', async () => {
    await withServer(async (world) => {
      await createAll(world, ['a']);
      using fault = world.server.faults.add({ silence: { afterEvents: 1 } });
      const abort = new AbortController();
      const watching = watched(world, WATCH, abort.signal);
      world.runtime.setTimer(3_600_000, () => {
        abort.abort();
      });
      await createAll(world, ['b']);
      const startMs = world.runtime.monotonicMs();
      expect(await watching).to.deep.equal({ status: 200, names: ['a'], end: 'end' });
      expect(world.runtime.monotonicMs() - startMs).to.be.at.least(3_590_000);
      expect(fault.fired).to.equal(1);
    });
  });

  it('hold the events of a watch back', async () => {
    await withServer(async (world) => {
      world.server.faults.add({ holdEventsMs: 5_000, end: { afterEvents: 1 } });
      const watching = watched(world, WATCH);
      const startMs = world.runtime.monotonicMs();
      await createAll(world, ['a']);
      expect((await watching).names).to.deep.equal(['a']);
      expect(world.runtime.monotonicMs() - startMs).to.equal(5_000);
    });
  });

  it('compact the history before a request, so that a watch from before it gets 410', async () => {
    await withServer(async (world) => {
      const { api, server } = world;
      const list = (await api('GET', CONFIG_MAPS)).json() as {
        metadata: { resourceVersion: string };
      };
      await createAll(world, ['a', 'b']);
      using fault = server.faults.add({ match: { verb: 'watch' }, compact: true });
      const path = `${WATCH}&resourceVersion=${list.metadata.resourceVersion}`;
      expect((await api('GET', path)).text).to.contain('"code":410');
      expect(fault.fired).to.equal(1);
    });
  });

  it('apply several rules in the order in which they were added, until one answers', async () => {
    await withServer(async ({ server, runtime, api }) => {
      server.faults.add({ delayMs: 100 });
      server.faults.add({ answer: { status: 503 } });
      const last = server.faults.add({ delayMs: 1000 });
      expect((await api('GET', '/version')).status).to.equal(503);
      expect([runtime.monotonicMs(), last.fired, server.faults.size]).to.deep.equal([100, 0, 3]);
      server.faults.clear();
      expect([(await api('GET', '/version')).status, server.faults.size]).to.deep.equal([200, 0]);
    });
  });

  it('are applied to a later request when another rule has ended this one', async () => {
    await withServer(async (world) => {
      const { server, api } = world;
      const first = server.faults.add({ answer: { status: 503 }, times: 1 });
      const second = server.faults.add({ reset: { afterBytes: 1 }, times: 1 });
      const third = server.faults.add({ answer: { status: 429 }, times: 1 });
      const counts = (): unknown =>
        [first, second, third].map(({ matched, applied, fired }) => [matched, applied, fired]);
      expect((await api('GET', '/version')).status).to.equal(503);
      expect(counts()).to.deep.equal([
        [1, 1, 1],
        [1, 0, 0],
        [1, 0, 0],
      ]);
      const cut = await api('GET', '/version').catch((error: unknown) => error);
      expect(cut).to.include({ code: 'CONNECTION_FAILED' });
      expect(counts()).to.deep.equal([
        [2, 1, 1],
        [2, 1, 1],
        [2, 0, 0],
      ]);
      expect((await api('GET', '/version')).status).to.equal(429);
      expect((await api('GET', '/version')).status).to.equal(200);
      expect(counts()).to.deep.equal([
        [4, 1, 1],
        [4, 1, 1],
        [4, 1, 1],
      ]);
    });
  });

  it('leave a request to the next rule when their effect is for watches alone', async () => {
    await withServer(async ({ server, api }) => {
      server.faults.add({ end: true });
      server.faults.add({ answer: { status: 503 } });
      expect((await api('GET', '/version')).status).to.equal(503);
    });
  });

  const losses: readonly FaultRule[] = [{ reset: { handled: true } }, { reset: { afterBytes: 1 } }];
  for (const rule of losses) {
    it(`count the lost answer of a write before a watch shows the write: ${JSON.stringify(rule)}`, async () => {
      await withServer(async ({ server, api }) => {
        using fault = server.faults.add({ match: { verb: 'create' }, ...rule });
        const { body } = await server.handler(apiRequest('GET', WATCH));
        let fired: number | undefined;
        const watching = (async () => {
          for await (const piece of body as AsyncIterable<Uint8Array>) {
            if (!namesIn(piece).includes('a')) continue;
            fired = fault.fired;
            break;
          }
        })();
        const write = api('POST', CONFIG_MAPS, { body: configMap('a') });
        expect(await write.catch((error: unknown) => error)).to.be.an('error');
        await watching;
        expect([fired, fault.fired]).to.deep.equal([1, 1]);
      });
    });
  }

  it('count the end of a watch before its last event is sent', async () => {
    await withServer(async (world) => {
      using fault = world.server.faults.add({ end: { afterEvents: 1 } });
      const { body } = await world.server.handler(apiRequest('GET', WATCH));
      const fired: number[] = [];
      const watching = (async () => {
        for await (const _ of body as AsyncIterable<Uint8Array>) fired.push(fault.fired);
      })();
      await createAll(world, ['a']);
      await watching;
      expect([fired, fault.fired]).to.deep.equal([[1], 1]);
    });
  });

  const both = { afterEvents: 1, afterBytes: 2 };
  const refused: readonly (readonly [string, object, string])[] = [
    ['no effect', { match: { verb: 'get' } }, 'a fault needs an effect'],
    ['an unknown field', { anwser: { status: 500 } }, 'did you mean "answer"'],
    ['an unknown verb', { match: { verb: 'read' }, reset: true }, 'known are get, list'],
    ['a kind', { match: { resource: 'Pod' }, reset: true }, 'plural in lower case'],
    ['a status of success', { answer: { status: 200 } }, 'from 400 to 599'],
    ['two places', { reset: both }, '{ afterBytes: N }'],
    ['bounds the wrong way round', { delayMs: [2, 1] }, 'two bounds [least, most]'],
    ['a probability over 1', { reset: true, probability: 2 }, 'must be a number from 0 to 1'],
    ['no time', { reset: true, times: 0 }, '"times" must be a whole number of at least 1'],
    ['an effect on watches, for lists', { match: { verb: 'list' }, end: true }, 'for watches'],
    ['events of a get', { match: { verb: 'get' }, reset: { afterEvents: 1 } }, 'for watches'],
  ];
  for (const [name, rule, message] of refused) {
    it(`refuse a rule with ${name}`, async () => {
      await using server = new ApiServer({ runtime: new VirtualRuntime() });
      expect(() => server.faults.add(rule))
        .to.throw(message)
        .with.property('code', 'INVALID_OPTION');
    });
  }
});
