import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { isConflict } from '../../../lib/meta/failure/failures.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { failureOf } from '../../client/support/failure-of.ts';

const labels = { app: 'web' };
const web = {
  metadata: { name: 'web', finalizers: ['example.com/kept'] },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'web:1' }] } },
  },
  status: { replicas: 7 },
};

describe('the embedded server, as a fake for a controller', () => {
  it('refuses an update of an older version, separates the status, and keeps what has finalizers', async () => {
    await using server = new ApiServer();
    const transport = inProcessTransport(server.handler, { token: server.token });
    await using client = new Client({ transport });
    const api = client.resource('apps/v1', 'deployments', { namespace: 'default' });

    const made = await api.create(web);
    expect(made.status?.replicas).to.equal(undefined);
    const scaled = await api.update({ ...made, spec: { ...web.spec, replicas: 2 } });
    expect(isConflict(await failureOf(api.update(made)))).to.equal(true);

    const status = { replicas: 2, observedGeneration: 2 };
    const reported = await api.updateStatus({ ...scaled, spec: web.spec, status });
    expect([reported.spec?.replicas, reported.status?.replicas]).to.deep.equal([2, 2]);
    const forged = await api.update({ ...reported, status: { replicas: 9 } });
    expect([forged.status?.replicas, forged.metadata.generation]).to.deep.equal([2, 2]);

    expect((await api.delete('web'))?.metadata.deletionTimestamp).to.be.a('string');
    const kept = await api.get('web');
    expect(kept.metadata.finalizers).to.deep.equal(['example.com/kept']);
    await api.patch('web', { metadata: { finalizers: null } });
    expect((await api.list()).items).to.deep.equal([]);
  });
});
