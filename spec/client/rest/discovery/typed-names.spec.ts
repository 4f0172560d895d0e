import { expect } from 'chai';
import { connect } from '../../../../lib/client/rest/connect.ts';
import type { Client } from '../../../../lib/client/rest/client.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { failureOf } from '../../support/failure-of.ts';

/** The collections to which kubectl 1.36.3 sends `get TEXT` on a kube-apiserver 1.36.3 with the same kinds. */
const RESOLVED: readonly [texts: string, apiVersion: string, resource: string][] = [
  [
    'deploy deployment deployments Deployment deployments.apps deployments.v1.apps',
    'apps/v1',
    'deployments',
  ],
  ['hpa horizontalpodautoscaler', 'autoscaling/v2', 'horizontalpodautoscalers'],
  ['horizontalpodautoscalers.v1.autoscaling', 'autoscaling/v1', 'horizontalpodautoscalers'],
  ['ev events', 'v1', 'events'],
  ['events.events.k8s.io', 'events.k8s.io/v1', 'events'],
  ['storageclass.storage storageclasses sc', 'storage.k8s.io/v1', 'storageclasses'],
  ['svc services', 'v1', 'services'],
  ['csr', 'certificates.k8s.io/v1', 'certificatesigningrequests'],
  ['crd crds.apiextensions', 'apiextensions.k8s.io/v1', 'customresourcedefinitions'],
  ['ing.networking', 'networking.k8s.io/v1', 'ingresses'],
  ['pods.v1.', 'v1', 'pods'],
  ['po PODS Pod', 'v1', 'pods'],
];

const definition = (group: string, plural: string): UnstructuredObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural, singular: plural.slice(0, -1), kind: 'Widget', shortNames: ['wd', 'po'] },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
  },
});

describe('Client.find and Client.for on an API server', () => {
  let server: ApiServer;
  let client: Client;

  beforeEach(async () => {
    server = new ApiServer();
    await server.listen();
    client = await connect({ ...server.clientConfig(), namespace: 'default' });
  });

  afterEach(async () => {
    await client.close();
    await server[Symbol.asyncDispose]();
  });

  it('takes what kubectl takes', async () => {
    for (const [texts, apiVersion, resource] of RESOLVED) {
      for (const text of texts.split(' ')) {
        const found = await client.discovery.named(text);
        expect([text, found.apiVersion, found.resource]).to.deep.equal([
          text,
          apiVersion,
          resource,
        ]);
      }
    }
    expect((await failureOf(client.find('po.v1'))).code).to.equal('RESOURCE_UNKNOWN');
    expect((await failureOf(client.find('all'))).code).to.equal('RESOURCE_UNKNOWN');
  });

  it('lists the resources of a category as `kubectl get all` does', async () => {
    const all = await client.discovery.category('all');
    expect(all.map((one) => one.fullName).toSorted()).to.deep.equal([
      'cronjobs.batch',
      'daemonsets.apps',
      'deployments.apps',
      'horizontalpodautoscalers.autoscaling',
      'jobs.batch',
      'pods',
      'replicasets.apps',
      'replicationcontrollers',
      'services',
      'statefulsets.apps',
    ]);
  });

  it('finds a kind that was defined later, and its short name', async () => {
    expect((await failureOf(client.find('widgets'))).code).to.equal('RESOURCE_UNKNOWN');
    const crds = await client.find('crd');
    await crds.create(definition('x.example.com', 'widgets'));
    await crds.wait('widgets.x.example.com', (found) =>
      JSON.stringify(found?.['status'] ?? '').includes('"Established"'),
    );
    const widgets = await client.find('wd');
    const type = { apiVersion: 'x.example.com/v1', kind: 'Widget' };
    await widgets.create({ ...type, metadata: { name: 'one' } });
    const same = await client.resourceOf({
      ...type,
      metadata: { name: 'one', namespace: 'default' },
    });
    expect((await same.get('one')).metadata.namespace).to.equal('default');
    // A plural of the core group counts before a short name of another one.
    expect((await client.discovery.named('po')).fullName).to.equal('pods');
  });

  it('sends objects of namespaced kinds to their namespace, that of the options, or that of the client', async () => {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const maps = await client.resourceOf(map);
    expect((await maps.create(map)).metadata).to.include({ namespace: 'default' });
    const elsewhere = await client.resourceOf(map, { namespace: 'kube-system' });
    expect((await elsewhere.create(map)).metadata).to.include({ namespace: 'kube-system' });
    const namespaces = await client.resourceOf(
      { apiVersion: 'v1', kind: 'Namespace' },
      { namespace: 'x' },
    );
    expect((await namespaces.get('default')).kind).to.equal('Namespace');
    const error = await failureOf(client.resourceOf({ metadata: { name: 'a' } }));
    expect(error.code).to.equal('INVALID_OPTION');
  });
});
