import { expect } from 'chai';
import { endpoints } from '../../../lib/cluster/endpoints/endpoints-controller.ts';
import { MANAGED_BY } from '../../../lib/cluster/endpoints/endpoints-object.ts';
import { isNotFound } from '../../../lib/meta/failure/failures.ts';
import type { Endpoints } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { NetworkWorld } from '../support/network-world.ts';

interface State {
  readonly ready: readonly string[];
  readonly notReady: readonly string[];
  readonly version: string;
}

/** The addresses of the Endpoints `web`; undefined when there are none. */
async function stateOf(world: NetworkWorld, name: string = 'web'): Promise<State | undefined> {
  try {
    const { subsets = [], metadata } = await world.resource<Endpoints>('v1', 'endpoints').get(name);
    const ips = (field: 'addresses' | 'notReadyAddresses'): string[] =>
      subsets.flatMap((one) => one[field] ?? []).map(({ ip }) => ip);
    return {
      ready: ips('addresses'),
      notReady: ips('notReadyAddresses'),
      version: metadata.resourceVersion,
    };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function untilReady(world: NetworkWorld, ips: readonly string[]): Promise<State> {
  const isWanted = (state: State | undefined): boolean => String(state?.ready) === String(ips);
  const state = await world.eventually(() => stateOf(world), isWanted);
  if (state === undefined) throw new Error('no endpoints');
  return state;
}

describe('the controller of Endpoints', () => {
  it('follows the readiness of pods, their labels and their deletion', async () => {
    await NetworkWorld.run([endpoints], async (world) => {
      await world.service('web');
      await untilReady(world, []);
      await world.pod('a', { ip: '10.0.0.1', ready: false });
      await world.pod('b', { ip: '10.0.0.2' });
      await world.pod('other', { ip: '10.0.0.3', labels: { app: 'db' } });
      const first = await untilReady(world, ['10.0.0.2']);
      expect(first.notReady).to.deep.equal(['10.0.0.1']);
      await world.state('a', { ip: '10.0.0.1' });
      await untilReady(world, ['10.0.0.1', '10.0.0.2']);
      await world.pods.patch('b', { metadata: { labels: { app: 'db' } } });
      await untilReady(world, ['10.0.0.1']);
      await world.pods.delete('a', { gracePeriodSeconds: 0 });
      await untilReady(world, []);
    });
  });

  it('follows the selector of the service', async () => {
    await NetworkWorld.run([endpoints], async (world) => {
      await world.pod('a', { ip: '10.0.0.1' });
      await world.pod('b', { ip: '10.0.0.2', labels: { app: 'web', tier: 'back' } });
      await world.service('web', { selector: { app: 'web', tier: 'back' } });
      await untilReady(world, ['10.0.0.2']);
      await world.resource('v1', 'services').patch('web', { spec: { selector: { tier: null } } });
      await untilReady(world, ['10.0.0.1', '10.0.0.2']);
    });
  });

  it('writes nothing when the change of a pod does not concern it', async () => {
    await NetworkWorld.run([endpoints], async (world) => {
      await world.service('web');
      await world.pod('a', { ip: '10.0.0.1' });
      const { version } = await untilReady(world, ['10.0.0.1']);
      await world.pods.patch('a', { metadata: { annotations: { note: 'x' } } });
      await world.world.sleep(5000);
      expect(await stateOf(world)).to.have.property('version', version);
    });
  });

  it('gathers the changes of many pods in few writes', async () => {
    await NetworkWorld.run([endpoints], async (world) => {
      const ips = Array.from({ length: 50 }, (_, at) => `10.0.0.${at + 100}`);
      await world.service('web');
      const { version } = await untilReady(world, []);
      const writes: string[] = [];
      const stop = new AbortController();
      const watched = (async () => {
        const all = world.resource<Endpoints>('v1', 'endpoints');
        for await (const { type } of all.watch({ resourceVersion: version, signal: stop.signal })) {
          writes.push(type);
        }
      })().catch(() => {});
      for (const [at, ip] of ips.entries()) {
        await world.pod(`p${at}`, { ip });
        await world.world.sleep(10);
      }
      await untilReady(world, ips);
      stop.abort();
      await watched;
      expect(writes.length).to.be.within(2, 10);
    });
  });

  it('leaves services without a selector alone, and deletes their Endpoints with them', async () => {
    await NetworkWorld.run([endpoints], async (world) => {
      const all = world.resource<Endpoints>('v1', 'endpoints');
      const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }];
      await world.service('web', { selector: {} });
      await all.create({ apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'web' }, subsets });
      await world.world.sleep(5000);
      expect(await stateOf(world)).to.have.deep.property('ready', ['192.0.2.1']);
      await world.resource('v1', 'services').delete('web');
      await world.eventually(
        () => stateOf(world),
        (state) => state === undefined,
      );
    });
  });

  it('makes Endpoints again that were deleted', async () => {
    await NetworkWorld.run([endpoints], async (world) => {
      await world.service('web');
      await world.pod('a', { ip: '10.0.0.1' });
      await untilReady(world, ['10.0.0.1']);
      await world.resource('v1', 'endpoints').delete('web');
      await untilReady(world, ['10.0.0.1']);
    });
  });

  it('deletes at its start what services have left that went without it', async () => {
    await NetworkWorld.run([], async (world) => {
      const all = world.resource<Endpoints>('v1', 'endpoints');
      for (const [name, labels] of [
        ['left', { [MANAGED_BY]: 'endpoint-controller' }],
        ['by-hand', {}],
      ] as const) {
        await all.create({ apiVersion: 'v1', kind: 'Endpoints', metadata: { name, labels } });
      }
      await using _ = world.begin(endpoints);
      await world.eventually(
        () => stateOf(world, 'left'),
        (state) => state === undefined,
      );
      expect(await stateOf(world, 'by-hand')).to.not.equal(undefined);
    });
  });

  it('reports a write that the server refuses, in the words of Kubernetes', async () => {
    await NetworkWorld.run([endpoints], async (world) => {
      await world.resource('v1', 'resourcequotas').create({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'none' },
        spec: { hard: { 'count/endpoints': '0' } },
      });
      await world.world.sleep(1000);
      await world.service('web');
      interface Found {
        readonly metadata?: object;
        readonly reason: string;
        readonly message: string;
        readonly source?: object;
      }
      const events = world.resource<Found>('v1', 'events');
      const found = await world.eventually(
        async () => (await events.list()).items[0],
        (one) => one !== undefined,
      );
      expect(found?.reason).to.equal('FailedToCreateEndpoint');
      expect(found?.message).to.match(
        /^Failed to create endpoint for service default\/web: endpoints "web" is forbidden: exceeded quota: none/,
      );
      expect(found?.source).to.have.property('component', 'endpoint-controller');
    });
  });
});
