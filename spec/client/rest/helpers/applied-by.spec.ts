import { expect } from 'chai';
import { Client } from '../../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../../lib/client/rest/resource-client.ts';
import type { Transport } from '../../../../lib/client/transport/contract/transport.ts';
import { inProcessTransport } from '../../../../lib/client/transport/in-process/in-process-transport.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import type { ConfigMap, Deployment } from '../../../../lib/types/index.ts';

interface World {
  readonly client: Client;
  readonly maps: ResourceClient<ConfigMap>;
  /** Methods and paths of the requests so far. */
  readonly sent: string[];
}

async function inWorld(run: (world: World) => Promise<void>): Promise<void> {
  await using server = new ApiServer();
  const sent: string[] = [];
  const inner = inProcessTransport(server.handler, { token: server.token });
  const transport: Transport = {
    server: inner.server,
    send: (request) => {
      sent.push(`${request.method} ${request.path.split('?', 1)[0]}`);
      return inner.send(request);
    },
    close: () => inner.close(),
  };
  await using client = new Client({ transport, fieldManager: 'shop' });
  const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
  await run({ client, maps, sent });
}

const map = (data: Record<string, string>) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'prices' }, data }) as const;

describe('ResourceClient.apply with the current object', () => {
  it('sends nothing when exactly this has been applied', async () => {
    await inWorld(async ({ maps, sent }) => {
      const current = await maps.apply(map({ a: '1' }));
      sent.length = 0;
      expect(await maps.apply(map({ a: '1' }), { current })).to.equal(current);
      expect(sent).to.deep.equal([]);
    });
  });

  it('is sent for another value, one more field and one less', async () => {
    for (const data of [{ a: '2', b: '1' }, { a: '1', b: '1', c: '1' }, { a: '1' }] as const) {
      await inWorld(async ({ maps, sent }) => {
        const current = await maps.apply(map({ a: '1', b: '1' }));
        sent.length = 0;
        expect((await maps.apply(map({ ...data }), { current })).data).to.deep.equal(data);
        expect(sent).to.deep.equal(['PATCH /api/v1/namespaces/default/configmaps/prices']);
      });
    }
  });

  it('is sent when another manager has changed one of its fields, or has applied them', async () => {
    await inWorld(async ({ maps, sent }) => {
      await maps.apply(map({ a: '1' }));
      const edited = await maps.patch('prices', { data: { a: '2' } }, { fieldManager: 'kubectl' });
      sent.length = 0;
      const repaired = await maps.apply(map({ a: '1' }), { current: edited, force: true });
      expect(repaired.data).to.deep.equal({ a: '1' });
      const other = { fieldManager: 'other', current: repaired };
      expect(await maps.apply(map({ a: '1' }), other)).to.not.equal(repaired);
      expect(sent).to.have.length(2);
    });
  });

  it('is sent for an object of another name or namespace, in a dry run, and without managed fields', async () => {
    await inWorld(async ({ maps, sent }) => {
      const current = await maps.apply(map({ a: '1' }));
      const bare = { ...current, metadata: { ...current.metadata, managedFields: [] } };
      const renamed = { ...current, metadata: { ...current.metadata, name: 'other' } };
      const moved = { ...current, metadata: { ...current.metadata, namespace: 'other' } };
      sent.length = 0;
      for (const known of [bare, renamed, moved])
        await maps.apply(map({ a: '1' }), { current: known });
      await maps.apply(map({ a: '1' }), { current, dryRun: true });
      expect(sent).to.have.length(4);
    });
  });

  it('knows lists by their keys, and quantities by what they mean', async () => {
    await inWorld(async ({ client, sent }) => {
      const deployments = client.resource('apps/v1', 'deployments', { namespace: 'default' });
      const labels = { app: 'web' };
      const web = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', labels },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: {
              containers: [
                {
                  name: 'app',
                  image: 'web:1',
                  env: [{ name: 'A', value: '1' }],
                  resources: { limits: { cpu: '1000m' } },
                },
              ],
            },
          },
        },
      } as const;
      const current: Deployment = await deployments.apply(web);
      sent.length = 0;
      await deployments.apply(web, { current });
      expect(sent).to.deep.equal([]);
      await deployments.apply({ ...web, spec: { ...web.spec, replicas: 3 } }, { current });
      expect(sent).to.have.length(1);
    });
  });

  it('has a subresource of its own', async () => {
    await inWorld(async ({ client, sent }) => {
      const api = client.resource('v1', 'namespaces');
      const metadata = { name: 'shop', labels: { team: 'shop' } };
      const shop = { apiVersion: 'v1', kind: 'Namespace', metadata } as const;
      const current = await api.apply(shop);
      sent.length = 0;
      const status = { phase: 'Active' } as const;
      const first = await api.applyStatus(
        { ...shop, metadata: { name: 'shop' }, status },
        { current },
      );
      expect(sent).to.have.length(1);
      await api.applyStatus({ ...shop, metadata: { name: 'shop' }, status }, { current: first });
      await api.apply(shop, { current: first });
      expect(sent).to.have.length(1);
    });
  });
});
