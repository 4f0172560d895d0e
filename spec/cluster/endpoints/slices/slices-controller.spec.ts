import { expect } from 'chai';
import { endpointSlices } from '../../../../lib/cluster/endpoints/slices/slices-controller.ts';
import type { Stored } from '../../../../lib/meta/stored.ts';
import type { EndpointSlice } from '../../../../lib/types/built-in/discovery-v1-kinds.ts';
import { NetworkWorld } from '../../support/network-world.ts';

const OF_WEB = { labelSelector: 'kubernetes.io/service-name=web' };

async function slicesOf(world: NetworkWorld): Promise<readonly Stored<EndpointSlice>[]> {
  const all = world.resource<EndpointSlice>('discovery.k8s.io/v1', 'endpointslices');
  const { items } = await all.list(OF_WEB);
  return items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** `10.0.0.1 ready`, of all slices. */
function shown(slices: readonly EndpointSlice[]): string[] {
  const endpoints = slices.flatMap((one) => one.endpoints ?? []);
  return endpoints
    .map(
      ({ addresses, conditions }) => `${addresses[0]}${conditions?.ready === true ? ' ready' : ''}`,
    )
    .toSorted();
}

async function until(
  world: NetworkWorld,
  wanted: readonly string[],
): Promise<readonly Stored<EndpointSlice>[]> {
  return await world.eventually(
    () => slicesOf(world),
    (slices) => slices.length > 0 && String(shown(slices)) === String(wanted.toSorted()),
  );
}

describe('the controller of EndpointSlices', () => {
  it('follows the readiness of pods and their deletion in one slice', async () => {
    await NetworkWorld.run([endpointSlices], async (world) => {
      await world.node('node-1');
      await world.service('web');
      const [first] = await until(world, []);
      expect(first?.metadata.name).to.match(/^web-[a-z0-9]{5}$/);
      await world.pod('a', { ip: '10.0.0.1', ready: false });
      await until(world, ['10.0.0.1']);
      await world.state('a', { ip: '10.0.0.1' });
      await until(world, ['10.0.0.1 ready']);
      await world.pods.delete('a', { gracePeriodSeconds: 30 });
      const [going] = await until(world, ['10.0.0.1']);
      expect(going?.endpoints?.[0]?.conditions).to.deep.equal({
        ready: false,
        serving: true,
        terminating: true,
      });
      await world.pods.delete('a', { gracePeriodSeconds: 0 });
      const [last] = await until(world, []);
      expect(last?.metadata.uid).to.equal(first?.metadata.uid);
    });
  });

  it('has 100 endpoints a slice, and writes only the slice of a pod that changes', async () => {
    await NetworkWorld.run([endpointSlices], async (world) => {
      const ips = Array.from({ length: 120 }, (_, at) => `10.0.0.${at + 1}`);
      await world.node('node-1');
      for (const [at, ip] of ips.entries()) await world.pod(`p${at}`, { ip });
      await world.service('web');
      const before = await until(
        world,
        ips.map((ip) => `${ip} ready`),
      );
      expect(before.map(({ endpoints }) => endpoints?.length)).to.have.members([100, 20]);
      await world.state('p0', { ip: '10.0.0.1', ready: false });
      const after = await until(world, ['10.0.0.1', ...ips.slice(1).map((ip) => `${ip} ready`)]);
      const written = after.filter(
        ({ metadata }, at) => metadata.resourceVersion !== before[at]?.metadata.resourceVersion,
      );
      expect(written).to.have.length(1);
    });
  });

  it('leaves a pod out whose node is not there, says so, and takes it with the node', async () => {
    await NetworkWorld.run([endpointSlices], async (world) => {
      await world.service('web');
      await world.pod('a', { ip: '10.0.0.1' });
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
      expect(found?.message).to.equal(
        'Error updating Endpoint Slices for Service default/web: skipping Pod a for Service default/web: Node node-1 Not Found',
      );
      expect(found?.reason).to.equal('FailedToUpdateEndpointSlices');
      expect(found?.source).to.have.property('component', 'endpoint-slice-controller');
      await until(world, []);
      await world.node('node-1', { 'topology.kubernetes.io/zone': 'west' });
      const [slice] = await until(world, ['10.0.0.1 ready']);
      expect(slice?.endpoints?.[0]?.zone).to.equal('west');
    });
  });

  it('repairs its slices when somebody edits or deletes them', async () => {
    await NetworkWorld.run([endpointSlices], async (world) => {
      const all = world.resource<EndpointSlice>('discovery.k8s.io/v1', 'endpointslices');
      await world.node('node-1');
      await world.service('web');
      await world.pod('a', { ip: '10.0.0.1' });
      const [slice] = await until(world, ['10.0.0.1 ready']);
      const { name = '' } = slice?.metadata ?? {};
      await all.patch(name, { endpoints: [{ addresses: ['10.9.9.9'] }] }, { type: 'merge' });
      await until(world, ['10.0.0.1 ready']);
      await all.delete(name);
      await until(world, ['10.0.0.1 ready']);
      const [again] = await slicesOf(world);
      await all.patch(again?.metadata.name ?? '', {
        metadata: { labels: { 'endpointslice.kubernetes.io/managed-by': 'me' } },
      });
      const both = await world.eventually(
        () => slicesOf(world),
        (slices) => slices.length === 2,
      );
      expect(shown(both)).to.deep.equal(['10.0.0.1 ready', '10.0.0.1 ready']);
    });
  });

  it('has the pods of a headless service without ports', async () => {
    await NetworkWorld.run([endpointSlices], async (world) => {
      await world.node('node-1');
      await world.service('web', { clusterIP: 'None', ports: [] });
      await until(world, []);
      await world.pod('a', { ip: '10.0.0.1' });
      const [slice] = await until(world, ['10.0.0.1 ready']);
      expect(slice?.ports ?? []).to.deep.equal([]);
    });
  });

  it('leaves services without a selector alone', async () => {
    await NetworkWorld.run([endpointSlices], async (world) => {
      await world.service('web', { selector: {} });
      await world.service('out', { type: 'ExternalName', externalName: 'example.com', ports: [] });
      await world.world.sleep(5000);
      const all = world.resource('discovery.k8s.io/v1', 'endpointslices');
      expect(
        (await all.list({ labelSelector: 'kubernetes.io/service-name in (web,out)' })).items,
      ).to.deep.equal([]);
    });
  });

  it('gives the slices to their service, so that they go with it', async () => {
    await NetworkWorld.run([endpointSlices], async (world) => {
      await world.service('web');
      await until(world, []);
      await world.resource('v1', 'services').delete('web');
      await world.eventually(
        () => slicesOf(world),
        (slices) => slices.length === 0,
      );
      await world.world.sleep(5000);
      expect(await slicesOf(world)).to.deep.equal([]);
    });
  });
});
