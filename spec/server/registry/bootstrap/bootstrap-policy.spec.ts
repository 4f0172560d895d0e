import { expect } from 'chai';
import { bootstrapPolicy } from '../../../../lib/server/registry/bootstrap/bootstrap-policy.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { Answers } from '../support/answers.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

describe('the roles and bindings of every server', () => {
  it('are those of kube-apiserver 1.36.3', () => {
    const counts = Object.entries(bootstrapPolicy()).map(([resource, { length }]) => [
      resource,
      length,
    ]);
    expect(Object.fromEntries(counts)).to.deep.equal({
      clusterroles: 69,
      roles: 7,
      clusterrolebindings: 50,
      rolebindings: 7,
    });
  });

  it('are read in all their forms', async () => {
    await using api = new Answers();
    const rules = async (path: string): Promise<unknown> =>
      (await api.get(`${RBAC}/${path}`)).body['rules'];
    expect(await rules('clusterroles/cluster-admin')).to.deep.equal([
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ]);
    const roles = 'namespaces/kube-public/roles';
    expect(await rules(`${roles}/system:controller:bootstrap-signer`)).to.deep.equal([
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['configmaps'] },
      {
        verbs: ['update'],
        apiGroups: [''],
        resources: ['configmaps'],
        resourceNames: ['cluster-info'],
      },
      {
        verbs: ['create', 'patch', 'update'],
        apiGroups: ['', 'events.k8s.io'],
        resources: ['events'],
      },
    ]);
    const edit = (await api.get(`${RBAC}/clusterroles/edit`)).body;
    expect(edit).to.deep.include({ rules: null }).and.nested.include({
      'metadata.labels.rbac\\.authorization\\.k8s\\.io/aggregate-to-admin': 'true',
      'metadata.managedFields[0].manager': 'kube-apiserver',
    });
    expect(edit['aggregationRule']).to.deep.equal({
      clusterRoleSelectors: [
        { matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } },
      ],
    });
    const name = 'system:controller:job-controller';
    expect((await api.get(`${RBAC}/clusterrolebindings/${name}`)).body).to.deep.include({
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: 'job-controller', namespace: 'kube-system' }],
    });
  });

  it('are completed at each start, and left as they are', async () => {
    await using keyValueStore = new EmbeddedKeyValueStore();
    const path = `${RBAC}/clusterroles`;
    {
      await using api = new Answers({ keyValueStore });
      await api.merge(`${path}/view`, { metadata: { labels: { own: 'x' } } });
      await api.ask('DELETE', `${path}/edit`);
    }
    await using api = new Answers({ keyValueStore });
    expect((await api.get(`${path}/edit`)).status).to.equal(200);
    expect((await api.get(`${path}/view`)).body).to.nested.include({
      'metadata.labels.own': 'x',
    });
  });
});
