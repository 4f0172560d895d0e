import { expect } from 'chai';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { simulate } from '../../../lib/simulator/index.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';

const WORLD = `
apiVersion: example.com/v1
kind: Shop
metadata: { name: bakery, namespace: town }
spec: { size: 3 }
status: { open: true }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: shops.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Shop, plural: shops, singular: shop }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;

/** A program of the cluster: it marks each config map. */
const marker: SimulatedController = {
  name: 'marker',
  async run({ client, runtime, signal }) {
    for (;;) {
      const maps = client.resource('v1', 'configmaps', { namespace: 'town' });
      const { items } = await maps.list({ signal });
      const next = items.find(
        ({ metadata }) => metadata.name === 'made' && metadata.labels === undefined,
      );
      if (next !== undefined)
        await maps.patch(next.metadata.name, { metadata: { labels: { marked: 'yes' } } });
      if (next !== undefined) return await ended(signal);
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve());
        runtime.setTimer(1000, resolve);
      });
    }
  },
};
async function ended(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve());
  });
}

const maker: SimulatedController = {
  name: 'maker',
  async run({ client, signal }) {
    const shop = await client
      .resource<{ metadata: object; status?: { open?: boolean } }>('example.com/v1', 'shops', {
        namespace: 'town',
      })
      .get('bakery');
    const data = { open: String(shop.status?.open) };
    await client
      .resource('v1', 'configmaps', { namespace: 'town' })
      .apply(
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' }, data },
        { fieldManager: 'maker' },
      );
    await ended(signal);
  },
};

describe('the world of a simulation', () => {
  it('has its objects with their status, the namespaces that they name, and programs that no fault reaches', async () => {
    const report = await simulate({
      world: { objects: WORLD, environment: [marker] },
      controllers: [maker],
      seeds: 10,
      invariants: [
        {
          name: 'made and marked',
          eventually: (state) => {
            const map = state.get<{
              metadata: { labels?: Record<string, string> };
              data?: Record<string, string>;
            }>('v1', 'configmaps', 'made', 'town');
            return map?.data?.['open'] === 'true' && map.metadata.labels?.['marked'] === 'yes';
          },
        },
      ],
    });
    expect(report.ok).to.equal(true);
    expect(report.plans['intermediate state']?.run).to.equal(2);
  });

  it('refuses objects that the server refuses, and names them', async () => {
    let message = '';
    const objects = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Not A Name' } }];
    await simulate({ world: { objects }, controllers: [maker] }).catch((error: unknown) => {
      message = String(error);
    });
    expect(message).to.include('world.objects: ConfigMap Not A Name cannot be created');
  });
});

describe('a service that a controller makes', () => {
  it('has an address, which the server draws and no oracle compares', async () => {
    const addresses = new Set<string>();
    const serving: SimulatedController = {
      name: 'serving',
      async run({ client, runtime, signal }) {
        const services = client.resource('v1', 'services', { namespace: 'default' });
        const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } } as const;
        for (;;) {
          try {
            const { spec } = await services.apply({ ...service, spec: { ports: [{ port: 80 }] } });
            addresses.add(spec?.clusterIP ?? '');
            break;
          } catch {
            await sleep(runtime, 1000);
          }
        }
        await ended(signal);
      },
    };
    const report = await simulate({ controllers: [serving], seeds: 5, onFailure: 'return' });
    expect(report.failures.map(({ findings }) => findings)).to.deep.equal([]);
    expect(addresses.size).to.be.greaterThan(1);
    expect([...addresses].every((one) => /^10\.\d+\.\d+\.\d+$/.test(one))).to.equal(true);
  });
});

describe('a rejection without a handler', () => {
  it('is found, with its message', async () => {
    const careless: SimulatedController = {
      name: 'careless',
      async run({ signal }) {
        void Promise.reject(new Error('forgotten'));
        await ended(signal);
      },
    };
    const report = await simulate({ controllers: [careless], onFailure: 'return' });
    expect(report.failures[0]?.findings[0]).to.include({
      class: 'unhandled-rejection',
      subject: 'forgotten',
    });
  });
});
