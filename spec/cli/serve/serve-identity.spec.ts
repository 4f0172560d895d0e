import { expect } from 'chai';
import { ServeFixture } from '../support/serve-fixture.ts';

const NAME = 'kube-apiserver-legacy-service-account-token-tracking';
const LABEL = 'apiserver.kubernetes.io/identity';

describe('listwatch serve', () => {
  it('keeps what a kube-apiserver keeps in kube-system, also without controllers', async () => {
    await using fixture = await ServeFixture.make();
    await using run = fixture.serve(['--controllers', 'none']);
    await using client = await run.client();
    const namespace = 'kube-system';
    const maps = client.resource('v1', 'configmaps', { namespace });
    await maps.wait(NAME, (found) => found !== undefined);
    const leases = client.resource('coordination.k8s.io/v1', 'leases', { namespace });
    const { items } = await leases.list();
    const components = items.map(({ metadata }) => metadata.labels?.[LABEL]);
    expect(components).to.deep.equal(['kube-apiserver']);
  });
});
