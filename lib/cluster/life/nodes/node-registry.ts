import type { SharedIndexInformer } from '../../../cache/informer/shared-index-informer.ts';
import { RateLimitingQueue } from '../../../controller/workqueue/rate-limiting-queue.ts';
import { ReconcileLoop, type ReconcileResult } from '../../../controller/runtime/reconcile-loop.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { randomUuid } from '../../../kernel/time/random.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../../meta/failure/failures.ts';
import { isOlder } from '../../../meta/versions/version-order.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { Node } from '../../../types/built-in/core-v1-kinds.ts';
import type { EventSink } from '../../../controller/events/event-sink.ts';
import type { WorkloadParts } from '../../resources/workload-parts.ts';
import type { LifeClock } from '../clock/life-clock.ts';
import { amountOf } from './node-fit.ts';
import { NodeAddresses } from './node-addresses.ts';
import { NodeHeartbeats, type HeartbeatMode } from './node-heartbeats.ts';
import { nodeConditions, nodeLabels, nodeObject, nodeStatus } from './node-object.ts';
import type { NodeModel } from './node-options.ts';
import { NodeState, type NodePhase } from './node-state.ts';

export interface NodeRegistryOptions extends WorkloadParts {
  readonly models: readonly NodeModel[];
  readonly heartbeats: HeartbeatMode;
  readonly clock: LifeClock;
  readonly events: EventSink;
  /** A node has begun to work, or has stopped. */
  readonly onChange: (node: NodeState) => void;
}

const WORKERS = 16;
/** A node gets it when it is created, until it is ready. */
const NOT_READY = 'node.kubernetes.io/not-ready';

/**
 * Registers the nodes, and keeps them as their kubelets do: each has an object whose status is that of a healthy node while it runs, and a
 * lease. The taint that a new node has until it is ready is taken away with its registration.
 */
export class NodeRegistry {
  readonly #options: NodeRegistryOptions;
  readonly #nodes = new Map<string, NodeState>();
  readonly #queue: RateLimitingQueue;
  readonly #informer: SharedIndexInformer<Node>;
  readonly #heartbeats: NodeHeartbeats;
  readonly #bootIDs = new Map<string, string>();
  #version = '';

  constructor(options: NodeRegistryOptions) {
    const { models, informers, client, runtime, logger, clock, heartbeats } = options;
    this.#options = options;
    const addresses = new NodeAddresses();
    for (const model of models) {
      const pods = addresses.range(amountOf('pods', model.capacity['pods'] ?? 0));
      const state = new NodeState(model, addresses.ofNode(model.index), pods);
      this.#nodes.set(model.name, state);
      this.#bootIDs.set(model.name, randomUuid(runtime));
    }
    this.#queue = new RateLimitingQueue({ name: 'nodes of the cluster', runtime, logger });
    this.#informer = informers.for<Node>('v1', 'nodes');
    const mode = heartbeats;
    this.#heartbeats = new NodeHeartbeats({ client, runtime, logger, clock, mode });
  }

  get(name: string): NodeState | undefined {
    return this.#nodes.get(name);
  }

  all(): Iterable<NodeState> {
    return this.#nodes.values();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { runtime, logger } = this.#options;
    const byKey = ({ key }: { readonly key: string }): void => {
      if (this.#nodes.has(key)) this.#queue.add(key);
    };
    this.#informer.addHandler(
      { view: 'key', onAdd: byKey, onUpdate: byKey, onDelete: byKey },
      { signal },
    );
    const loop = new ReconcileLoop({
      queue: this.#queue,
      reconcile: async ({ key }, context) => await this.#reconcile(key, context.signal),
      concurrency: WORKERS,
      isExpected: isConflict,
      runtime,
      logger,
    });
    const running = loop.run({ signal });
    await this.#informer.whenSynced({ signal }).catch(() => {});
    for (const name of this.#nodes.keys()) this.#queue.add(name);
    try {
      await running;
    } finally {
      this.#heartbeats.close();
    }
  }

  /** @throws {ListwatchError} code INVALID_OPTION for a name that is none of a node. */
  async fail(name: string): Promise<void> {
    const state = this.#named(name);
    if (state.phase !== 'running' && state.phase !== 'starting') return;
    const wasRunning = state.phase === 'running';
    this.#become(state, 'failed');
    if (wasRunning) await this.#heartbeats.fail(name);
  }

  /** Starts the kubelet again, also that of a node that was deleted. @throws {ListwatchError} code INVALID_OPTION. */
  recover(name: string): void {
    const state = this.#named(name);
    if (state.phase === 'running' || state.phase === 'starting') return;
    this.#bootIDs.set(name, randomUuid(this.#options.runtime));
    this.#become(state, 'starting');
    this.#queue.add(name);
  }

  #named(name: string): NodeState {
    const state = this.#nodes.get(name);
    if (state !== undefined) return state;
    const names = [...this.#nodes.keys()].slice(0, 5).join(', ') || 'none';
    throw new ListwatchError(
      'INVALID_OPTION',
      `there is no node ${JSON.stringify(name)} in this cluster; its nodes are: ${names}`,
    );
  }

  #become(state: NodeState, phase: NodePhase): void {
    state.phase = phase;
    this.#options.onChange(state);
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    const state = this.#named(name);
    const cached = this.#informer.indexer.get(name);
    if (state.phase === 'starting') {
      await this.#register(state, cached, signal);
      return {};
    }
    if (state.phase !== 'running') return {};
    if (cached === undefined) {
      // Its own creation may not have come yet.
      if (!(await this.#isGone(name, signal))) return {};
      this.#heartbeats.forget(name);
      this.#become(state, 'deleted');
      return {};
    }
    const known = state.node?.metadata?.resourceVersion;
    if (known !== undefined && isOlder(cached.metadata.resourceVersion, known)) return {};
    state.node = cached;
    const { bootID } = cached.status?.nodeInfo ?? {};
    // Somebody has made it anew.
    if (!bootID) await this.#register(state, cached, signal);
    else if (bootID === this.#bootIDs.get(name)) await this.#keepReady(state, cached, signal);
    else this.#replaced(state, cached);
    return {};
  }

  #replaced(state: NodeState, node: Node): void {
    const { events, logger } = this.#options;
    const { name } = state;
    const note = `Node ${name} is run by another process: this one has stopped it`;
    logger.warn('a node is run by another process, and was stopped here', { node: name });
    this.#heartbeats.forget(name);
    events.event(node, { type: 'Warning', reason: 'NodeReplaced', note });
    this.#become(state, 'replaced');
  }

  async #register(
    state: NodeState,
    cached: Stored<Node> | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, clock, runtime, events } = this.#options;
    const { name, model } = state;
    const nodes = client.resource<Node>('v1', 'nodes', { signal });
    this.#version ||= (await client.version({ signal })).gitVersion;
    const facts = {
      model,
      address: state.address,
      podCIDR: state.pods.cidr,
      version: this.#version,
      bootID: this.#bootIDs.get(name) ?? '',
      machineID: cached?.status?.nodeInfo?.machineID ?? randomUuid(runtime),
      nowMs: clock.nowMs(),
    };
    let node = cached ?? (await created(nodes.create(nodeObject(facts))));
    node ??= await nodes.get(name);
    if (node.status?.nodeInfo?.bootID !== facts.bootID) {
      const status = { ...nodeStatus(facts), conditions: undefined };
      const conditions = nodeConditions(facts.nowMs, node.status?.conditions);
      const labels = nodeLabels(model);
      await nodes.patch(name, { metadata: { labels } }, { type: 'strategic' });
      const patch = { status: { ...status, conditions } };
      node = await nodes.patch(name, patch, { type: 'strategic', subresource: 'status' });
    }
    node = await this.#untaint(node, signal);
    state.node = node;
    if (!(await this.#beat(state, node, signal))) return;
    events.event(node, { reason: 'Starting', note: 'Starting kubelet.' });
    if (state.phase !== 'running') this.#become(state, 'running');
  }

  /** Begins its heartbeats; resolves to whether it lives: it may have been made to fail meanwhile. */
  async #beat(state: NodeState, node: Node, signal: AbortSignal): Promise<boolean> {
    await this.#heartbeats.begin(node, signal);
    if (state.phase === 'starting' || state.phase === 'running') return true;
    await this.#heartbeats.fail(state.name);
    return false;
  }

  async #untaint(node: Stored<Node>, signal: AbortSignal): Promise<Stored<Node>> {
    const taints = node.spec?.taints ?? [];
    const left = taints.filter(({ key }) => key !== NOT_READY);
    if (left.length === taints.length) return node;
    const { name, resourceVersion } = node.metadata;
    const nodes = this.#options.client.resource<Node>('v1', 'nodes', { signal });
    const spec = { taints: left.length === 0 ? null : left };
    return await nodes.patch(name, { metadata: { resourceVersion }, spec });
  }

  /** Somebody has written that it is not ready, e.g. while it had failed. */
  async #keepReady(state: NodeState, node: Stored<Node>, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    const present = node.status?.conditions ?? [];
    const conditions = nodeConditions(clock.nowMs(), present);
    const isWrong = conditions.some(({ type, status }) => {
      const old = present.find((one) => one.type === type);
      return old?.status !== status;
    });
    if (!isWrong) return;
    if (!(await this.#beat(state, node, signal))) return;
    const nodes = client.resource<Node>('v1', 'nodes', { signal });
    const options = { type: 'strategic', subresource: 'status' } as const;
    state.node = await nodes.patch(state.name, { status: { conditions } }, options);
  }

  async #isGone(name: string, signal: AbortSignal): Promise<boolean> {
    const nodes = this.#options.client.resource<Node>('v1', 'nodes', { signal });
    try {
      await nodes.get(name);
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }
}

/** Undefined if it exists already. */
async function created(call: Promise<Stored<Node>>): Promise<Stored<Node> | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}
