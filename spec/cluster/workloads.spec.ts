import { expect } from 'chai';
import type { ContainerRules } from '../../lib/cluster/life/containers/container-rules.ts';
import type { Stored } from '../../lib/meta/stored.ts';
import type { Deployment } from '../../lib/types/built-in/apps-v1-kinds.ts';
import type { Pod } from '../../lib/types/built-in/core-v1-kinds.ts';
import { caught, VirtualClusterWorld } from './support/virtual-cluster-world.ts';

const NAMESPACE = { namespace: 'default' };

/** A Deployment with one container. */
function web(replicas: number, image: string = 'registry.example.com/web:1') {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec } as const;
}

/** A user of a cluster whose pods run. */
class Living {
  readonly world: VirtualClusterWorld;

  constructor(world: VirtualClusterWorld) {
    this.world = world;
  }

  static async run(
    work: (living: Living) => Promise<void>,
    options: { readonly nodes?: number; readonly containers?: ContainerRules } = {},
  ): Promise<void> {
    const controllers = 'workloads';
    await VirtualClusterWorld.run((world) => work(new Living(world)), { controllers, ...options });
  }

  get deployments() {
    return this.world.client.resource('apps/v1', 'deployments', NAMESPACE);
  }

  async pods(): Promise<Stored<Pod>[]> {
    return [...(await this.world.client.resource('v1', 'pods', NAMESPACE).list()).items];
  }

  async available(count: number): Promise<Stored<Deployment>> {
    const found = await this.deployments.wait(
      'web',
      (one) =>
        one?.status?.availableReplicas === count &&
        one.status.observedGeneration === one.metadata.generation,
      { timeoutMs: 900_000 },
    );
    return found!;
  }
}

describe('a cluster whose workloads run', () => {
  it('takes a Deployment to available pods on its nodes, with endpoints of their Service', async () => {
    await Living.run(
      async (living) => {
        const { client } = living.world;
        await living.deployments.create(web(3));
        const spec = { selector: { app: 'web' }, ports: [{ port: 80 }] };
        await client
          .resource('v1', 'services', NAMESPACE)
          .create({ metadata: { name: 'web' }, spec });
        await living.available(3);
        await living.world.cluster.settled();
        const pods = await living.pods();
        expect(pods.map((pod) => pod.spec?.nodeName ?? '').toSorted()).to.deep.equal([
          'node-1',
          'node-2',
          'node-3',
        ]);
        const slices = client.resource('discovery.k8s.io/v1', 'endpointslices', NAMESPACE);
        const { items } = await slices.list({ labelSelector: 'kubernetes.io/service-name=web' });
        const addresses = items.flatMap(({ endpoints = [] }) =>
          endpoints.filter(({ conditions }) => conditions?.ready).flatMap((one) => one.addresses),
        );
        expect(addresses.toSorted()).to.deep.equal(
          pods.map(({ status }) => status?.podIP ?? '').toSorted(),
        );
      },
      { nodes: 3 },
    );
  });

  it('rolls a Deployment to its new image, and keeps the pods of the old one until then', async () => {
    await Living.run(async (living) => {
      await living.deployments.create(web(3));
      await living.available(3);
      await living.deployments.patch('web', web(3, 'registry.example.com/web:2'));
      await living.available(3);
      await living.world.cluster.settled();
      const images = (await living.pods()).map(({ spec }) => spec?.containers[0]?.image);
      expect(images).to.deep.equal(Array.from({ length: 3 }, () => 'registry.example.com/web:2'));
      const sets = await living.world.client.resource('apps/v1', 'replicasets', NAMESPACE).list();
      expect(sets.items.map(({ spec }) => spec?.replicas)).to.have.members([0, 3]);
    });
  });

  it('settles with a pod that no node fits, whose condition says why', async () => {
    await Living.run(
      async (living) => {
        await living.deployments.create(web(1));
        await living.world.cluster.settled();
        const [pod] = await living.pods();
        const scheduled = pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled');
        expect(scheduled).to.include({ status: 'False', reason: 'Unschedulable' });
        expect(scheduled?.message).to.include('no nodes available to schedule pods');
      },
      { nodes: 0 },
    );
  });

  it('starts a crashed container again, with its restart counted', async () => {
    await Living.run(async (living) => {
      await living.deployments.create(web(1));
      await living.available(1);
      const [pod] = await living.pods();
      living.world.cluster.pods.crash({ ...NAMESPACE, name: pod!.metadata.name, exitCode: 3 });
      await living.world.until('it has restarted', async () => {
        const [now] = await living.pods();
        const [status] = now?.status?.containerStatuses ?? [];
        return status?.ready === true && status.restartCount === 1;
      });
    });
  });

  it('empties a node that is drained, and runs its pods elsewhere', async () => {
    await Living.run(
      async (living) => {
        const { cluster, client } = living.world;
        await living.deployments.create(web(4));
        await living.available(4);
        await cluster.nodes.drain('node-1');
        await living.available(4);
        const pods = await living.pods();
        expect(new Set(pods.map(({ spec }) => spec?.nodeName))).to.deep.equal(new Set(['node-2']));
        const node = await client.resource('v1', 'nodes').get('node-1');
        expect(node.spec?.unschedulable).to.equal(true);
      },
      { nodes: 2 },
    );
  });

  it('runs the pods of a lost node elsewhere: NotReady after 50 s, evicted 300 s later', async () => {
    await Living.run(
      async (living) => {
        const { cluster, client, runtime } = living.world;
        await living.deployments.create(web(2));
        await living.available(2);
        await cluster.nodes.fail('node-1');
        const failedAtMs = runtime.monotonicMs();
        const nodes = client.resource('v1', 'nodes');
        await nodes.wait(
          'node-1',
          (node) =>
            node?.status?.conditions?.some(
              ({ type, status }) => type === 'Ready' && status === 'Unknown',
            ) === true,
          { timeoutMs: 900_000 },
        );
        expect(runtime.monotonicMs() - failedAtMs).to.be.within(40_000, 60_000);
        await living.available(1);
        await living.available(2);
        const running = (await living.pods()).filter(
          ({ metadata }) => metadata.deletionTimestamp === undefined,
        );
        expect(running.map(({ spec }) => spec?.nodeName)).to.deep.equal(['node-2', 'node-2']);
        expect(runtime.monotonicMs() - failedAtMs).to.be.within(340_000, 370_000);
      },
      { nodes: 2 },
    );
  });

  it('says what keeps a drain from its end', async () => {
    await Living.run(async (living) => {
      const { cluster, client } = living.world;
      await living.deployments.create(web(1));
      await living.available(1);
      const budgets = client.resource('policy/v1', 'poddisruptionbudgets', NAMESPACE);
      const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
      await budgets.create({ metadata: { name: 'web' }, spec });
      const error = await caught(cluster.nodes.drain('node-1', { timeoutMs: 20_000 }));
      expect(error).to.include({ code: 'TIMEOUT' });
      expect((error as Error).message).to.match(/the pods of node "node-1": default\/web-.*budget/);
    });
  });

  it('takes what containers do from its option', async () => {
    const containers = [{ match: { image: 'registry.example.com/web' }, readyAfterMs: 60_000 }];
    await Living.run(
      async (living) => {
        await living.deployments.create(web(1));
        await living.available(1);
        expect(living.world.runtime.monotonicMs()).to.be.within(60_000, 63_000);
      },
      { containers },
    );
  });

  it('fills the roles admin, edit and view', async () => {
    await Living.run(async ({ world: { client, cluster } }) => {
      await cluster.settled();
      const roles = client.resource('rbac.authorization.k8s.io/v1', 'clusterroles');
      for (const name of ['admin', 'edit', 'view']) {
        expect((await roles.get(name)).rules?.length, name).to.be.above(0);
      }
    });
  });

  it('has no nodes to act on without kubelets, and says how to get them', async () => {
    await VirtualClusterWorld.run(async ({ cluster }) => {
      const error = await caught(cluster.nodes.fail('node-1'));
      expect(error).to.include({ code: 'NOT_STARTED' });
      expect((error as Error).message).to.include("controllers: 'workloads'");
      expect(cluster.inspect().workloads).to.equal(undefined);
    });
  });
});
