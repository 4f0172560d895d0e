import type { HandlerRegistration } from '../../cache/informer/handlers/handler-registration.ts';
import type { SharedInformerFactory } from '../../cache/informer/factory/shared-informer-factory.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Node, Pod } from '../../types/built-in/core-v1-kinds.ts';
import { isPodEnded } from '../ownership/pod-activity.ts';
import type { ClusterState } from './model/cluster-state.ts';
import { type NodeFacts, nodeFacts } from './model/node-info.ts';
import type { Nominations } from './nominations.ts';
import { countsTheSame, type PodFacts, podFacts, sameLabels } from './model/pod-facts.ts';
import type { SchedulingQueue } from './scheduling-queue.ts';

/** The pods with this name of a scheduler are placed. */
const SCHEDULER = 'default-scheduler';

export interface ClusterWatchOptions {
  readonly informers: SharedInformerFactory;
  readonly state: ClusterState;
  readonly queue: SchedulingQueue;
  readonly nominations: Nominations;
  readonly onPodGone: () => void;
}

/**
 * Keeps the state of the cluster and the queue up to date, and wakes the pods that a change may help.
 * @see pkg/scheduler/eventhandlers.go @ v1.37.2
 */
export class ClusterWatch implements AsyncDisposable {
  readonly #options: ClusterWatchOptions;
  #registrations: readonly HandlerRegistration[] = [];

  constructor(options: ClusterWatchOptions) {
    this.#options = options;
  }

  /** Resolves when all nodes and pods are known. */
  async start(signal: AbortSignal): Promise<void> {
    const { informers } = this.#options;
    const nodes = informers.for('v1', 'nodes').addHandler({
      onAdd: (node: Stored<Node>) => this.#nodeIs(node),
      onUpdate: (_old: Stored<Node>, node: Stored<Node>) => this.#nodeIs(node),
      onDelete: (node: Stored<Node>) => this.#nodeGone(node),
    });
    const pods = informers.for('v1', 'pods').addHandler({
      onAdd: (pod: Stored<Pod>) => this.#podIs(undefined, pod),
      onUpdate: (old: Stored<Pod>, pod: Stored<Pod>) => {
        if (old.metadata.uid !== pod.metadata.uid) this.#podGone(old.metadata.uid);
        this.#podIs(old, pod);
      },
      onDelete: ({ metadata }: Stored<Pod>) => this.#podGone(metadata.uid),
    });
    this.#registrations = [nodes, pods];
    await Promise.all([nodes.whenSynced({ signal }), pods.whenSynced({ signal })]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#registrations.map((one) => one.close()));
  }

  #nodeIs(node: Stored<Node>): void {
    const { state, queue } = this.#options;
    const { name } = node.metadata;
    const before = state.node(name)?.facts;
    const after = nodeFacts(node);
    if (before !== undefined && isSameNode(before, after)) return;
    state.setNode(node);
    queue.changed({ kind: 'node', name, before, after });
  }

  #nodeGone({ metadata: { name } }: Stored<Node>): void {
    const { state, queue } = this.#options;
    const before = state.node(name)?.facts;
    state.removeNode(name);
    queue.changed({ kind: 'node', name, before, after: undefined });
  }

  #podIs(old: Stored<Pod> | undefined, pod: Stored<Pod>): void {
    const { uid } = pod.metadata;
    const node = pod.spec?.nodeName;
    if (isPodEnded(pod)) this.#podGone(uid);
    else if (node) this.#podOnNode(old, pod, node);
    else if (pod.spec?.schedulerName === SCHEDULER) this.#podWaits(old, pod);
  }

  #podWaits(old: Stored<Pod> | undefined, pod: Stored<Pod>): void {
    const { state, queue, nominations } = this.#options;
    const facts = podFacts(pod);
    if (state.isAssumed(facts.uid)) {
      queue.update({ pod, facts });
      return;
    }
    // A node that was cleared a moment ago is not in the status yet.
    const node = pod.status?.nominatedNodeName ?? '';
    const isOther = node !== (old?.status?.nominatedNodeName ?? '');
    nominations.set(facts, isOther ? node : (nominations.nodeOf(facts.uid) ?? ''));
    queue.add({ pod, facts });
  }

  #podOnNode(old: Stored<Pod> | undefined, pod: Stored<Pod>, node: string): void {
    const { state, queue, nominations } = this.#options;
    const { uid } = pod.metadata;
    const known = state.pod(uid);
    if (known !== undefined && old !== undefined && countsTheSame(old, pod)) return;
    if (known === undefined || state.isAssumed(uid)) {
      queue.delete(uid);
      nominations.delete(uid);
    }
    const isAsAssumed = state.confirm(uid, node) && known !== undefined && !isChanged(known, pod);
    const facts = isAsAssumed ? known : podFacts(pod);
    if (!isAsAssumed) state.place(facts, node);
    if (known === undefined || isAsAssumed) queue.changed({ kind: 'pod-placed', pod: facts });
    else this.#podChanged(known, facts);
  }

  #podChanged(before: PodFacts, now: PodFacts): void {
    const { queue } = this.#options;
    const isLess =
      now.requests.cpu < before.requests.cpu || now.requests.memory < before.requests.memory;
    if (isLess) queue.changed({ kind: 'pod-gone', pod: before });
    if (before.deleting !== now.deleting || !sameLabels(before.labels, now.labels)) {
      queue.changed({ kind: 'pod-labels', pod: now });
    }
  }

  #podGone(uid: string): void {
    const { state, queue, nominations } = this.#options;
    queue.delete(uid);
    nominations.delete(uid);
    const gone = state.remove(uid);
    this.#options.onPodGone();
    if (gone !== undefined) queue.changed({ kind: 'pod-gone', pod: gone });
  }
}

function isChanged(known: PodFacts, { metadata }: Stored<Pod>): boolean {
  const isDeleting = metadata.deletionTimestamp !== undefined;
  return known.deleting !== isDeleting || !sameLabels(known.labels, metadata.labels);
}

/** Heartbeats change nothing that counts here. */
function isSameNode(before: NodeFacts, after: NodeFacts): boolean {
  const shown = ({ taints, unschedulable, allocatable }: NodeFacts): string =>
    JSON.stringify([taints, unschedulable, allocatable, [...allocatable.others]]);
  return sameLabels(before.labels, after.labels) && shown(before) === shown(after);
}
