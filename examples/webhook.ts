import { Manager, WebhookServer, type Client, type KubernetesObject } from 'listwatch';
import { silentLogger } from 'listwatch/kernel';
import { HANG_MS, openCluster, runProgram } from './support/program.ts';

const ABOUT = `Completes, checks and converts objects before a server stores them.
Without --kubeconfig it uses an API server in this process. An API server elsewhere must be able to
reach this machine at 127.0.0.1, as one on this machine does.
`;

/** In the first version the discount is a text, such as `15 %`. */
interface CouponV1 extends KubernetesObject {
  readonly spec: { readonly discount: string; readonly code: string };
}

interface Coupon extends KubernetesObject {
  readonly spec: { readonly percent: number; readonly code: string; readonly currency?: string };
}

interface CouponTypes {
  'shop.example.com/v1/coupons': CouponV1;
  'shop.example.com/v2/coupons': Coupon;
}

const LARGEST_PERCENT = 50;

function couponWebhooks(client: Client<CouponTypes>): WebhookServer<CouponTypes> {
  const server = new WebhookServer(client, { name: 'coupons', logger: silentLogger });
  return server
    .mutate('shop.example.com/v2', 'coupons', ({ object }) => {
      object.spec.currency ??= 'EUR';
    })
    .validate('shop.example.com/v2', 'coupons', ({ object, oldObject, deny, warn }) => {
      const { percent, code } = object.spec;
      if (percent > LARGEST_PERCENT) deny('must be at most 50', { field: 'spec.percent' });
      if (oldObject !== undefined && oldObject.spec.code !== code) {
        deny('cannot be changed', { field: 'spec.code' });
      }
      if (percent === 0) warn('a coupon of 0 percent gives nothing');
    })
    .convert('shop.example.com/v1', 'coupons', {
      hub: 'shop.example.com/v2',
      toHub: ({ spec: { discount, ...spec }, ...coupon }) => ({
        ...coupon,
        spec: { ...spec, percent: Number.parseInt(discount, 10) },
      }),
      fromHub: ({ spec: { percent, ...spec }, ...coupon }) => ({
        ...coupon,
        spec: { ...spec, discount: `${percent} %` },
      }),
    });
}

const text = { type: 'string' };
const schemaOf = (properties: object) => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
});
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'coupons.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { plural: 'coupons', kind: 'Coupon' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: false,
        schema: schemaOf({ discount: text, code: text, currency: text }),
      },
      {
        name: 'v2',
        served: true,
        storage: true,
        schema: schemaOf({ percent: { type: 'integer' }, code: text, currency: text }),
      },
    ],
  },
};

await runProgram({
  name: 'webhook',
  about: ABOUT,
  options: {},
  main: async (options, signal) => {
    await using cluster = await openCluster<CouponTypes>({ ...options, fieldManager: 'coupons' });
    const { client } = cluster;
    const { namespace } = client;
    await client.applyAll([definition], { signal });

    await using manager = new Manager(client, { signals: false, logger: silentLogger });
    manager.add(couponWebhooks(client));
    const running = manager.run({ signal });
    await Promise.race([manager.whenReady({ timeoutMs: HANG_MS, signal }), running]);

    const coupons = client.resource('shop.example.com/v2', 'coupons', { namespace, signal });
    const old = client.resource('shop.example.com/v1', 'coupons', { namespace, signal });
    const metadata = { name: `spring-${process.pid}` };
    const kind = { apiVersion: 'shop.example.com/v2', kind: 'Coupon' };

    const made = await coupons.create({ ...kind, metadata, spec: { percent: 15, code: 'SPRING' } });
    console.log(`completed  ${made.spec.percent} percent, in ${made.spec.currency}`);
    console.log(`converted  as v1: ${(await old.get(metadata.name)).spec.discount}`);
    const spec = { percent: 60, code: 'SUMMER' };
    await coupons.patch(metadata.name, { spec }).catch((error: Error) => {
      console.log(`refused    ${error.message}`);
    });

    await coupons.delete(metadata.name);
    await manager.close();
    await running;
  },
});
