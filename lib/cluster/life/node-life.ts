import type { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import type { EventRecorder } from '../../controller/events/event-recorder.ts';
import type { NewEvent } from '../../controller/events/event-sink.ts';
import { ReconcileLoop, type ReconcileResult } from '../../controller/runtime/reconcile-loop.ts';
import { RateLimitingQueue } from '../../controller/workqueue/rate-limiting-queue.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';
import type { PodHandlers } from '../../server/api/pods/pod-handlers.ts';
import type { Pod } from '../../types/built-in/core-v1-kinds.ts';
import { clusterEvents } from '../resources/cluster-events.ts';
import type { ClusterPart } from '../resources/cluster-parts.ts';
import type { WorkloadParts } from '../resources/workload-parts.ts';
import { isAlive } from './containers/container-life.ts';
import { ContainerBehaviours, type ContainerRules } from './containers/container-rules.ts';
import type { Delay } from './containers/delays.ts';
import { ImageNames } from './containers/image-names.ts';
import { LifeClock } from './clock/life-clock.ts';
import type { HeartbeatMode } from './nodes/node-heartbeats.ts';
import { nodeModels, type NodeList } from './nodes/node-options.ts';
import { NodeRegistry } from './nodes/node-registry.ts';
import type { NodePhase, NodeState } from './nodes/node-state.ts';
import type { LifePod } from './pods/life-pod.ts';
import { PodAgent } from './pods/pod-agent.ts';
import { PodSupplies } from './pods/pod-supplies.ts';
import { PodConnections } from './pods/pod-connections.ts';
import type { PodParts } from './pods/pod-containers.ts';

/** Which events of pods and nodes are written. */
export type LifeEvents = 'all' | 'warnings' | 'none';

export interface NodeLifeOptions extends WorkloadParts {
  /** Those of the server: logs, commands and ports of the pods are answered, and the server leaves the end of deleted pods to their nodes. */
  readonly pods?: Pick<PodHandlers, 'useNodes'> | undefined;
  /** @defaultValue 1 */
  readonly nodes?: NodeList | undefined;
  /** The behaviour of containers. @defaultValue they start, become ready, and run until they are stopped */
  readonly containers?: ContainerRules | undefined;
  /** From the turn of a container until it runs. @defaultValue 50 to 500 ms */
  readonly startsAfterMs?: Delay | undefined;
  /** The pull of an image that a node does not have. @defaultValue 100 to 400 ms */
  readonly pullsAfterMs?: Delay | undefined;
  /** @defaultValue 'lazy' */
  readonly heartbeats?: HeartbeatMode | undefined;
  /** @defaultValue 'all' */
  readonly events?: LifeEvents | undefined;
}

export interface CrashOptions {
  readonly namespace: string;
  readonly name: string;
  /** @defaultValue the first one */
  readonly container?: string | undefined;
  /** @defaultValue 1 */
  readonly exitCode?: number | undefined;
}

export interface NodeInspection {
  readonly name: string;
  readonly phase: NodePhase;
  /** Its pods by phase. */
  readonly pods: Readonly<Record<string, number>>;
}

export interface NodeLifeInspection {
  readonly nodes: readonly NodeInspection[];
  /** The pods of all nodes, by what a user sees of them: Running, ContainerCreating, CrashLoopBackOff … */
  readonly pods: Readonly<Record<string, number>>;
  /** Pods that are worked on, or wait for it. */
  readonly working: number;
  /** Pods for which something is due later. */
  readonly waiting: number;
}

const CRASH = optionsOf<CrashOptions>()('crash', {
  namespace: is.text().required,
  name: is.text().required,
  container: is.text(),
  exitCode: is.integer({ min: 0, max: 255 }).default(1),
});
const WORKERS = 64;
/** A deadline of a pod within this time is about to come. */
const NEAR_MS = 5000;
/** The pods that are bound to a node. */
const BY_NODE = 'life: node';
const nodeNames = ({ spec }: Pod): string[] => (spec?.nodeName ? [spec.nodeName] : []);
const DEFAULT_START: Delay = { min: 50, max: 500 };
const DEFAULT_PULL: Delay = { min: 100, max: 400 };

/**
 * The nodes of a cluster, each with a model of a kubelet: it registers, takes the pods that are bound to it, starts, probes, restarts and ends
 * their containers, and writes their status.
 *
 * Guarantees:
 * - Only the next deadline of a pod has a timer; in a cluster in which nothing is due, nothing runs. See `HeartbeatMode` for leases.
 * - A pod with one container, whose image is there within a second, becomes ready with one write of its status. It ends with two: its last
 *   status, and the deletion without grace.
 * - A status that somebody else wrote over that of the node is written again, once for each such write. A phase that is final stays.
 * - A function of a container cannot break anything: what it throws is the end of its container.
 *
 * The pods of a node whose object is deleted stay as they are until the collector of pods deletes them.
 */
export class NodeLife implements ClusterPart {
  readonly #options: NodeLifeOptions;
  readonly #parts: PodParts;
  readonly #nodes: NodeRegistry;
  readonly #supplies: PodSupplies;
  readonly #events: EventRecorder;
  readonly #informer: SharedIndexInformer<Pod>;
  readonly #queue: RateLimitingQueue;
  readonly #agents = new Map<string, PodAgent>();
  readonly #stop = new AbortController();
  #connection: Disposable | undefined;
  #running: Promise<unknown> | undefined;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: NodeLifeOptions) {
    const { client, informers, runtime, logger, heartbeats = 'lazy' } = options;
    const { startsAfterMs = DEFAULT_START, pullsAfterMs = DEFAULT_PULL } = options;
    this.#options = options;
    const behaviours = new ContainerBehaviours(options.containers);
    const models = nodeModels(options.nodes);
    const clock = new LifeClock(runtime);
    const images = new ImageNames();
    this.#parts = { runtime, clock, behaviours, images, startsAfterMs, pullsAfterMs };
    this.#events = clusterEvents(client, 'kubelet', { runtime, logger });
    const events = {
      event: (...event: Parameters<EventRecorder['event']>) => this.#event(...event),
    };
    const onChange = (node: NodeState): void => this.#nodeChanged(node);
    this.#nodes = new NodeRegistry({ ...options, models, heartbeats, clock, events, onChange });
    this.#queue = new RateLimitingQueue({ name: 'pods of the nodes', runtime, logger });
    const onSupply = (key: string): void => this.#queue.add(key);
    this.#supplies = new PodSupplies({ client, informers, onSupply });
    this.#informer = informers.for<Pod>('v1', 'pods', { indexers: { [BY_NODE]: nodeNames } });
  }

  start(): void {
    this.#connection ??= this.#options.pods?.useNodes(
      new PodConnections(this.#agents, this.#nodes, this.#options.runtime),
    );
    this.#running ??= this.#run();
  }

  /** The kubelet of a node stops: nothing on it changes any more, and it sends no heartbeats. @throws {ListwatchError} code INVALID_OPTION. */
  async fail(name: string): Promise<void> {
    await this.#nodes.fail(name);
  }

  /** The kubelet of a node starts again; that of a node that was deleted registers it anew. @throws {ListwatchError} code INVALID_OPTION. */
  recover(name: string): void {
    this.#nodes.recover(name);
  }

  /** A container ends now. @throws {ListwatchError} code INVALID_OPTION when no node runs it. */
  crash(options: CrashOptions): void {
    const { namespace, name, container, exitCode } = CRASH.read(options);
    const agent = this.#agents.get(`${namespace}/${name}`);
    const named = container ?? agent?.pod.spec.containers[0]?.name ?? '';
    const life = agent?.containers.lives.find((one) => one.name === named);
    if (agent === undefined || life === undefined || !isAlive(life)) {
      const which = container === undefined ? '' : `the container ${container} of `;
      throw new ListwatchError(
        'INVALID_OPTION',
        `${which}the pod ${namespace}/${name} does not run on a node of this cluster; wait until it does`,
      );
    }
    agent.containers.crash(named, exitCode);
  }

  inspect(): NodeLifeInspection {
    const pods: Record<string, number> = {};
    const byNode = new Map<string, Record<string, number>>();
    for (const agent of this.#agents.values()) {
      pods[agent.state] = (pods[agent.state] ?? 0) + 1;
      const phases = byNode.get(agent.node.name) ?? {};
      const { phase = 'Pending' } = agent.pod.status ?? {};
      phases[phase] = (phases[phase] ?? 0) + 1;
      byNode.set(agent.node.name, phases);
    }
    const nodes = [...this.#nodes.all()].map(({ name, phase }) => ({
      name,
      phase,
      pods: byNode.get(name) ?? {},
    }));
    return { nodes, pods, working: this.#queue.size, waiting: this.#queue.delayed };
  }

  /** Deadlines that are not near, such as the end of a back-off, are no pending work. */
  pending(): string | undefined {
    if ([...this.#nodes.all()].some(({ phase }) => phase === 'starting'))
      return 'nodes to register';
    const { waiting, running, delayed } = this.#queue.inspect({ limit: 1 });
    const isNear = delayed.keys.some(({ inMs }) => inMs <= NEAR_MS);
    return waiting.count + running.count > 0 || isNear ? 'changes of pods on nodes' : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#connection?.[Symbol.dispose]();
    for (const agent of this.#agents.values()) agent.end();
    this.#agents.clear();
    await this.#supplies.close();
    this.#queue.destroy();
    await this.#events.close();
  }

  async #run(): Promise<void> {
    const { runtime, logger } = this.#options;
    const { signal } = this.#stop;
    const byKey = ({ key }: { readonly key: string }): void => {
      this.#queue.add(key);
    };
    this.#informer.addHandler(
      { view: 'key', onAdd: byKey, onUpdate: byKey, onDelete: byKey },
      { signal },
    );
    const loop = new ReconcileLoop({
      queue: this.#queue,
      reconcile: async ({ key }, context) => await this.#reconcile(key, context.signal),
      name: 'kubelet',
      concurrency: WORKERS,
      runtime,
      logger,
    });
    // No address is given out before those of present pods are known.
    const begin = async (): Promise<void> => {
      await this.#informer.whenSynced({ signal });
      await this.#nodes.run(signal);
    };
    await Promise.allSettled([begin(), loop.run({ signal })]);
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const pod = this.#informer.indexer.get(key);
    let agent = this.#agents.get(key);
    if (agent !== undefined && agent.uid !== pod?.metadata.uid) {
      this.#leave(key);
      agent = undefined;
    }
    if (!isBound(pod)) return {};
    const node = this.#nodes.get(pod.spec.nodeName);
    if (node === undefined) return {};
    const pods = this.#options.client.resource<Pod>('v1', 'pods', {
      namespace: pod.metadata.namespace,
      signal,
    });
    if (node.phase === 'replaced') this.#leave(key);
    if (node.phase !== 'running') return {};
    // One that ended before this process is done, unless it is to be deleted.
    if (agent === undefined && isOver(pod)) return {};
    agent ??= this.#newAgent(key, pod, node);
    agent.observe(pod);
    return { requeueAfterMs: (await agent.sync(pods, signal)) ?? 0 };
  }

  #newAgent(key: string, pod: LifePod, node: NodeState): PodAgent {
    const agent = new PodAgent({
      parts: this.#parts,
      key,
      pod,
      node,
      supplies: this.#supplies,
      onEvent: (about, event) => this.#event(about, event),
      onFact: () => this.#queue.add(key),
    });
    this.#agents.set(key, agent);
    return agent;
  }

  #leave(key: string): void {
    this.#agents.get(key)?.end();
    this.#agents.delete(key);
  }

  #nodeChanged({ name, pods }: NodeState): void {
    for (const pod of this.#informer.indexer.byIndex(BY_NODE, name)) {
      const { podIP } = pod.status ?? {};
      const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
      if (podIP !== undefined && !this.#agents.has(key) && isBound(pod) && !isOver(pod)) {
        pods.reserve(podIP);
      }
      this.#queue.add(key);
    }
  }

  #event(object: KubernetesObject, event: NewEvent): void {
    const { events = 'all' } = this.#options;
    if (events === 'none' || (events === 'warnings' && event.type !== 'Warning')) return;
    this.#events.event(object, event);
  }
}

function isOver({ metadata, status }: LifePod): boolean {
  const { deletionTimestamp } = metadata as NonNullable<Pod['metadata']>;
  const isFinal = status?.phase === 'Failed' || status?.phase === 'Succeeded';
  return isFinal && deletionTimestamp === undefined;
}

function isBound(
  pod: Stored<Pod> | undefined,
): pod is LifePod & { readonly spec: { readonly nodeName: string } } {
  return (pod?.spec?.nodeName ?? '') !== '';
}
