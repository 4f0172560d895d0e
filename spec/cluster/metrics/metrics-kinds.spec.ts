import { expect } from 'chai';
import type { ContainerRules } from '../../../lib/cluster/life/containers/container-rules.ts';
import { startCluster } from '../../../lib/cluster/cluster.ts';
import { recordAt, recordsAt, textAt, valueAt } from '../../../lib/meta/json-value.ts';
import { call, type Call } from '../../server/api/support.ts';
import { VirtualClusterWorld } from '../support/virtual-cluster-world.ts';

const METRICS = '/apis/metrics.k8s.io/v1beta1';
const POD_METRICS = `${METRICS}/namespaces/default/pods`;

interface Asked {
  readonly world: VirtualClusterWorld;
  readonly get: (path: string, accept?: string) => Promise<Call>;
}

async function inCluster(
  containers: ContainerRules,
  work: (asked: Asked) => Promise<void>,
): Promise<void> {
  await VirtualClusterWorld.run(
    async (world) => {
      const get: Asked['get'] = (path, accept) =>
        call(world.cluster.server.handler, 'GET', path, {
          headers: accept === undefined ? {} : { accept },
        });
      await work({ world, get });
    },
    { controllers: 'workloads', nodes: 2, containers },
  );
}

async function create(
  { world }: Asked,
  name: string,
  containers: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<void> {
  await world.client.resource('v1', 'pods', { namespace: 'default' }).create({
    metadata: { name, labels: { app: name } },
    spec: {
      nodeName: 'node-1',
      containers: Object.entries(containers).map(([image, requests]) => ({
        name: image,
        image,
        resources: { requests },
      })),
    },
  });
}

const names = (answer: Call): string[] =>
  recordsAt(answer.json(), 'items').map((one) => textAt(one, 'metadata', 'name'));

describe('metrics.k8s.io', () => {
  it('has what the containers of a pod use: by their rule, or half of their requests, or little', async () => {
    let cpu = 250;
    const rules: ContainerRules = [
      { match: { image: 'fixed' }, usage: { cpu: 0.1, memory: '64Mi' } },
      { match: { image: 'function' }, usage: () => ({ cpu: `${cpu}m` }) },
    ];
    await inCluster(rules, async (asked) => {
      const { world, get } = asked;
      await create(asked, 'web', {
        fixed: {},
        function: { memory: '1Gi' },
        half: { cpu: '500m', memory: '100Mi' },
        other: {},
      });
      expect((await get(`${POD_METRICS}/web`)).json()).to.deep.include({
        code: 404,
        message: 'podmetrics.metrics.k8s.io "default/web" not found',
      });
      await world.cluster.settled();
      cpu = 300;
      const { kind, apiVersion, metadata, window, timestamp, containers } = (
        await get(`${POD_METRICS}/web`)
      ).json();
      expect([kind, apiVersion, window]).to.deep.equal([
        'PodMetrics',
        'metrics.k8s.io/v1beta1',
        '15s',
      ]);
      expect(metadata).to.deep.equal({
        name: 'web',
        namespace: 'default',
        creationTimestamp: timestamp,
        labels: { app: 'web' },
      });
      expect(containers).to.deep.equal([
        { name: 'fixed', usage: { cpu: '100m', memory: '64Mi' } },
        { name: 'function', usage: { cpu: '300m', memory: '512Mi' } },
        { name: 'half', usage: { cpu: '250m', memory: '50Mi' } },
        { name: 'other', usage: { cpu: '1m', memory: '10Mi' } },
      ]);
    });
  });

  it('lists pods by namespace and selectors, without those that do not run', async () => {
    await inCluster([], async (asked) => {
      const { world, get } = asked;
      for (const name of ['one', 'two', 'three']) await create(asked, name, { nginx: {} });
      await world.cluster.settled();
      await create(asked, 'late', { nginx: {} });
      expect(names(await get(`${METRICS}/pods`))).to.deep.equal(['one', 'three', 'two']);
      expect(names(await get(`${POD_METRICS}?labelSelector=app%3Dtwo`))).to.deep.equal(['two']);
      expect(names(await get(`${POD_METRICS}?fieldSelector=metadata.name%3Done`))).to.deep.equal([
        'one',
      ]);
      expect(names(await get(`${METRICS}/namespaces/other/pods`))).to.deep.equal([]);
      expect((await get(`${POD_METRICS}/none`)).json()['message']).to.equal(
        'pods "none" not found',
      );
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      const table = (await get(POD_METRICS, accept)).json();
      expect(recordsAt(table, 'columnDefinitions').map(({ name }) => name)).to.deep.equal([
        'Name',
        'cpu',
        'memory',
        'Window',
      ]);
      expect(recordsAt(table, 'rows')[0]?.['cells']).to.deep.equal(['one', '1m', '10Mi', '15s']);
    });
  });

  it('has what a node uses: the system and its pods; nothing of one that failed', async () => {
    await inCluster([{ usage: { cpu: '1', memory: '1Gi' } }], async (asked) => {
      const { world, get } = asked;
      for (const name of ['one', 'two']) await create(asked, name, { nginx: {} });
      await world.cluster.settled();
      const list = await get(`${METRICS}/nodes`);
      expect(textAt(list.json(), 'kind')).to.equal('NodeMetricsList');
      expect(recordsAt(list.json(), 'items').map((one) => recordAt(one, 'usage'))).to.deep.equal([
        { cpu: '2050m', memory: '2304Mi' },
        { cpu: '50m', memory: '256Mi' },
      ]);
      const one = (await get(`${METRICS}/nodes/node-1`)).json();
      expect(valueAt(one, 'metadata', 'labels', 'kubernetes.io/hostname')).to.equal('node-1');
      await world.cluster.nodes.fail('node-1');
      expect(names(await get(`${METRICS}/nodes`))).to.deep.equal(['node-2']);
      expect((await get(`${METRICS}/nodes/node-1`)).json()['message']).to.equal(
        'nodemetrics.metrics.k8s.io "node-1" not found',
      );
      expect((await get(`${METRICS}/nodes/none`)).json()['message']).to.equal(
        'nodes "none" not found',
      );
    });
  });

  it('is in discovery and in OpenAPI, and can only be read', async () => {
    await inCluster([], async ({ world, get }) => {
      const { resources } = (await get(METRICS)).json();
      expect(resources).to.deep.equal([
        {
          name: 'nodes',
          singularName: '',
          namespaced: false,
          kind: 'NodeMetrics',
          verbs: ['get', 'list'],
        },
        {
          name: 'pods',
          singularName: '',
          namespaced: true,
          kind: 'PodMetrics',
          verbs: ['get', 'list'],
        },
      ]);
      const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
      expect((await get('/apis', aggregated)).text).to.include('"metrics.k8s.io"');
      for (const path of ['/openapi/v2', '/openapi/v3/apis/metrics.k8s.io/v1beta1']) {
        const { status, text } = await get(path);
        expect(status, path).to.equal(200);
        expect(text).to.include('PodMetrics');
      }
      const services = '/apis/apiregistration.k8s.io/v1/apiservices';
      const service = (await get(`${services}/v1beta1.metrics.k8s.io`)).json();
      expect(recordsAt(service, 'status', 'conditions')[0]).to.include({ status: 'True' });
      expect((await get(services)).text)
        .to.include('"v1beta1.metrics.k8s.io"')
        .and.include('"v1.apps"');
      const post = await call(world.cluster.server.handler, 'POST', POD_METRICS, { body: {} });
      expect(post.status).to.equal(405);
    });
  });

  it('says which function of a container fails', async () => {
    const rules: ContainerRules = [{ usage: () => ({ memory: 'much' }) }];
    await inCluster(rules, async (asked) => {
      await create(asked, 'web', { nginx: {} });
      await asked.world.cluster.settled();
      const { status, text } = await asked.get(`${POD_METRICS}/web`);
      expect(status).to.equal(500);
      expect(text).to.include('option containers: usage of the container nginx of the pod web: ');
    });
  });

  it('is not there without nodes, and wrong quantities are refused at the start', async () => {
    await VirtualClusterWorld.run(
      async ({ cluster }) => {
        expect((await call(cluster.server.handler, 'GET', METRICS)).status).to.equal(404);
      },
      { controllers: 'all' },
    );
    const containers = [{ usage: { cpu: 'much' } }];
    let code: unknown;
    await startCluster({ controllers: 'workloads', containers }).catch((error: unknown) => {
      code = textAt(error, 'code');
    });
    expect(code).to.equal('INVALID_OPTION');
  });
});
