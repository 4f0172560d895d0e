import type { WaitOptions } from '../cache/informer/handlers/handler-registration.ts';
import { is, optionsOf } from '../kernel/options/options-schema.ts';
import { consoleLogger } from '../kernel/report/console-logger.ts';
import { realRuntime } from '../kernel/time/real-runtime.ts';
import type { Runtime } from '../kernel/time/runtime.ts';
import { API_SERVER, type ApiServerOptions } from '../server/api/api-server-options.ts';
import { ApiServer } from './server/api-server.ts';
import { ClusterControllers, type ClusterInspection } from './cluster-controllers.ts';
import { clusterNodes, clusterPods, type ClusterNodes, type ClusterPods } from './cluster-nodes.ts';
import type { ContainerRules } from './life/containers/container-rules.ts';
import type { NodeLife } from './life/node-life.ts';
import type { NodeList } from './life/nodes/node-options.ts';
import { clusterKinds } from './metrics/metrics-kinds.ts';
import { untilSettled } from './until-settled.ts';
import { selectedControllers, type ControllerSelection } from './cluster-controller-names.ts';

/**
 * The options of an `ApiServer`, and which controllers work in the cluster.
 *
 * @experimental
 */
export interface ClusterOptions extends Omit<ApiServerOptions, 'serviceAccountAdmission'> {
  /** `workloads`: pods run, and Deployments get them. @defaultValue 'all' */
  readonly controllers?: ControllerSelection | undefined;
  /** The nodes whose kubelets run pods, where `kubelet` is among the controllers: their number, or what they are like. @defaultValue 1 */
  readonly nodes?: NodeList | undefined;
  /**
   * The behaviour of containers: rules, of which the first one that matches is taken, or a function.
   * @defaultValue each starts within half a second, is ready then, and runs until it is stopped; known commands such as `sleep 5` do as they say
   */
  readonly containers?: ContainerRules | undefined;
}

const { serviceAccountAdmission: _, ...SERVER_RULES } = API_SERVER.rules;
const OPTIONS = optionsOf<ClusterOptions>()('startCluster', {
  ...SERVER_RULES,
  controllers: is.anything(),
  nodes: is.anything(),
  containers: is.anything(),
});

/**
 * An API server with the controllers of a cluster at work in it. An `ApiServer` alone is a kube-apiserver alone: owned objects stay when
 * their owner goes, a deleted namespace is never empty, a deleted claim stays, a new quota limits nothing, and there are no service accounts.
 *
 * | controller | what it does |
 * |---|---|
 * | `garbage-collector` | deletes objects whose owners are gone: in the background, in the foreground, as orphans |
 * | `namespace` | deletes the content of a deleted namespace, and then the namespace |
 * | `resourcequota` | writes the status of ResourceQuotas: their limits, and what the objects of their namespaces use |
 * | `pvc-protection` | lets a deleted claim go when no pod on a node uses it; a pod that has ended does |
 * | `pv-protection` | lets a deleted volume go when its phase is not `Bound` |
 * | `volumeattributesclass-protection` | lets a deleted class of volume attributes go when no claim and no volume names it |
 * | `service-account` | keeps the account `default` and the config map `kube-root-ca.crt` in each namespace, fills secrets of tokens; pods get their account, its token and its pull secrets |
 *
 * With `controllers: 'workloads'` also these work, each from the first object on that concerns it:
 *
 * | controller | what it does |
 * |---|---|
 * | `deployment`, `replicaset`, `replicationcontroller` | keep the pods of their objects, and roll them out |
 * | `scheduler` | assigns pods to nodes, with kube-scheduler's rules and words |
 * | `kubelet` | registers `nodes`, and runs their pods as a model: `containers` says what their containers do; what they use is in `metrics.k8s.io` |
 * | `endpoint`, `endpointslice` | the addresses of the pods of a Service |
 * | `service-load-balancer`, `ingress-address` | give Services of type LoadBalancer and Ingresses an address |
 * | `node-lifecycle`, `taint-eviction`, `pod-garbage-collector` | notice lost nodes, evict their pods, and delete pods without a node |
 * | `clusterrole-aggregation` | fills roles that are made of others |
 *
 * Guarantees:
 * - The controllers are clients of the server, in the process and without a socket: all that they know is in its objects, so they may be
 *   stopped at any time, and others go on where they were.
 * - They work in the `runtime` of the server, so a whole cluster runs in virtual time.
 * - `close` ends the controllers first, and then the server.
 *
 * Not guaranteed: that a controller has done its work when a request has been answered. Wait for the state, as on any cluster:
 * `client.resource(…).wait(name, condition)`.
 *
 * Memory: the metadata of every object once more, an entry of the graph for each object and each owner that is named, and 500 owners that
 * are known not to exist. Once there is a ResourceQuota, also the pods, services and claims.
 *
 * @example
 * await using cluster = await startCluster();
 * await cluster.server.listen();
 * await using client = await connect(cluster.server.clientConfig());
 * await client.resource('apps/v1', 'deployments', { namespace: 'shop' }).delete('web', { propagationPolicy: 'Foreground' });
 * @experimental
 */
export class Cluster implements AsyncDisposable {
  readonly server: ApiServer;
  /** Faults and drains of nodes. */
  readonly nodes: ClusterNodes;
  /** Crashes of containers. */
  readonly pods: ClusterPods;
  readonly #runtime: Runtime;
  readonly #controllers: ClusterControllers;

  /** Use `startCluster`. */
  constructor(options: ClusterOptions) {
    const { controllers, nodes, containers, ...serverOptions } = OPTIONS.read(options);
    const { runtime = realRuntime, logger = consoleLogger } = serverOptions;
    const selected = selectedControllers(controllers);
    const serviceAccountAdmission = selected.has('service-account');
    const kinds = clusterKinds(selected, serverOptions.kinds);
    this.server = new ApiServer({ ...serverOptions, kinds, serviceAccountAdmission });
    this.#controllers = new ClusterControllers({
      server: this.server,
      controllers: selected,
      nodes,
      containers,
      runtime,
      logger,
    });
    this.#runtime = runtime;
    const life = (): NodeLife => this.#controllers.life;
    this.nodes = clusterNodes({ runtime, life, client: () => this.#controllers.client });
    this.pods = clusterPods({ life });
  }

  /** @internal */
  async start(): Promise<void> {
    await this.#controllers.start();
  }

  /** The pending work of the controllers. */
  inspect(): ClusterInspection {
    return this.#controllers.inspect();
  }

  /**
   * Resolves when nothing is about to happen: no controller has work, no pod waits to be placed or to become ready, and nothing was
   * written for 50 ms. A pod that no node fits, a container that never becomes ready, and deadlines are no work.
   * @throws {ListwatchError} code TIMEOUT naming the work that is left; the reason of the signal.
   */
  async settled(options?: WaitOptions): Promise<void> {
    const settling = {
      runtime: this.#runtime,
      pending: () => this.#controllers.pending(),
      revision: async () => (await this.server.inspect()).revision,
    };
    await untilSettled(settling, options);
  }

  /** Stops the controllers, and then the server. May be called again. */
  async close(): Promise<void> {
    await this.#controllers[Symbol.asyncDispose]();
    await this.server.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * Starts an API server with the controllers of a cluster. It does not listen on a port before `cluster.server.listen()`.
 * @throws {ListwatchError} code INVALID_OPTION; the error of a store that cannot be reached.
 * @experimental
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = new Cluster(options);
  try {
    await cluster.start();
  } catch (error) {
    await cluster.close();
    throw error;
  }
  return cluster;
}
