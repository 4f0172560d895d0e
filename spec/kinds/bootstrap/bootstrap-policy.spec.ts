import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { bootstrapPolicy } from '../../../lib/kinds/bootstrap/bootstrap-policy.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { Answers } from '../../server/registry/support/answers.ts';
import { digestOf } from './policy-digest.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

describe('the roles and bindings of every server', () => {
  it('are those of kube-apiserver 1.37.2, whose digests `record-policy.ts` has recorded', () => {
    const recorded: unknown = JSON.parse(
      readFileSync(join(import.meta.dirname, 'recorded-policy.json'), 'utf8'),
    );
    const own = Object.entries(bootstrapPolicy()).flatMap(([resource, objects]) =>
      objects.map((object) => {
        const { name, namespace } = object.metadata ?? {};
        const path = namespace === undefined ? name : `${namespace}/${name}`;
        return [`${resource}/${path}`, digestOf(object)];
      }),
    );
    expect(Object.fromEntries(own)).to.deep.equal(recorded);
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
