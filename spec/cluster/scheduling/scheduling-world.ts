import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import { Scheduler } from '../../../lib/cluster/scheduling/scheduler.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type {
  Node,
  NodeSpec,
  Pod,
  PodCondition,
  PodSpec,
} from '../../../lib/types/built-in/core-v1-kinds.ts';
import { VirtualClusterWorld } from '../support/virtual-cluster-world.ts';

export interface NodeShape {
  readonly labels?: Record<string, string>;
  readonly spec?: NodeSpec;
  readonly allocatable?: Record<string, string>;
}

export interface PodShape extends Partial<PodSpec> {
  readonly labels?: Record<string, string>;
  readonly namespace?: string;
  readonly requests?: Record<string, string>;
}

/** An event, as far as the specs compare it. */
export type Note = readonly [reason: string | undefined, note: string | undefined];

/** A cluster with a scheduler, and nodes and pods that nothing else looks after. */
export class SchedulingWorld {
  readonly world: VirtualClusterWorld;
  readonly scheduler: Scheduler;

  private constructor(world: VirtualClusterWorld, scheduler: Scheduler) {
    this.world = world;
    this.scheduler = scheduler;
  }

  static async run(
    work: (world: SchedulingWorld) => Promise<void>,
    seed: number = 1,
    clientOf: (world: VirtualClusterWorld) => Client = ({ client }) => client,
  ): Promise<void> {
    await VirtualClusterWorld.run(
      async (world) => {
        const { runtime } = world;
        const client = clientOf(world);
        const logger = silentLogger;
        await using informers = new SharedInformerFactory(client, { runtime, logger });
        informers.start();
        await using scheduler = new Scheduler({ client, informers, runtime, logger });
        scheduler.start();
        await work(new SchedulingWorld(world, scheduler));
      },
      {},
      seed,
    );
  }

  async node(name: string, { labels, spec, allocatable }: NodeShape = {}): Promise<Stored<Node>> {
    const nodes = this.world.client.resource('v1', 'nodes');
    await nodes.create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
      // Taken away below, with the taint of a node that is not ready yet.
      spec: { ...spec, unschedulable: true },
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110', ...allocatable } },
    });
    const { taints = null, unschedulable = null } = spec ?? {};
    return await nodes.patch(name, { spec: { taints, unschedulable } });
  }

  async pod(name: string, shape: PodShape = {}): Promise<Stored<Pod>> {
    const { labels, requests, namespace = 'default', ...spec } = shape;
    return await this.pods(namespace).create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels },
      spec: {
        containers: [{ name: 'main', image: 'busybox', resources: { requests } }],
        terminationGracePeriodSeconds: 0,
        ...spec,
      },
    });
  }

  pods(namespace: string = 'default'): ResourceClient<Pod> {
    return this.world.client.resource('v1', 'pods', { namespace });
  }

  /** The node of a pod; the empty text when it has none. */
  async nodeOf(name: string, namespace: string = 'default'): Promise<string> {
    return (await this.pods(namespace).get(name)).spec?.nodeName ?? '';
  }

  /** The node of a pod, once it has one. */
  async placed(name: string, namespace: string = 'default'): Promise<string> {
    await this.world.until(
      `${name} has a node`,
      async () => (await this.nodeOf(name, namespace)) !== '',
    );
    return await this.nodeOf(name, namespace);
  }

  /** Why a pod has no node, once it says so. */
  async pending(name: string, namespace: string = 'default'): Promise<PodCondition> {
    const read = async (): Promise<PodCondition | undefined> =>
      (await this.pods(namespace).get(name)).status?.conditions?.find(
        ({ type, status }) => type === 'PodScheduled' && status === 'False',
      );
    await this.world.until(`${name} is pending`, async () => (await read()) !== undefined);
    const condition = await read();
    if (condition === undefined) throw new Error(`${name} is not pending`);
    return condition;
  }

  async message(name: string, namespace: string = 'default'): Promise<string> {
    return (await this.pending(name, namespace)).message ?? '';
  }

  /** The events of an object. */
  async notes(name: string, namespace: string = 'default'): Promise<Note[]> {
    const events = this.world.client.resource('events.k8s.io/v1', 'events', { namespace });
    const { items } = await events.list();
    const own = items.filter(({ regarding }) => regarding?.name === name);
    return own.map(({ reason, note }): Note => [reason, note]);
  }
}
