import { expect } from 'chai';
import { AddressPool, balancerAddress } from '../../../lib/cluster/addresses/address-pool.ts';
import { balancerTask, loadBalancers } from '../../../lib/cluster/addresses/load-balancers.ts';
import { isNotFound } from '../../../lib/meta/failure/failures.ts';
import type { ObjectMeta } from '../../../lib/meta/object.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { Event, Service, ServiceSpec } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { NetworkWorld } from '../support/network-world.ts';

const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';
const BALANCED: ServiceSpec = { type: 'LoadBalancer' };

async function read(world: NetworkWorld, name: string): Promise<Stored<Service> | undefined> {
  try {
    return await world.resource<Service>('v1', 'services').get(name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function addresses(service: Service | undefined): string[] {
  return (service?.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
}

async function untilBalanced(world: NetworkWorld, name: string): Promise<Stored<Service>> {
  const found = await world.eventually(
    () => read(world, name),
    (service) => addresses(service).length > 0,
  );
  if (found === undefined) throw new Error('no service');
  return found;
}

async function reasons(world: NetworkWorld, count: number): Promise<string[]> {
  const events = world.resource<Event>('v1', 'events');
  const items = await world.eventually(
    async () => (await events.list()).items,
    (all) => all.length >= count,
  );
  return items.map(({ reason, source, message }) => `${source?.component} ${reason}: ${message}`);
}

describe('balancerAddress', () => {
  it('is one of a reserved range', () => {
    expect(balancerAddress(1, 'IPv4')).to.equal('198.18.0.1');
    expect(balancerAddress(65_534, 'IPv4')).to.equal('198.18.255.254');
    expect(balancerAddress(258, 'IPv6')).to.equal('2001:db8:18::102');
  });
});

describe('AddressPool', () => {
  it('leaves out what is used, and comes back to what is free again', () => {
    const used = new Set(['198.18.0.2']);
    const pool = new AddressPool((address) => used.has(address));
    expect(pool.next('IPv4')).to.equal('198.18.0.1');
    expect(pool.next('IPv4')).to.equal('198.18.0.3');
    const full = new AddressPool((address) => address !== '198.18.0.9');
    expect([full.next('IPv4'), full.next('IPv4')]).to.deep.equal(['198.18.0.9', '198.18.0.9']);
  });

  it('has no address when all are used', () => {
    expect(new AddressPool(() => true).next('IPv4')).to.equal(undefined);
  });
});

describe('balancerTask', () => {
  const HELD: ObjectMeta = { finalizers: [FINALIZER] };
  const GOING: ObjectMeta = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const cases: readonly (readonly [string, object, ServiceSpec, boolean, string | undefined])[] = [
    ['a service of another type', {}, { type: 'ClusterIP' }, false, undefined],
    ['a new one', {}, BALANCED, false, 'ensure'],
    ['one of a class', {}, { ...BALANCED, loadBalancerClass: 'example.com/x' }, false, undefined],
    ['one that is served', HELD, BALANCED, true, undefined],
    ['one with the finalizer alone', HELD, BALANCED, false, 'ensure'],
    ['one with a status alone', {}, BALANCED, true, 'ensure'],
    ['one whose type has changed', HELD, { type: 'NodePort' }, true, 'clean up'],
    ['one that is being deleted', { ...HELD, ...GOING }, BALANCED, true, 'clean up'],
    ['one that is being deleted and was never served', GOING, BALANCED, false, undefined],
  ];
  for (const [title, metadata, spec, isServed, task] of cases) {
    it(`is ${task} for ${title}`, () => {
      const status = { loadBalancer: isServed ? { ingress: [{ ip: '198.18.0.1' }] } : {} };
      expect(balancerTask({ metadata, spec, status })).to.equal(task);
    });
  }
});

describe('the load balancers', () => {
  it('give each service an address of its own, a finalizer and the events of a cloud', async () => {
    await NetworkWorld.run([loadBalancers], async (world) => {
      await world.service('a', BALANCED);
      const a = await untilBalanced(world, 'a');
      expect(a.status?.loadBalancer).to.deep.equal({
        ingress: [{ ip: '198.18.0.1', ipMode: 'VIP' }],
      });
      expect(a.metadata.finalizers).to.deep.equal([FINALIZER]);
      await world.service('b', BALANCED);
      expect(addresses(await untilBalanced(world, 'b'))).to.deep.equal(['198.18.0.2']);
      expect(await reasons(world, 4)).to.include.members([
        'service-controller EnsuringLoadBalancer: Ensuring load balancer',
        'service-controller EnsuredLoadBalancer: Ensured load balancer',
      ]);
    });
  });

  it('give the address that a service asks for', async () => {
    await NetworkWorld.run([loadBalancers], async (world) => {
      await world.service('a', { ...BALANCED, loadBalancerIP: '192.0.2.7' });
      expect(addresses(await untilBalanced(world, 'a'))).to.deep.equal(['192.0.2.7']);
    });
  });

  it('take the address back when the type changes, and let a deleted service go', async () => {
    await NetworkWorld.run([loadBalancers], async (world) => {
      const services = world.resource<Service>('v1', 'services');
      await world.service('a', BALANCED);
      await untilBalanced(world, 'a');
      await services.patch('a', { spec: { type: 'ClusterIP' } });
      const plain = await world.eventually(
        () => read(world, 'a'),
        (service) => service?.metadata.finalizers === undefined,
      );
      await world.world.sleep(1000);
      expect(addresses(await read(world, 'a'))).to.deep.equal([]);
      expect(plain).to.not.equal(undefined);
      await services.patch('a', { spec: { type: 'LoadBalancer' } });
      await untilBalanced(world, 'a');
      await services.delete('a');
      await world.eventually(
        () => read(world, 'a'),
        (service) => service === undefined,
      );
      expect(await reasons(world, 4)).to.include.members([
        'service-controller DeletingLoadBalancer: Deleting load balancer',
        'service-controller DeletedLoadBalancer: Deleted load balancer',
      ]);
    });
  });

  it('leave a service of a class and the status of others alone', async () => {
    await NetworkWorld.run([loadBalancers], async (world) => {
      await world.service('a', { ...BALANCED, loadBalancerClass: 'example.com/x' });
      await world.world.sleep(2000);
      const a = await read(world, 'a');
      expect([addresses(a), a?.metadata.finalizers]).to.deep.equal([[], undefined]);
      await world.service('b', BALANCED);
      await untilBalanced(world, 'b');
      const services = world.resource<Service>('v1', 'services');
      const status = { loadBalancer: { ingress: [{ hostname: 'b.example.com' }] } };
      await services.patch('b', { status }, { type: 'merge', subresource: 'status' });
      await world.world.sleep(2000);
      expect((await read(world, 'b'))?.status).to.deep.equal(status);
    });
  });
});
