import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import { NodeLife, type NodeLifeOptions } from '../../../lib/cluster/life/node-life.ts';
import { clusterClient } from '../../../lib/cluster/resources/cluster-client.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { adminUser } from '../../../lib/server/registry/contract/user-info.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type {
  ContainerStatus,
  Event,
  Node,
  Pod,
  PodSpec,
} from '../../../lib/types/built-in/core-v1-kinds.ts';
import { VirtualClusterWorld } from '../support/virtual-cluster-world.ts';

export type StoredPod = Stored<Pod>;
type LifeOptions = Partial<
  Omit<NodeLifeOptions, 'client' | 'informers' | 'runtime' | 'logger' | 'pods'>
>;

/** A cluster with nodes, in virtual time. Pods are bound by hand. */
export class LifeWorld {
  readonly world: VirtualClusterWorld;
  readonly life: NodeLife;
  /** Every state of a pod that a watch has seen. */
  readonly seen: StoredPod[] = [];

  readonly #parts: NodeLifeOptions;

  private constructor(world: VirtualClusterWorld, life: NodeLife, parts: NodeLifeOptions) {
    this.#parts = parts;
    this.world = world;
    this.life = life;
  }

  static async run<R>(
    options: LifeOptions,
    work: (world: LifeWorld) => Promise<R>,
    seed: number = 1,
  ): Promise<R> {
    return await VirtualClusterWorld.run(
      async (world) => {
        const { runtime, cluster } = world;
        const user = adminUser('system:node:all');
        const { handler } = cluster.server;
        await using client = clusterClient({
          handler,
          user,
          fieldManager: 'kubelet',
          runtime,
          logger: silentLogger,
        });
        await using informers = new SharedInformerFactory(client, {
          runtime,
          logger: silentLogger,
        });
        informers.start();
        const parts = {
          client,
          informers,
          runtime,
          logger: silentLogger,
          pods: cluster.server.pods,
        };
        await using life = new NodeLife({ ...parts, ...options });
        life.start();
        const lifeWorld = new LifeWorld(world, life, parts);
        informers.for<Pod>('v1', 'pods').addHandler({
          onAdd: (pod) => void lifeWorld.seen.push(pod),
          onUpdate: (_, pod) => void lifeWorld.seen.push(pod),
        });
        await lifeWorld.untilNodes();
        return await work(lifeWorld);
      },
      { controllers: 'none', logger: silentLogger },
      seed,
    );
  }

  /** Further nodes at the same server, as another process has them. */
  another(options: LifeOptions = {}): NodeLife {
    const life = new NodeLife({ ...this.#parts, ...options });
    life.start();
    return life;
  }

  get client(): Client {
    return this.world.client;
  }

  get nowMs(): number {
    return this.world.runtime.wallMs();
  }

  get pods(): ResourceClient<Pod> {
    return this.client.resource<Pod>('v1', 'pods', { namespace: 'default' });
  }

  async untilNodes(): Promise<void> {
    await this.world.until('every node has left its first phase', async () =>
      this.life.inspect().nodes.every(({ phase }) => phase !== 'starting'),
    );
  }

  /** Creates a pod that is bound to a node. */
  async create(
    name: string,
    spec: Partial<PodSpec> = {},
    more: Pod['metadata'] = {},
  ): Promise<StoredPod> {
    return await this.pods.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, ...more },
      spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'nginx' }], ...spec },
    });
  }

  async pod(name: string): Promise<StoredPod> {
    return await this.pods.get(name);
  }

  async node(name: string): Promise<Stored<Node>> {
    return await this.client.resource<Node>('v1', 'nodes').get(name);
  }

  async until(name: string, condition: (pod: StoredPod) => boolean): Promise<StoredPod> {
    let found: StoredPod | undefined;
    await this.world.until(`the pod ${name} is as wanted`, async () => {
      found = await this.pod(name);
      return condition(found);
    });
    return found as StoredPod;
  }

  async untilReady(name: string): Promise<StoredPod> {
    return await this.until(name, (pod) => conditionOf(pod, 'Ready') === 'True');
  }

  async untilPhase(name: string, phase: string): Promise<StoredPod> {
    return await this.until(name, ({ status }) => status?.phase === phase);
  }

  async untilGone(name: string): Promise<void> {
    await this.world.until(`the pod ${name} is gone`, async () => {
      const { items } = await this.pods.list();
      return items.every(({ metadata }) => metadata.name !== name);
    });
  }

  /** The events about an object, as `reason: message`, in their order. */
  async events(name: string): Promise<string[]> {
    await this.world.sleep(1000);
    const { items } = await this.client
      .resource<Event>('v1', 'events', { namespace: 'default' })
      .list();
    return items
      .filter((event) => event.involvedObject.name === name)
      .toSorted(
        (one, other) =>
          Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion),
      )
      .map(({ reason, message }) => `${reason}: ${message}`);
  }

  /** The states of a pod that were seen, without those of its creation. */
  states(name: string): string[] {
    return this.seen
      .filter(({ metadata, status }) => metadata.name === name && status?.startTime !== undefined)
      .map((pod) => stateOf(pod));
  }
}

export function conditionOf(pod: StoredPod, type: string): string | undefined {
  return pod.status?.conditions?.find((one) => one.type === type)?.status;
}

/** E.g. `Running ready=True main:running`. */
function stateOf(pod: StoredPod): string {
  const { phase, initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const containers = [...initContainerStatuses, ...containerStatuses].map(containerState);
  return [`${phase} ready=${conditionOf(pod, 'Ready')}`, ...containers].join(' ');
}

function containerState({ name, state, restartCount }: ContainerStatus): string {
  const { waiting, terminated } = state ?? {};
  const text = waiting?.reason ?? (terminated && `${terminated.reason}(${terminated.exitCode})`);
  return `${name}:${text ?? 'running'}${restartCount === 0 ? '' : `#${restartCount}`}`;
}
