import { expect } from 'chai';
import type { Client } from '../../../lib/client/rest/client.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import { errorMessage } from '../../../lib/kernel/failure/errors.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';

const QUOTAS = 'resourcequotas';

async function setQuota(
  client: Client,
  hard: Record<string, string>,
  scopes: readonly string[] = [],
): Promise<void> {
  const quotas = client.resource<UnstructuredObject>('v1', QUOTAS, { namespace: 'default' });
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'one' } };
  await quotas.create({ ...quota, spec: { hard, ...(scopes.length === 0 ? {} : { scopes }) } });
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
  await quotas.patch('one', { status: { hard, used } }, { type: 'merge', subresource: 'status' });
}

async function usedOf(client: Client): Promise<unknown> {
  const quotas = client.resource<UnstructuredObject>('v1', QUOTAS, { namespace: 'default' });
  const { status } = (await quotas.get('one')) as { readonly status?: { readonly used?: unknown } };
  return status?.used;
}

describe('ResourceQuotas', () => {
  it('are not exceeded by writes at the same time', async () => {
    await using server = new ApiServer();
    await server.listen();
    await using client = await connect(server.clientConfig());
    await setQuota(client, { 'count/configmaps': '5' });
    const maps = client.resource<UnstructuredObject>('v1', 'configmaps', { namespace: 'default' });
    const creations = Array.from({ length: 20 }, (_, index) =>
      maps.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `map-${index}` },
      }),
    );
    const results = await Promise.allSettled(creations);
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(5);
    expect(await usedOf(client)).to.deep.equal({ 'count/configmaps': '5' });
  });

  it('of terminating pods count a pod that gets a deadline, once', async () => {
    await using server = new ApiServer();
    await server.listen();
    await using client = await connect(server.clientConfig());
    await setQuota(client, { pods: '1' }, ['Terminating']);
    const pods = client.resource<UnstructuredObject>('v1', 'pods', { namespace: 'default' });
    const containers = [{ name: 'main', image: 'example.com/image' }];
    for (const name of ['one', 'two']) {
      await pods.create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name },
        spec: { containers },
      });
    }
    const merge = { type: 'merge' } as const;
    await pods.patch('one', { metadata: { labels: { a: 'b' } } }, merge);
    expect(await usedOf(client)).to.deep.equal({ pods: '0' });
    await pods.patch('one', { spec: { activeDeadlineSeconds: 60 } }, merge);
    expect(await usedOf(client)).to.deep.equal({ pods: '1' });
    await pods.patch('one', { spec: { activeDeadlineSeconds: 30 } }, merge);
    expect(await usedOf(client)).to.deep.equal({ pods: '1' });
    const refused = await pods
      .patch('two', { spec: { activeDeadlineSeconds: 60 } }, merge)
      .catch(errorMessage);
    expect(refused).to.include(
      'pods "two" is forbidden: exceeded quota: one, requested: pods=1, used: pods=1, limited: pods=1',
    );
  });

  it('do not count in other namespaces', async () => {
    await using server = new ApiServer();
    await server.listen();
    await using client = await connect(server.clientConfig());
    await setQuota(client, { 'count/configmaps': '0' });
    const maps = client.resource<UnstructuredObject>('v1', 'configmaps', {
      namespace: 'kube-public',
    });
    await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } });
    expect(await usedOf(client)).to.deep.equal({ 'count/configmaps': '0' });
  });
});
