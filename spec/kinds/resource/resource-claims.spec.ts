import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { call } from '../../server/api/support.ts';

const CLAIMS = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
const TEMPLATES = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates';

describe('access to devices of an administrator', () => {
  it('needs a label of the namespace, for claims and templates', async () => {
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      await using server = new ApiServer({ runtime });
      const exactly = { deviceClassName: 'c', adminAccess: true };
      const spec = { devices: { requests: [{ name: 'r', exactly }] } };
      const create = async (name: string): Promise<number[]> => {
        const metadata = { name };
        const claim = await call(server.handler, 'POST', CLAIMS, { body: { metadata, spec } });
        const body = { metadata, spec: { spec } };
        const template = await call(server.handler, 'POST', TEMPLATES, { body });
        return [claim.status, template.status];
      };
      expect(await create('a')).to.deep.equal([422, 422]);
      await call(server.handler, 'PATCH', '/api/v1/namespaces/default', {
        body: { metadata: { labels: { 'resource.kubernetes.io/admin-access': 'true' } } },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      expect(await create('a')).to.deep.equal([201, 201]);
    });
  });
});
