import { expect } from 'chai';
import type { Client } from '../../../../lib/client/rest/client.ts';
import { connect } from '../../../../lib/client/rest/connect.ts';
import { ApiServer } from '../../../../lib/server/api/api-server.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';

const QUOTAS = 'resourcequotas';

async function setQuota(client: Client, hard: Record<string, string>): Promise<void> {
  const quotas = client.resource<UnstructuredObject>('v1', QUOTAS, { namespace: 'default' });
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'one' } };
  await quotas.create({ ...quota, spec: { hard } });
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
