import { expect } from 'chai';
import { connect } from '../../../../lib/client/rest/connect.ts';
import type { Client } from '../../../../lib/client/rest/client.ts';
import { failureOf } from '../../support/failure-of.ts';
import { json, RawServer } from '../../support/raw-server.ts';

const timestamp = '2026-11-29T12:00:00Z';
const window = '15s';
const PODS = [
  {
    metadata: { name: 'web-0', namespace: 'shop' },
    timestamp,
    window,
    containers: [
      { name: 'app', usage: { cpu: '1500000n', memory: '12Mi' } },
      { name: 'proxy', usage: { cpu: '250m', memory: '1000k' } },
    ],
  },
  { metadata: { name: 'new', namespace: 'shop' }, timestamp, window, containers: [] },
  {
    metadata: { name: 'db-0', namespace: 'shop' },
    timestamp,
    window,
    containers: [{ name: 'db', usage: { cpu: '2', memory: '1Gi' } }],
  },
];
const NODES = [
  { metadata: { name: 'node-1' }, timestamp, window, usage: { cpu: '3500m', memory: '8Gi' } },
];

async function served(
  answers: Readonly<Record<string, unknown>>,
  use: (client: Client, urls: () => string[]) => Promise<void>,
): Promise<void> {
  await using server = await RawServer.start(({ url = '' }, response) => {
    const items = answers[new URL(url, 'http://server').pathname];
    if (items === undefined) return json(response, { kind: 'Status', code: 404 }, 404);
    json(response, { items });
  });
  await using client = await connect({ server: server.url, namespace: 'shop' });
  await use(client, () => server.requests.map(({ url }) => url));
}

describe('the usage of pods and nodes', () => {
  it('is that of the containers of each pod, the largest use of processors first', async () => {
    const path = '/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods';
    await served({ [path]: PODS }, async (client, urls) => {
      const pods = client.resource('v1', 'pods', { namespace: 'shop' });
      const all = await pods.top({ labelSelector: 'app in (web, db)' });
      expect(urls()).to.deep.equal([`${path}?labelSelector=app%20in%20(web%2C%20db)`]);
      expect(all.map(({ name }) => name)).to.deep.equal(['db-0', 'web-0', 'new']);
      expect(all[1]).to.deep.equal({
        name: 'web-0',
        namespace: 'shop',
        cpu: 0.2515,
        memory: 12 * 1024 ** 2 + 1_000_000,
        containers: [
          { name: 'app', cpu: 0.0015, memory: 12 * 1024 ** 2 },
          { name: 'proxy', cpu: 0.25, memory: 1_000_000 },
        ],
        timestamp,
        window,
      });
      expect(all[2]).to.include({ cpu: 0, memory: 0 });
    });
  });

  it('is that of each node', async () => {
    await served({ '/apis/metrics.k8s.io/v1beta1/nodes': NODES }, async (client) => {
      const [node] = await client.resource('v1', 'nodes').top();
      const usage = { cpu: 3.5, memory: 8 * 1024 ** 3, containers: [] };
      expect(node).to.deep.equal({
        name: 'node-1',
        namespace: undefined,
        ...usage,
        timestamp,
        window,
      });
    });
  });

  it('takes null for a list, containers and a usage that are empty', async () => {
    const nodes = '/apis/metrics.k8s.io/v1beta1/nodes';
    const pods = '/apis/metrics.k8s.io/v1beta1/pods';
    const bare = { metadata: { name: 'a', namespace: 'shop' }, timestamp, window };
    const empty = [
      { ...bare, containers: null },
      { ...bare, containers: [{ name: 'app', usage: null }] },
    ];
    await served({ [nodes]: null, [pods]: empty }, async (client) => {
      expect(await client.resource('v1', 'nodes').top()).to.deep.equal([]);
      const all = await client.resource('v1', 'pods').top();
      expect(all.map(({ cpu, memory }) => [cpu, memory])).to.deep.equal([
        [0, 0],
        [0, 0],
      ]);
    });
    await served({ [nodes]: 'none' }, async (client) => {
      expect(await failureOf(client.resource('v1', 'nodes').top())).to.include({
        code: 'MALFORMED_RESPONSE',
        message: 'top: the items of metrics.k8s.io/v1beta1 are no array',
      });
    });
  });

  it('is in whole bytes, however much memory it is', async () => {
    const nodes = '/apis/metrics.k8s.io/v1beta1/nodes';
    const sizes = ['49311901704', '91844236541', '76485278960'];
    const metrics = sizes.map((memory) => ({ ...NODES[0], usage: { cpu: '1', memory } }));
    await served({ [nodes]: metrics }, async (client) => {
      const all = await client.resource('v1', 'nodes').top();
      expect(all.map(({ memory }) => memory)).to.have.members(sizes.map(Number));
    });
  });

  it('says that the cluster has no metrics server', async () => {
    await served({}, async (client) => {
      const error = await failureOf(client.resource('v1', 'pods').top());
      expect(error).to.include({ code: 'NOT_FOUND' });
      expect(error.message).to.match(
        /^top: http:\S+ serves no metrics\.k8s\.io\/v1beta1; install the metrics server/,
      );
    });
  });

  it('refuses other resources, unknown options, and an answer that is no quantity', async () => {
    const wrong = [{ ...NODES[0], usage: { cpu: 'much', memory: '1' } }];
    await served({ '/apis/metrics.k8s.io/v1beta1/nodes': wrong }, async (client) => {
      const maps = await failureOf(client.resource('v1', 'configmaps').top());
      expect(maps).to.include({
        code: 'INVALID_OPTION',
        message: 'top: there is no usage of configmaps (v1); ask for that of v1 pods or v1 nodes',
      });
      const option = await failureOf(client.resource('v1', 'nodes').top({ sort: 'cpu' } as object));
      expect(option).to.include({ code: 'INVALID_OPTION' });
      const malformed = await failureOf(client.resource('v1', 'nodes').top());
      expect(malformed).to.include({
        code: 'MALFORMED_RESPONSE',
        message: 'top: "much" is no quantity',
      });
    });
  });
});
