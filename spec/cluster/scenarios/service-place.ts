import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import type { ObjectMeta } from '../../../lib/meta/object.ts';
import type {
  ClusterRole,
  Endpoints,
  EndpointSlice,
  EndpointSubset,
  Node,
  Pod,
  PodSpec,
  Service,
  ServiceSpec,
} from '../../../lib/types/index.ts';
import { canonical } from '../../compare/normalise.ts';
import type { Json, ScenarioWorld } from './scenario-world.ts';

const LOOK_EVERY_MS = 1000;
/** Longer than kube-controller-manager waits after a change of a slice. */
const QUIET_MS = 4000;
const GIVE_UP_MS = 60_000;
const LAST_CHANGE = 'endpoints.kubernetes.io/last-change-trigger-time';
const ZONE = 'topology.kubernetes.io/zone';

export interface PodForm {
  readonly labels?: Record<string, string>;
  readonly spec?: Partial<PodSpec>;
  readonly ips?: readonly string[];
  readonly ready?: boolean;
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
}

/** Services of a scenario, pods whose states it writes itself, and two nodes in two zones. */
export class ServicePlace {
  readonly world: ScenarioWorld;
  readonly services: ResourceClient<Service>;
  readonly endpoints: ResourceClient<Endpoints>;
  readonly slices: ResourceClient<EndpointSlice>;
  readonly pods: ResourceClient<Pod>;
  readonly roles: ResourceClient<ClusterRole>;
  readonly #nodes: ResourceClient<Node>;

  constructor(world: ScenarioWorld) {
    const { client, namespace } = world;
    this.world = world;
    this.services = client.resource('v1', 'services', { namespace });
    this.endpoints = client.resource('v1', 'endpoints', { namespace });
    this.slices = client.resource('discovery.k8s.io/v1', 'endpointslices', { namespace });
    this.pods = client.resource('v1', 'pods', { namespace });
    this.roles = client.resource('rbac.authorization.k8s.io/v1', 'clusterroles');
    this.#nodes = client.resource('v1', 'nodes');
  }

  node(zone: 'west' | 'east'): string {
    return `${this.world.namespace}-${zone}`;
  }

  /** Runs a scenario with its nodes, and returns what it returns, or the final state. */
  async run(work: (at: ServicePlace) => Promise<unknown>): Promise<unknown> {
    for (const zone of ['west', 'east'] as const) {
      const metadata = { name: this.node(zone), labels: { [ZONE]: zone } };
      // No pod of another scenario is placed there.
      const spec = { unschedulable: true };
      await this.#nodes.create({ apiVersion: 'v1', kind: 'Node', metadata, spec });
    }
    try {
      return (await work(this)) ?? (await this.settled());
    } finally {
      for (const zone of ['west', 'east'] as const) await this.#nodes.delete(this.node(zone));
    }
  }

  async service(
    spec: ServiceSpec = {},
    metadata: ObjectMeta = {},
    name: string = 'web',
  ): Promise<void> {
    const { labels, annotations } = metadata;
    await this.services.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, labels, annotations },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }], ...spec },
    });
  }

  async pod(name: string, form: PodForm = {}): Promise<void> {
    const { labels = { app: 'web' }, spec } = form;
    await this.pods.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels },
      spec: {
        nodeName: this.node('west'),
        containers: [{ name: 'main', image: 'web' }],
        ...spec,
      },
    });
    await this.state(name, form);
  }

  async state(name: string, { ips = [], ready = true, phase = 'Running' }: PodForm): Promise<void> {
    const lastTransitionTime = new Date(this.world.wallMs).toISOString();
    const status = {
      phase,
      ...(ips.length === 0 ? {} : { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime }],
    };
    await this.pods.patch(name, { status }, { type: 'merge', subresource: 'status' });
  }

  async write(subsets: EndpointSubset[], metadata: ObjectMeta = {}): Promise<void> {
    const { labels, annotations } = metadata;
    await this.endpoints.create({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'web', labels, annotations },
      subsets,
    });
  }

  /** The Endpoints and EndpointSlices, once they do not change any more. */
  async settled(): Promise<Json> {
    return await this.#quiet(() => this.#seen());
  }

  /** The result of a read, once it does not change any more. */
  async #quiet<T>(read: () => Promise<T>): Promise<T> {
    let last = JSON.stringify(await read());
    let sinceMs = this.world.nowMs;
    const giveUpAtMs = sinceMs + GIVE_UP_MS;
    for (;;) {
      await this.world.sleep(LOOK_EVERY_MS);
      const seen = await read();
      const text = JSON.stringify(seen);
      const { nowMs } = this.world;
      if (text !== last) [last, sinceMs] = [text, nowMs];
      if (nowMs - sinceMs > QUIET_MS) return seen;
      if (nowMs > giveUpAtMs) throw new Error('never: the endpoints are left alone');
    }
  }

  /** The rules of a role, once they do not change any more. */
  async rulesOf(role: string): Promise<unknown> {
    return await this.#quiet(async () => (await this.roles.get(role)).rules ?? []);
  }

  async #seen(): Promise<Json> {
    const [endpoints, slices] = await Promise.all([this.endpoints.list(), this.slices.list()]);
    return {
      endpoints: endpoints.items.map(({ metadata, subsets = [] }) => ({
        ...facts(metadata),
        name: metadata.name,
        // Their order, and that of equal addresses, comes from uids.
        subsets: inOrder(
          subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }) => ({
            ready: inOrder(addresses),
            notReady: inOrder(notReadyAddresses),
            ports,
          })),
        ),
      })),
      slices: inOrder(
        slices.items.map(({ metadata, addressType, ports, endpoints: all }) => ({
          ...facts(metadata),
          prefix: metadata.generateName,
          owners: metadata.ownerReferences?.map(
            ({ kind, name, controller, blockOwnerDeletion }) =>
              `${kind} ${name} ${controller} ${blockOwnerDeletion}`,
          ),
          addressType,
          ports: ports ?? [],
          // kube-controller-manager takes them out of a map.
          endpoints: inOrder(all ?? []),
        })),
      ),
    };
  }
}

function facts({ labels, annotations }: ObjectMeta): Json {
  // The time depends on how many writes a change took.
  const { [LAST_CHANGE]: _, ...others } = annotations ?? {};
  return { labels: labels ?? {}, annotations: others };
}

function inOrder<T>(all: readonly T[]): readonly T[] {
  return all.toSorted((one, other) => (canonical(one) < canonical(other) ? -1 : 1));
}
