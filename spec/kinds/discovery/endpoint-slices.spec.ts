import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { call } from '../../server/api/support.ts';

const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';

describe('endpoint slices', () => {
  it('count changes of labels as changes of the object, as kube-apiserver 1.36.3 does', async () => {
    await using server = new ApiServer();
    const body = { metadata: { name: 'a' }, addressType: 'IPv4', endpoints: [] };
    await call(server.handler, 'POST', SLICES, { body });
    const patched = async (patch: object): Promise<unknown> => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      const options = { headers, body: patch };
      const { json } = await call(server.handler, 'PATCH', `${SLICES}/a`, options);
      return (json()['metadata'] as { generation: number }).generation;
    };
    expect(await patched({ metadata: { labels: { tier: 'front' } } })).to.equal(2);
    expect(await patched({ metadata: { annotations: { a: 'b' } } })).to.equal(2);
    expect(await patched({ endpoints: [{ addresses: ['10.1.2.3'] }] })).to.equal(3);
  });
});
