import { SharedInformerFactory } from '../cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../client/rest/client.ts';
import { expensiveChecksEnabled } from '../kernel/failure/assert.ts';
import type { ObjectMeta } from '../meta/object.ts';
import { adminUser } from '../server/registry/contract/user-info.ts';
import { ingressAddresses } from './addresses/ingress-addresses.ts';
import { loadBalancers } from './addresses/load-balancers.ts';
import type { ClusterController } from './cluster-controller-names.ts';
import { deployments } from './deployments/deployment-controller.ts';
import { rolloutInspection, type RolloutInspection } from './deployments/rollout-inspection.ts';
import { endpointSlices } from './endpoints/slices/slices-controller.ts';
import { mirroredEndpointSlices } from './endpoints/slices/mirroring-controller.ts';
import { endpoints } from './endpoints/endpoints-controller.ts';
import type { ContainerRules } from './life/containers/container-rules.ts';
import { NodeLife, type NodeLifeInspection } from './life/node-life.ts';
import type { NodeList } from './life/nodes/node-options.ts';
import { nodeLifecycle } from './nodes/node-lifecycle.ts';
import { podGarbage } from './nodes/pod-garbage.ts';
import { taintEviction } from './nodes/taint-eviction.ts';
import { replicaSets, replicationControllers } from './replicas/replica-controller.ts';
import { clusterClient, WITHIN_PROCESS } from './resources/cluster-client.ts';
import type { ClusterPart, ClusterParts } from './resources/cluster-parts.ts';
import { DeferredPart } from './resources/deferred-part.ts';
import type { ResourceMonitors } from './resources/resource-monitors.ts';
import type { WorkloadParts } from './resources/workload-parts.ts';
import { aggregatedRoles } from './roles/role-aggregation.ts';
import { Scheduler, type SchedulerInspection } from './scheduling/scheduler.ts';
import type { ApiServer } from './server/api-server.ts';

export interface WorkloadOptions extends ClusterParts {
  readonly server: ApiServer;
  /** Calls in the name of kube-controller-manager. */
  readonly client: Client;
  readonly monitors: ResourceMonitors;
  readonly controllers: ReadonlySet<ClusterController>;
  readonly nodes?: NodeList | undefined;
  readonly containers?: ContainerRules | undefined;
}

/** The state of the parts that make workloads run; one that has not begun is left out. */
export interface WorkloadInspection {
  readonly scheduler?: SchedulerInspection | undefined;
  readonly nodes?: NodeLifeInspection | undefined;
  /** Of the Deployments. */
  readonly rollouts?: readonly RolloutInspection[] | undefined;
}

interface Workload {
  readonly name: ClusterController;
  /** The first object of these resources begins its work. */
  readonly resources: readonly string[];
  readonly concerns?: (metadata: ObjectMeta) => boolean;
  readonly make: (parts: WorkloadParts) => ClusterPart;
}

const SERVICES = { resources: ['services'], concerns: isOfUser };

const WORKLOADS: readonly Workload[] = [
  {
    name: 'clusterrole-aggregation',
    resources: ['clusterroles.rbac.authorization.k8s.io'],
    make: aggregatedRoles,
  },
  {
    name: 'replicationcontroller',
    resources: ['replicationcontrollers'],
    make: replicationControllers,
  },
  { name: 'replicaset', resources: ['replicasets.apps'], make: replicaSets },
  { name: 'deployment', resources: ['deployments.apps'], make: deployments },
  { name: 'endpoint', ...SERVICES, make: endpoints },
  { name: 'endpointslice', ...SERVICES, make: endpointSlices },
  {
    name: 'endpointslice-mirroring',
    resources: ['endpoints'],
    concerns: isOfUser,
    make: mirroredEndpointSlices,
  },
  { name: 'service-load-balancer', ...SERVICES, make: loadBalancers },
  { name: 'ingress-address', resources: ['ingresses.networking.k8s.io'], make: ingressAddresses },
  { name: 'node-lifecycle', resources: ['nodes'], make: nodeLifecycle },
  { name: 'taint-eviction', resources: ['pods'], make: taintEviction },
  { name: 'pod-garbage-collector', resources: ['pods'], make: (parts) => podGarbage(parts) },
];

/** Every server has its own Service, which selects no pods. */
function isOfUser({ name, namespace }: ObjectMeta): boolean {
  return name !== 'kubernetes' || namespace !== 'default';
}

/**
 * The parts of a cluster that make its workloads run: controllers, a scheduler, the kubelets of its nodes. They share their informers, and
 * all but the kubelets begin with the first object that concerns them.
 */
export class Workloads implements ClusterPart {
  readonly #clients: Client[] = [];
  readonly #informers: SharedInformerFactory;
  readonly #parts: ClusterPart[] = [];
  readonly #awake = new Set<ClusterController>();
  readonly #life: NodeLife | undefined;
  #scheduler: Scheduler | undefined;

  /** To be made before the monitors start. */
  constructor(options: WorkloadOptions) {
    const { client, monitors, controllers, nodes, containers, runtime, logger } = options;
    // Only their own code reads these objects, and specs freeze them.
    const freeze = expensiveChecksEnabled();
    const informers = { name: 'cluster', freeze, ...WITHIN_PROCESS, runtime, logger };
    this.#informers = new SharedInformerFactory(client, informers);
    const parts = { informers: this.#informers, runtime, logger };
    for (const { name, resources, concerns, make } of WORKLOADS) {
      if (!controllers.has(name)) continue;
      const begin = (): ClusterPart => {
        this.#awake.add(name);
        return make({ ...parts, client });
      };
      this.#parts.push(new DeferredPart({ monitors, resources, concerns, make: begin }));
    }
    if (controllers.has('scheduler')) {
      const scheduler = this.#component(options, 'kube-scheduler', 'system:kube-scheduler');
      const make = (): ClusterPart => {
        this.#scheduler = new Scheduler({ ...parts, client: scheduler });
        return this.#scheduler;
      };
      this.#parts.push(new DeferredPart({ monitors, resources: ['pods'], make }));
    }
    if (controllers.has('kubelet')) {
      const kubelet = this.#component(options, 'kubelet', 'system:node');
      const { pods } = options.server;
      this.#life = new NodeLife({ ...parts, client: kubelet, pods, nodes, containers });
      this.#parts.push(this.#life);
    }
  }

  /** The nodes of this process and their pods; undefined when there are none. */
  get life(): NodeLife | undefined {
    return this.#life;
  }

  start(): void {
    this.#informers.start();
    for (const part of this.#parts) part.start();
  }

  pending(): string | undefined {
    const all = this.#parts.flatMap((part) => part.pending?.() ?? []);
    return all.length === 0 ? undefined : all.join(', ');
  }

  inspect(): WorkloadInspection {
    const rollouts = this.#awake.has('deployment')
      ? this.#informers.for('apps/v1', 'deployments').indexer.list().map(rolloutInspection)
      : undefined;
    return { scheduler: this.#scheduler?.inspect(), nodes: this.#life?.inspect(), rollouts };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#parts.map((part) => part[Symbol.asyncDispose]()));
    await this.#informers[Symbol.asyncDispose]();
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  /** A component of a cluster has a name of its own in audit, and in managed fields. */
  #component(
    { server, runtime, logger }: WorkloadOptions,
    fieldManager: string,
    userName: string,
  ): Client {
    const { handler } = server;
    const user = adminUser(userName);
    const client = clusterClient({ handler, user, fieldManager, runtime, logger });
    this.#clients.push(client);
    return client;
  }
}
