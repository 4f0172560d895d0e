import { expect } from 'chai';
import {
  ingressAddresses,
  INGRESS_ADDRESS,
  wantsAddress,
} from '../../../lib/cluster/addresses/ingress-addresses.ts';
import type { Ingress, IngressClass } from '../../../lib/types/built-in/networking-v1-kinds.ts';
import { NetworkWorld } from '../support/network-world.ts';

const API = 'networking.k8s.io/v1';

function ingressClass(controller: string): IngressClass {
  return { metadata: { name: 'nginx' }, spec: { controller } };
}

async function ingress(
  world: NetworkWorld,
  name: string,
  ingressClassName?: string,
): Promise<void> {
  const spec = {
    ingressClassName,
    defaultBackend: { service: { name: 'web', port: { number: 80 } } },
  };
  await world
    .resource<Ingress>(API, 'ingresses')
    .create({ apiVersion: API, kind: 'Ingress', metadata: { name }, spec });
}

async function addressOf(world: NetworkWorld, name: string): Promise<string | undefined> {
  const { status } = await world.resource<Ingress>(API, 'ingresses').get(name);
  return status?.loadBalancer?.ingress?.[0]?.ip;
}

describe('wantsAddress', () => {
  const served = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
  const cases: readonly (readonly [string, Ingress, IngressClass | undefined, boolean])[] = [
    ['an ingress without a class', {}, undefined, true],
    ['one whose class is not there', { spec: { ingressClassName: 'nginx' } }, undefined, true],
    [
      'one whose class another controller serves',
      { spec: { ingressClassName: 'nginx' } },
      ingressClass('k8s.io/ingress-nginx'),
      false,
    ],
    [
      'one of a class of ours',
      { spec: { ingressClassName: 'nginx' } },
      ingressClass('listwatch.dev/ingress'),
      true,
    ],
    ['one that has an address', { status: served }, undefined, false],
    [
      'one that is being deleted',
      { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
      undefined,
      false,
    ],
  ];
  for (const [title, object, itsClass, wanted] of cases) {
    it(`is ${wanted} for ${title}`, () => {
      expect(wantsAddress(object, itsClass)).to.equal(wanted);
    });
  }
});

describe('the addresses of ingresses', () => {
  it('are written for those that no other controller serves', async () => {
    await NetworkWorld.run([ingressAddresses], async (world) => {
      await ingress(world, 'a');
      await world.eventually(
        () => addressOf(world, 'a'),
        (ip) => ip === INGRESS_ADDRESS,
      );
      await ingress(world, 'b', 'nginx');
      await world.eventually(
        () => addressOf(world, 'b'),
        (ip) => ip === INGRESS_ADDRESS,
      );
    });
  });

  it('are left to the controller of a class that is there', async () => {
    await NetworkWorld.run([ingressAddresses], async (world) => {
      const classes = world.world.client.resource<IngressClass>(API, 'ingressclasses');
      const create = (controller: string): Promise<unknown> =>
        classes.create({ apiVersion: API, kind: 'IngressClass', ...ingressClass(controller) });
      await create('k8s.io/ingress-nginx');
      await ingress(world, 'a', 'nginx');
      await world.world.sleep(2000);
      expect(await addressOf(world, 'a')).to.equal(undefined);
      await classes.delete('nginx');
      await world.eventually(
        () => addressOf(world, 'a'),
        (ip) => ip === INGRESS_ADDRESS,
      );
    });
  });
});
