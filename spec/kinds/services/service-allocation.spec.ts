import { expect } from 'chai';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import type { ApiResourceRegistry } from '../../../lib/server/api/api-resource-registry.ts';
import { recordsAt, textAt, valueAt } from '../../../lib/meta/json-value.ts';
import { RegistryHarness, rejection } from '../../server/registry/support/registry-harness.ts';

const ADDRESSES = 'networking.k8s.io/v1/ipaddresses';
const PORTS_KEY = '/registry/ranges/servicenodeports';
const RANGES = 'networking.k8s.io/v1/servicecidrs';

function service(name: string, spec: object = {}): object {
  return { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
}

describe('the addresses and node ports of services', () => {
  let harness: RegistryHarness;
  let other: ApiResourceRegistry;

  beforeEach(async () => {
    harness = await RegistryHarness.start();
    // A second server process on the same storage.
    other = harness.newRegistry();
    await harness.drive(other.start());
  });

  afterEach(async () => {
    await harness.drive(other.close());
    await harness[Symbol.asyncDispose]();
  });

  async function createThere(object: object): Promise<UnstructuredObject> {
    const services = other.lookup('', 'v1', 'services')!.main;
    return (await services.create!(harness.context(), object as never, {})).object;
  }

  async function createHere(object: object): Promise<UnstructuredObject> {
    const made = await harness.rest('services').create(harness.context(), object as never, {});
    return made.object;
  }

  async function addressObjects(): Promise<string[]> {
    const { items } = await harness.drive(harness.rest(ADDRESSES).list(harness.context(''), {}));
    return items.map(({ object }) => textAt(object, 'metadata', 'name')).toSorted();
  }

  it('are assigned once by two servers that share a storage', async () => {
    await harness.create(RANGES, {
      metadata: { name: 'small' },
      spec: { cidrs: ['192.0.2.0/25'] },
    });
    const names = Array.from({ length: 60 }, (_, index) => `s${index}`);
    const made = await harness.drive(
      Promise.all(
        names.flatMap((name) => [
          createHere(service(`${name}-here`, { type: 'NodePort' })),
          createThere(service(`${name}-there`, { type: 'NodePort' })),
        ]),
      ),
    );
    const addresses = made.map((one) => textAt(one, 'spec', 'clusterIP'));
    const ports = made.map((one) => recordsAt(one, 'spec', 'ports')[0]?.['nodePort']);
    expect(new Set(addresses).size).to.equal(120);
    expect(new Set(ports).size).to.equal(120);
    expect(await addressObjects()).to.deep.equal(addresses.toSorted());
  });

  it('are refused by a server when the other one has assigned them', async () => {
    const clusterIP = '10.96.1.1';
    await harness.create('services', service('a', { clusterIP }));
    const taken = harness.drive(createThere(service('b', { clusterIP })));
    expect((await rejection(taken)).message).to.contain('provided IP is already allocated');
    const ports = [{ port: 80, nodePort: 31_000 }];
    await harness.create('services', service('c', { type: 'NodePort', ports }));
    const used = harness.drive(createThere(service('d', { type: 'NodePort', ports })));
    expect((await rejection(used)).message).to.contain('provided port is already allocated');
  });

  it('are IPAddress objects that name the service, which go with it', async () => {
    await harness.create('services', service('a', { clusterIP: '10.96.1.1' }));
    const { items } = await harness.drive(harness.rest(ADDRESSES).list(harness.context(''), {}));
    expect(items.map(({ object }) => [object.metadata?.labels, object['spec']])).to.deep.equal([
      [
        {
          'ipaddress.kubernetes.io/ip-family': 'IPv4',
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
        { parentRef: { resource: 'services', namespace: 'default', name: 'a' } },
      ],
    ]);
    await harness.drive(harness.rest('services').delete(harness.context(), 'a', {}));
    expect(await addressObjects()).to.deep.equal([]);
  });

  it('are given back when the service is refused afterwards, and not taken by a dry run', async () => {
    const wrong = service('a', { type: 'NodePort', sessionAffinity: 'Cookie' });
    expect(await rejection(harness.create('services', wrong))).to.include({ code: 'INVALID' });
    const services = harness.rest('services');
    const dryRun = { dryRun: true };
    const shown = await harness.drive(
      services.create(harness.context(), service('a', { type: 'NodePort' }) as never, dryRun),
    );
    expect(textAt(shown.object, 'spec', 'clusterIP')).to.equal('10.96.0.0');
    expect(recordsAt(shown.object, 'spec', 'ports')[0]?.['nodePort']).to.equal(32_769);
    expect(await addressObjects()).to.deep.equal([]);
  });

  it('are given back by an update to an external name, which has none', async () => {
    const ports = [{ port: 80, nodePort: 31_000 }];
    await harness.create('services', service('a', { type: 'NodePort', ports }));
    const spec = { type: 'ExternalName', externalName: 'example.com' };
    const updated = await harness.update('services', 'a', (existing) => ({
      ...existing,
      spec: { ...(existing?.['spec'] as object), ...spec },
    }));
    expect(valueAt(updated, 'spec', 'clusterIP')).to.equal(undefined);
    expect(await addressObjects()).to.deep.equal([]);
    const again = await harness.create('services', service('b', { type: 'NodePort', ports }));
    expect(recordsAt(again, 'spec', 'ports')[0]?.['nodePort']).to.equal(31_000);
  });

  it('stay those of the stored service after a dry run of an update that gives them back', async () => {
    const ports = [{ port: 80, nodePort: 31_000 }];
    await harness.create('services', service('a', { type: 'NodePort', ports }));
    const services = harness.rest('services');
    const changed = services.update(
      harness.context(),
      'a',
      (existing) => ({
        ...existing!,
        spec: { ...(existing!['spec'] as object), type: 'ClusterIP', ports: [{ port: 80 }] },
      }),
      { dryRun: true },
    );
    const { result } = await harness.drive(changed);
    expect(textAt(result.object, 'spec', 'type')).to.equal('ClusterIP');
    const taken = harness.create('services', service('b', { type: 'NodePort', ports }));
    expect((await rejection(taken)).message).to.contain('provided port is already allocated');
  });

  it('stay those of a service over an update that leaves them', async () => {
    const clusterIP = '10.96.1.1';
    await harness.create('services', service('a', { clusterIP }));
    const labelled = await harness.update('services', 'a', (existing) => ({
      ...existing!,
      metadata: { ...existing!.metadata, labels: { a: 'b' } },
    }));
    expect(textAt(labelled, 'spec', 'clusterIP')).to.equal(clusterIP);
    expect(await addressObjects()).to.deep.equal([clusterIP]);
    const taken = harness.create('services', service('b', { clusterIP }));
    expect((await rejection(taken)).message).to.contain('provided IP is already allocated');
    const moved = harness.update('services', 'a', (existing) => ({
      ...existing!,
      spec: { ...(existing!['spec'] as object), clusterIP: '10.96.1.2', clusterIPs: ['10.96.1.2'] },
    }));
    expect((await rejection(moved)).causes.map(({ field }) => field)).to.include(
      'spec.clusterIPs[0]',
    );
    expect(await addressObjects()).to.deep.equal([clusterIP]);
  });

  it('of an external name are none over an update', async () => {
    const external = { type: 'ExternalName', externalName: 'a.example.com', ports: undefined };
    await harness.create('services', service('a', external));
    const updated = await harness.update('services', 'a', (existing) => ({
      ...existing!,
      metadata: { ...existing!.metadata, labels: { a: 'b' } },
    }));
    expect(updated['spec']).not.to.have.property('clusterIPs');
  });

  it('are all that a range has but its network and its broadcast, those at its start last', async () => {
    await harness.create(RANGES, {
      metadata: { name: 'small' },
      spec: { cidrs: ['192.0.2.0/27'] },
    });
    const made: string[] = [];
    for (let at = 0; at < 30; at += 1) {
      made.push(textAt(await harness.create('services', service(`s${at}`)), 'spec', 'clusterIP'));
    }
    const range = (from: number, to: number): string[] =>
      Array.from({ length: to - from + 1 }, (_, at) => `192.0.2.${from + at}`);
    expect(new Set(made.slice(0, 14))).to.deep.equal(new Set(range(17, 30)));
    expect(new Set(made.slice(14))).to.deep.equal(new Set(range(1, 16)));
    await rejection(harness.create('services', service('more')));
  });

  it('end when the range is full, and name that', async () => {
    await harness.create(RANGES, { metadata: { name: 'tiny' }, spec: { cidrs: ['192.0.2.0/29'] } });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const name of names) await harness.create('services', service(name));
    const full = await rejection(harness.create('services', service('g')));
    expect(full.message).to.contain('range is full');
    expect(await addressObjects()).to.have.length(names.length);
  });

  it('are those of the name that is stored in the end when a generated name is taken', async () => {
    let isFirst = true;
    harness.before = async (verb, key) => {
      if (verb !== 'create' || !key.includes('/web-') || !isFirst) return;
      isFirst = false;
      await createThere(service(key.slice(key.lastIndexOf('/') + 1)));
    };
    const made = await harness.create('services', {
      metadata: { generateName: 'web-' },
      spec: { ports: [{ port: 80 }] },
    });
    expect(isFirst).to.equal(false);
    const { items } = await harness.drive(harness.rest(ADDRESSES).list(harness.context(''), {}));
    const owners = items.map(({ object }) => textAt(object, 'spec', 'parentRef', 'name'));
    expect(new Set(owners).size).to.equal(2);
    expect(owners).to.include(textAt(made, 'metadata', 'name'));
  });

  it('of services that an older version stored are taken before the first new one', async () => {
    const first = await harness.create('services', service('a', { type: 'NodePort' }));
    await harness.drive(
      harness.rest(ADDRESSES).delete(harness.context(''), textAt(first, 'spec', 'clusterIP'), {}),
    );
    const { store } = harness;
    await harness.drive(store.txn({ compare: [], success: [{ type: 'delete', key: PORTS_KEY }] }));
    const spec = { type: 'NodePort', ports: recordsAt(first, 'spec', 'ports') };
    const used = harness.drive(createThere(service('b', spec)));
    expect((await rejection(used)).message).to.contain('provided port is already allocated');
    const clusterIP = textAt(first, 'spec', 'clusterIP');
    const taken = harness.drive(createThere(service('c', { clusterIP })));
    expect((await rejection(taken)).message).to.contain('provided IP is already allocated');
  });

  it('are written for many services together', async () => {
    let writes = 0;
    harness.before = (verb, key) => {
      if (verb === 'guaranteedUpdate' && key === PORTS_KEY) writes += 1;
      return Promise.resolve();
    };
    const names = Array.from({ length: 50 }, (_, index) => `s${index}`);
    await harness.drive(
      Promise.all(names.map((name) => createHere(service(name, { type: 'NodePort' })))),
    );
    expect(writes).to.be.lessThan(10);
  });

  it('of a server that ended before it stored the service are free after a minute', async () => {
    const clusterIP = '10.96.1.1';
    const parentRef = { resource: 'services', namespace: 'default', name: 'lost' };
    await harness.create(ADDRESSES, { metadata: { name: clusterIP }, spec: { parentRef } });
    const early = harness.create('services', service('a', { clusterIP }));
    expect((await rejection(early)).message).to.contain('provided IP is already allocated');
    await harness.drive(sleep(harness.runtime, 61_000));
    await harness.create('services', service('a', { clusterIP }));
    const late = harness.create('services', service('b', { clusterIP }));
    expect((await rejection(late)).message).to.contain('provided IP is already allocated');
  });

  it('of a deleted service go with its endpoints', async () => {
    await harness.create('services', service('a'));
    await harness.create('endpoints', { metadata: { name: 'a' } });
    await harness.drive(harness.rest('services').delete(harness.context(), 'a', {}));
    const { items } = await harness.drive(harness.rest('endpoints').list(harness.context(), {}));
    expect(items).to.deep.equal([]);
  });
});
