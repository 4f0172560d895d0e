import { expect } from 'chai';
import { mirroredEndpointSlices } from '../../../../lib/cluster/endpoints/slices/mirroring-controller.ts';
import { plannedMirror } from '../../../../lib/cluster/endpoints/slices/mirror-plan.ts';
import type { Stored } from '../../../../lib/meta/stored.ts';
import type {
  Endpoints,
  EndpointSubset,
  Event,
} from '../../../../lib/types/built-in/core-v1-kinds.ts';
import type { EndpointSlice } from '../../../../lib/types/built-in/discovery-v1-kinds.ts';
import { NetworkWorld } from '../../support/network-world.ts';

const SLICES = 'discovery.k8s.io/v1';
const PORTS = [{ name: 'http', port: 8080, protocol: 'TCP' as const }];

function subset(...ips: string[]): EndpointSubset {
  return { addresses: ips.map((ip) => ({ ip })), ports: PORTS };
}

async function write(
  world: NetworkWorld,
  subsets: EndpointSubset[],
  metadata: object = {},
): Promise<void> {
  await world.resource<Endpoints>('v1', 'endpoints').create({
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'web', ...metadata },
    subsets,
  });
}

async function slicesOf(world: NetworkWorld): Promise<readonly Stored<EndpointSlice>[]> {
  const labelSelector = 'kubernetes.io/service-name=web';
  return (await world.resource<EndpointSlice>(SLICES, 'endpointslices').list({ labelSelector }))
    .items;
}

async function until(
  world: NetworkWorld,
  ...ips: string[]
): Promise<readonly Stored<EndpointSlice>[]> {
  return await world.eventually(
    () => slicesOf(world),
    (slices) => {
      const found = slices.flatMap(({ endpoints }) => endpoints ?? []);
      return String(found.map(({ addresses }) => addresses[0] ?? '').toSorted()) === String(ips);
    },
  );
}

describe('the mirroring of Endpoints', () => {
  it('makes a slice of Endpoints that are written by hand, and follows them', async () => {
    await NetworkWorld.run([mirroredEndpointSlices], async (world) => {
      const all = world.resource<Endpoints>('v1', 'endpoints');
      await world.service('web', { selector: {} });
      await write(world, [subset('192.0.2.1')], {
        labels: { tier: 'x' },
        annotations: { note: 'y' },
      });
      const [slice] = await until(world, '192.0.2.1');
      expect(slice?.metadata.labels).to.deep.equal({
        tier: 'x',
        'kubernetes.io/service-name': 'web',
        'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
      });
      expect(slice?.metadata.annotations).to.deep.equal({ note: 'y' });
      expect(slice?.metadata.ownerReferences?.[0]).to.include({ kind: 'Endpoints', name: 'web' });
      expect(slice?.ports).to.deep.equal(PORTS);
      expect(slice?.endpoints?.[0]?.conditions).to.deep.equal({ ready: true });
      await all.patch('web', { subsets: [subset('192.0.2.1', '192.0.2.2')] }, { type: 'merge' });
      const [again] = await until(world, '192.0.2.1', '192.0.2.2');
      expect(again?.metadata.uid).to.equal(slice?.metadata.uid);
      await world.resource(SLICES, 'endpointslices').delete(again?.metadata.name ?? '');
      await until(world, '192.0.2.1', '192.0.2.2');
      await all.delete('web');
      await until(world);
    });
  });

  it('waits for the service, and ends when that has a selector', async () => {
    await NetworkWorld.run([mirroredEndpointSlices], async (world) => {
      await write(world, [subset('192.0.2.1')]);
      await world.world.sleep(2000);
      expect(await slicesOf(world)).to.deep.equal([]);
      await world.service('web', { selector: {} });
      await until(world, '192.0.2.1');
      await world.resource('v1', 'services').patch('web', { spec: { selector: { app: 'web' } } });
      await until(world);
    });
  });

  it('takes over what the other controller has left of a service that has no selector any more', async () => {
    await NetworkWorld.run([mirroredEndpointSlices], async (world) => {
      await world.service('web');
      const labels = { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' };
      await write(world, [subset('192.0.2.1')], { labels });
      await world.world.sleep(2000);
      expect(await slicesOf(world)).to.deep.equal([]);
      await world.resource('v1', 'services').patch('web', { spec: { selector: null } });
      await until(world, '192.0.2.1');
      const all = world.resource<Endpoints>('v1', 'endpoints');
      await all.patch('web', { subsets: [subset('192.0.2.2')] }, { type: 'merge' });
      await until(world, '192.0.2.2');
    });
  });

  it('leaves Endpoints alone whose label says so', async () => {
    await NetworkWorld.run([mirroredEndpointSlices], async (world) => {
      await world.service('web', { selector: {} });
      const labels = { 'endpointslice.kubernetes.io/skip-mirror': 'true' };
      await write(world, [subset('192.0.2.1')], { labels });
      await world.world.sleep(2000);
      expect(await slicesOf(world)).to.deep.equal([]);
    });
  });

  it('reports addresses that it leaves out', async () => {
    await NetworkWorld.run([mirroredEndpointSlices], async (world) => {
      const many = Array.from(
        { length: 1001 },
        (_, at) => `10.0.${Math.floor(at / 250)}.${at % 250}`,
      );
      await world.service('web', { selector: {} });
      await write(world, [subset(...many)]);
      const events = world.resource<Event>('v1', 'events');
      const found = await world.eventually(
        async () => (await events.list()).items[0],
        (one) => one !== undefined,
      );
      expect(`${found?.reason}: ${found?.message}`).to.equal(
        'TooManyAddressesToMirror: A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 1 addresses were skipped',
      );
    });
  });
});

describe('plannedMirror', () => {
  const TIME = '2026-01-01T00:00:00Z';

  function endpoints(...subsets: EndpointSubset[]): Stored<Endpoints> {
    const metadata = {
      name: 'web',
      namespace: 'shop',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: TIME,
    };
    return { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets };
  }

  function stored(slice: EndpointSlice | undefined): Stored<EndpointSlice> {
    if (slice === undefined) throw new Error('no slice');
    const metadata = {
      ...slice.metadata,
      name: 's',
      uid: 's',
      resourceVersion: '1',
      creationTimestamp: TIME,
    };
    return { ...slice, apiVersion: SLICES, kind: 'EndpointSlice', metadata };
  }

  it('has a slice for each family', () => {
    const { create } = plannedMirror(endpoints(subset('192.0.2.1', '2001:DB8::1')), []);
    const found = create.map(({ addressType, endpoints: all = [] }) => [
      addressType,
      all[0]?.addresses,
    ]);
    expect(found).to.deep.equal([
      ['IPv4', ['192.0.2.1']],
      ['IPv6', ['2001:db8::1']],
    ]);
  });

  it('leaves out what is no address, and counts it', () => {
    const { create, invalid, skipped } = plannedMirror(
      endpoints(subset('192.0.2.1', 'nowhere')),
      [],
    );
    expect([create[0]?.endpoints?.length, invalid, skipped]).to.deep.equal([1, 1, 1]);
  });

  it('writes nothing when the slice is there', () => {
    const of = endpoints(subset('192.0.2.1'));
    const present = stored(plannedMirror(of, []).create[0]);
    expect(plannedMirror(of, [present])).to.deep.include({ create: [], update: [], remove: [] });
  });

  it('uses a slice of other ports again', () => {
    const present = stored(plannedMirror(endpoints(subset('192.0.2.1')), []).create[0]);
    const of = endpoints({
      ...subset('192.0.2.1'),
      ports: [{ name: 'http', port: 9090, protocol: 'TCP' }],
    });
    const { create, update, remove } = plannedMirror(of, [present]);
    expect([create.length, update.length, remove.length]).to.deep.equal([0, 1, 0]);
    expect(update[0]?.metadata).to.include({ name: 's', resourceVersion: '1' });
  });

  it('does not use a slice of another family', () => {
    const present = stored(plannedMirror(endpoints(subset('192.0.2.1')), []).create[0]);
    const { create, update, remove } = plannedMirror(endpoints(subset('2001:db8::1')), [present]);
    expect([create.length, update.length, remove.length]).to.deep.equal([1, 0, 1]);
  });

  it('writes the slice of older Endpoints of the name again', () => {
    const of = endpoints(subset('192.0.2.1'));
    const present = stored(plannedMirror(of, []).create[0]);
    const { update } = plannedMirror({ ...of, metadata: { ...of.metadata, uid: 'new' } }, [
      present,
    ]);
    expect(update[0]?.metadata?.ownerReferences?.[0]?.uid).to.equal('new');
  });

  it('removes slices that nothing is left for', () => {
    const present = stored(plannedMirror(endpoints(subset('192.0.2.1')), []).create[0]);
    expect(plannedMirror(endpoints(), [present]).remove).to.have.length(1);
  });
});
