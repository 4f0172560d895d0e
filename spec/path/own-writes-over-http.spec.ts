import { expect } from 'chai';
import type { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import { Client } from '../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../lib/client/rest/resource-client.ts';
import { Latch } from '../../lib/kernel/time/latch.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import type { ApiHandler } from '../../lib/server/http/api-request.ts';
import { inProcessTransport } from '../../lib/client/transport/in-process/in-process-transport.ts';
import { HANG_MS, until } from '../support/until.ts';

interface Deployment extends KubernetesObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: object;
    readonly template: object;
  };
}

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

interface Types {
  'v1/configmaps': ConfigMap;
  'apps/v1/deployments': Deployment;
}

/** Keeps every event of a watch back until the latch is open. */
function holdingWatches(handler: ApiHandler, open: Latch): ApiHandler {
  return async (request) => {
    const response = await handler(request);
    const { body } = response;
    if (!request.url.includes('watch=') || body instanceof Uint8Array) return response;
    const held = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of body) {
        await open.opened;
        yield piece;
      }
    };
    return { ...response, body: held() };
  };
}

describe('a client that shows its writes to an informer', () => {
  let server: ApiServer;
  let open: Latch;
  let client: Client<Types>;
  let informers: SharedInformerFactory<Types>;
  let informer: SharedIndexInformer<ConfigMap>;
  let api: ResourceClient<ConfigMap>;
  const configMap = (name: string): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
  });

  beforeEach(async () => {
    server = new ApiServer();
    open = new Latch('events');
    const transport = inProcessTransport(holdingWatches(server.handler, open));
    client = new Client<Types>({ transport });
    informers = new SharedInformerFactory(client, { watchList: false });
    informer = informers.for('v1', 'configmaps');
    api = client.resource('v1', 'configmaps', { namespace: 'default', writes: informer });
    await api.create(configMap('old'));
    informers.start();
    await informers.whenSynced({ timeoutMs: HANG_MS });
  });

  afterEach(async () => {
    open.open();
    await informers.close();
    await client.close();
    await server.close();
  });

  it('reads them back before the watch has brought them, and agrees with it afterwards', async () => {
    const created = await api.create(configMap('new'));
    expect(informer.lister.namespace('default').get('new')).to.equal(created);
    const updated = await api.update({ ...created, data: { a: '1' } });
    expect(informer.indexer.get('default/new')).to.equal(updated);
    const patched = await api.patch('old', { data: { b: '2' } });
    expect(informer.indexer.get('default/old')).to.equal(patched);
    await api.delete('old');
    expect(informer.indexer.get('default/old')).to.equal(undefined);
    expect(informer.lister.list()).to.deep.equal([updated]);

    let notified = 0;
    informer.addHandler({ onDelete: () => (notified += 1) });
    open.open();
    await until('the watch has caught up', () => notified === 1);
    expect(informer.lister.list()).to.deep.equal([updated]);
  });

  it('goes on showing an object that waits for its finalizers', async () => {
    const metadata = { name: 'held', finalizers: ['example.com/hold'] };
    await api.create({ ...configMap('held'), metadata });
    await api.delete('held');
    const held = informer.indexer.get('default/held');
    expect(held?.metadata?.deletionTimestamp).to.be.a('string');
    await api.patch('held', { metadata: { finalizers: null } });
    expect(informer.indexer.get('default/held')).to.equal(undefined);
  });

  it('does not take the scale of a deployment for the deployment', async () => {
    const deployments = informers.for('apps/v1', 'deployments');
    const options = { namespace: 'default', writes: deployments };
    const apps = client.resource('apps/v1', 'deployments', options);
    await deployments.whenSynced({ timeoutMs: HANG_MS });
    const labels = { app: 'web' };
    const created = await apps.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] },
        },
      },
    });
    const scaled = await apps.patch('web', { spec: { replicas: 3 } }, { subresource: 'scale' });
    expect(scaled.kind).to.equal('Scale');
    expect(deployments.indexer.get('default/web')).to.equal(created);
  });
});
