import {
  connect,
  type Client,
  type KubernetesObject,
  type ResourceClient,
  type UnstructuredObject,
  type WebhookServer,
} from '../../../lib/index.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { within } from '../../support/until.ts';

export interface CouponV1 extends KubernetesObject {
  readonly spec: { readonly discount: string };
}

export interface Coupon extends KubernetesObject {
  readonly spec: { readonly percent: number; readonly currency?: string };
}

export interface CouponTypes {
  'x.io/v1/coupons': CouponV1;
  'x.io/v2/coupons': Coupon;
}

export const V2 = { apiVersion: 'x.io/v2', kind: 'Coupon' } as const;

const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };

export const DEFINITION: UnstructuredObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'coupons.x.io' },
  spec: {
    group: 'x.io',
    scope: 'Namespaced',
    names: { plural: 'coupons', kind: 'Coupon' },
    versions: [
      { name: 'v1', served: true, storage: false, schema },
      { name: 'v2', served: true, storage: true, schema },
    ],
  },
};

export function toHub({ spec: { discount }, ...rest }: CouponV1): Coupon {
  return { ...rest, spec: { percent: Number.parseInt(discount, 10) } };
}

export function fromHub({ spec: { percent }, ...rest }: Coupon): CouponV1 {
  return { ...rest, spec: { discount: `${percent} %` } };
}

/** An API server in this process, with a client, and webhook servers that end with it. */
export class WebhookWorld implements AsyncDisposable {
  readonly server: ApiServer;
  readonly client: Client<CouponTypes>;
  readonly #running: (readonly [webhooks: { close(): Promise<void> }, run: Promise<void>])[] = [];

  private constructor(server: ApiServer, client: Client<CouponTypes>) {
    this.server = server;
    this.client = client;
  }

  static async open(): Promise<WebhookWorld> {
    const server = new ApiServer({ logger: silentLogger });
    await server.listen();
    const client = await connect<CouponTypes>({ ...server.clientConfig(), fieldManager: 'spec' });
    await client.applyAll([DEFINITION]);
    return new WebhookWorld(server, client);
  }

  get coupons(): ResourceClient<Coupon> {
    return this.client.resource('x.io/v2', 'coupons', { namespace: 'default' });
  }

  /** Runs it until the world ends. Resolves when it is ready; rejects when it fails before. */
  async run(webhooks: WebhookServer<CouponTypes>): Promise<void> {
    const run = webhooks.run();
    run.catch(() => {});
    this.#running.push([webhooks, run]);
    await within(Promise.race([webhooks.whenReady(), run]), 'the webhooks to be ready');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [webhooks, run] of this.#running) {
      await within(webhooks.close(), 'the webhooks to close');
      await run.catch(() => {});
    }
    await this.client.close();
    await this.server.close();
  }
}

export const failureOf = (work: Promise<unknown>): Promise<Error | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => error as Error,
  );
