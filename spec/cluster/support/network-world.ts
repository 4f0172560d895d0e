import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { ClusterPart } from '../../../lib/cluster/resources/cluster-parts.ts';
import type { WorkloadParts } from '../../../lib/cluster/resources/workload-parts.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { Pod, Service, ServiceSpec } from '../../../lib/types/built-in/core-v1-kinds.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../lib/meta/object.ts';
import { VirtualClusterWorld } from './virtual-cluster-world.ts';

export interface PodState {
  readonly ip?: string;
  readonly ready?: boolean;
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
}

export interface PodForm extends PodState {
  readonly labels?: Record<string, string>;
  readonly spec?: Partial<NonNullable<Pod['spec']>>;
}

const NAMESPACE = 'default';

/** Parts of a cluster at work beside a user who plays kubelet, in virtual time. */
export class NetworkWorld {
  readonly world: VirtualClusterWorld;
  readonly #parts: WorkloadParts;

  private constructor(world: VirtualClusterWorld, parts: WorkloadParts) {
    this.world = world;
    this.#parts = parts;
  }

  static async run<R>(
    made: readonly ((parts: WorkloadParts) => ClusterPart)[],
    work: (world: NetworkWorld) => Promise<R>,
  ): Promise<R> {
    return await VirtualClusterWorld.run(async (world) => {
      const { client, runtime } = world;
      const logger = silentLogger;
      await using informers = new SharedInformerFactory(client, { runtime, logger });
      informers.start();
      const network = new NetworkWorld(world, { client, informers, runtime, logger });
      const running = made.map((make) => network.begin(make));
      try {
        return await work(network);
      } finally {
        for (const part of running) await part[Symbol.asyncDispose]();
      }
    });
  }

  /** Starts a part; its disposal ends it. */
  begin(make: (parts: WorkloadParts) => ClusterPart): ClusterPart {
    const part = make(this.#parts);
    part.start();
    return part;
  }

  resource<T extends KubernetesObject = UnstructuredObject>(
    apiVersion: string,
    resource: string,
  ): ReturnType<typeof this.world.client.resource<T>> {
    return this.world.client.resource<T>(apiVersion, resource, { namespace: NAMESPACE });
  }

  async service(
    name: string,
    spec: ServiceSpec = {},
    labels?: Record<string, string>,
  ): Promise<Stored<Service>> {
    return await this.world.client.resource('v1', 'services', { namespace: NAMESPACE }).create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, labels },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }], ...spec },
    });
  }

  async node(name: string, labels: Record<string, string> = {}): Promise<void> {
    const metadata = { name, labels };
    await this.world.client
      .resource('v1', 'nodes')
      .create({ apiVersion: 'v1', kind: 'Node', metadata });
  }

  async pod(
    name: string,
    { labels = { app: 'web' }, spec, ...state }: PodForm = {},
  ): Promise<void> {
    await this.pods.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels },
      spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'web' }], ...spec },
    });
    await this.state(name, state);
  }

  /** Writes the status of a pod as kubelet does. */
  async state(name: string, { ip, ready = true, phase = 'Running' }: PodState): Promise<void> {
    const lastTransitionTime = new Date(this.world.runtime.wallMs()).toISOString();
    const status = {
      phase,
      ...(ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] }),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime }],
    };
    await this.pods.patch(name, { status }, { type: 'merge', subresource: 'status' });
  }

  get pods(): ReturnType<typeof this.world.client.resource<Pod>> {
    return this.world.client.resource<Pod>('v1', 'pods', { namespace: NAMESPACE });
  }

  /** Waits until what is read has the wanted value. */
  async eventually<T>(read: () => Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
    let value = await read();
    await this.world.until('the wanted state', async () => {
      value = await read();
      return isWanted(value);
    });
    return value;
  }
}
