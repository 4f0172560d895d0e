import { expect } from 'chai';
import type { ContainerRules } from '../../../lib/cluster/life/containers/container-rules.ts';
import type { KubernetesVersion } from '../../../lib/meta/releases/kubernetes-releases.ts';
import { call } from '../../server/api/support.ts';
import { VirtualClusterWorld } from '../support/virtual-cluster-world.ts';

const BASE = '/api/v1/namespaces/default';

const CONTAINERS: ContainerRules = [
  {
    match: { image: 'web' },
    http: ({ url }, { pod }) => new Response(`${pod.metadata?.name} ${new URL(url).pathname}`),
  },
  { match: { image: 'side' }, http: () => new Response('side'), httpPorts: [9000] },
];

interface Asked {
  readonly world: VirtualClusterWorld;
  /** Status and text; of a failure its message. */
  readonly get: (path: string) => Promise<readonly [status: number, text: string]>;
}

async function inCluster(
  work: (asked: Asked) => Promise<void>,
  version?: KubernetesVersion,
): Promise<void> {
  await VirtualClusterWorld.run(
    async (world) => {
      const get = async (path: string): Promise<readonly [number, string]> => {
        const answer = await call(world.cluster.server.handler, 'GET', `${BASE}${path}`);
        const { status, text } = answer;
        return [status, status < 400 ? text : String(answer.json()['message'])];
      };
      await work({ world, get });
    },
    { controllers: 'workloads', containers: CONTAINERS, version },
  );
}

async function create(world: VirtualClusterWorld, name: string, images: object): Promise<void> {
  await world.client.resource('v1', 'pods', { namespace: 'default' }).create({
    metadata: { name, labels: { app: 'web' } },
    spec: {
      containers: Object.entries(images).map(([image, ports]: [string, number[]]) => ({
        name: image,
        image,
        ports: ports.map((containerPort) => ({ containerPort })),
      })),
    },
  });
}

const refused = (get: string, ip: string): readonly [number, string] => [
  503,
  `error trying to reach service: dial tcp ${ip}:${get}: connect: connection refused`,
];

describe('a container with an HTTP handler', () => {
  it('answers at the ports that it declares or that its rule names, by the proxy of its pod', async () => {
    await inCluster(async ({ world, get }) => {
      await create(world, 'one', { web: [8080], side: [], nginx: [80] });
      await create(world, 'two', { web: [] });
      await world.cluster.settled();
      expect(await get('/pods/one/proxy/a')).to.deep.equal([200, 'one /a']);
      expect(await get('/pods/one:8080/proxy/')).to.deep.equal([200, 'one /']);
      expect(await get('/pods/one:9000/proxy/')).to.deep.equal([200, 'side']);
      expect(await get('/pods/one:80/proxy/')).to.deep.equal(refused('80', '10.244.0.2'));
      expect(await get('/pods/two:7/proxy/')).to.deep.equal([200, 'two /']);
    });
  });

  it('does not answer before it runs, after its end, or on a node that failed', async () => {
    await inCluster(async ({ world, get }) => {
      await create(world, 'one', { web: [] });
      expect(await get('/pods/one/proxy/')).to.deep.equal([400, 'address not allowed']);
      await world.cluster.settled();
      expect(await get('/pods/one:80/proxy/')).to.deep.equal([200, 'one /']);
      await create(world, 'two', { web: [] });
      await world.cluster.settled();
      world.cluster.pods.crash({ namespace: 'default', name: 'two' });
      await world.sleep(1);
      expect(await get('/pods/two:80/proxy/')).to.deep.equal(refused('80', '10.244.0.3'));
      await world.cluster.nodes.fail('node-1');
      expect(await get('/pods/one:80/proxy/')).to.deep.equal(refused('80', '10.244.0.2'));
    });
  });

  it('answers by the proxy of a service, which asks its ready pods by turns', async () => {
    await inCluster(async ({ world, get }) => {
      for (const name of ['one', 'two', 'three']) await create(world, name, { web: [8080] });
      await world.client.resource('v1', 'services', { namespace: 'default' }).create({
        metadata: { name: 'web' },
        spec: {
          selector: { app: 'web' },
          ports: [
            { name: 'http', port: 80, targetPort: 8080 },
            { name: 'none', port: 81, targetPort: 81 },
          ],
        },
      });
      await world.cluster.settled();
      const seen = new Set<string>();
      for (let time = 0; time < 30; time += 1) {
        const [status, text] = await get('/services/web:http/proxy/a/');
        expect(status).to.equal(200);
        seen.add(text);
      }
      expect([...seen]).to.have.members(['one /a/', 'two /a/', 'three /a/']);
      expect((await get('/services/http:web:80/proxy/'))[0]).to.equal(200);
      expect((await get('/services/web:81/proxy/'))[1]).to.match(
        /:81: connect: connection refused$/,
      );
      const none = 'no endpoints available for service "web"';
      expect(await get('/services/web/proxy/')).to.deep.equal([503, none]);
      expect(await get('/services/web:other/proxy/')).to.deep.equal([503, none]);
      expect(await get('/services/web:82/proxy/')).to.deep.equal([
        503,
        'no service port 82 found for service "web"',
      ]);
      expect(await get('/services/none:80/proxy/')).to.deep.equal([
        404,
        'services "none" not found',
      ]);
      expect(await get('/services/none/proxy/')).to.deep.equal([
        503,
        'no endpoints available for service "none"',
      ]);
    });
  });

  it('is looked for in Endpoints by an older server', async () => {
    await inCluster(async ({ get }) => {
      expect(await get('/services/none/proxy/')).to.deep.equal([404, 'endpoints "none" not found']);
    }, '1.36');
  });
});
