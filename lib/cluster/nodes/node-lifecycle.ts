import { controller } from '../../controller/builder/controller-builder.ts';
import type { ControllerContext } from '../../controller/builder/run/controller-context.ts';
import { isNotFound } from '../../meta/failure/failures.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Node, Pod } from '../../types/built-in/core-v1-kinds.ts';
import type { ClusterPart } from '../resources/cluster-parts.ts';
import { runningController } from '../resources/running-controller.ts';
import { workloadOptions } from '../resources/workload-options.ts';
import type { WorkloadParts } from '../resources/workload-parts.ts';
import { EvictionPace, zoneOf, zoneState } from './eviction-zones.ts';
import { isReady, lostConditions, NodeSignals } from './node-signals.ts';
import { isToBeEvicted, missingLabels, wantedTaints, type EvictionRule } from './node-taints.ts';
import { timestamp } from '../ownership/pod-activity.ts';
import { PodsOfNodes } from './pods-of-nodes.ts';

const LEASES = 'kube-node-lease';
const UNREADY = 'nodes that are not ready';
/** As in kube-controller-manager (nodeUpdateWorkerSize). */
const WORKERS = 8;

type Calls = Pick<ControllerContext, 'resource' | 'event'>;

/**
 * The controller that notices lost nodes: 50 s after its last heartbeat or renewal of its lease, a node is `Unknown`, its pods are not ready,
 * and its taints keep other pods off and evict its own. It also keeps the taints that follow from the conditions and from
 * `spec.unschedulable`.
 *
 * A lease that holds longer than 50 s counts for as long as it holds, so that nodes need not renew theirs while nothing happens.
 * @see kubernetes pkg/controller/nodelifecycle/node_lifecycle_controller.go @ v1.37.2
 */
export function nodeLifecycle(parts: WorkloadParts): ClusterPart {
  const { client, informers, runtime } = parts;
  const pods = new PodsOfNodes(informers);
  const signals = new NodeSignals();
  const pace = new EvictionPace();
  const nodes = informers.for('v1', 'nodes', {
    indexers: { [UNREADY]: (node) => (isReady(node) ? [] : ['']) },
  });
  const leases = informers.for('coordination.k8s.io/v1', 'leases');
  const options = workloadOptions(parts, 'node-controller');

  /** The rule for a node, and the time until it may be another one. */
  const eviction = (node: Stored<Node>): { rule: EvictionRule; waitMs: number } => {
    if (isReady(node)) return { rule: 'add', waitMs: 0 };
    const zone = zoneOf(node);
    const all = nodes.indexer
      .list()
      .map((one) => (one.metadata.uid === node.metadata.uid ? node : one));
    const { rule, everyMs } = zoneState(zone, all);
    if (rule !== 'add' || !isToBeEvicted(node)) return { rule, waitMs: 0 };
    const waitMs = pace.take(zone, runtime.monotonicMs(), everyMs);
    return { rule: waitMs > 0 ? 'hold' : 'add', waitMs };
  };

  const made = controller(client, 'v1', 'nodes', {
    ...options,
    name: 'node_lifecycle',
    concurrency: WORKERS,
    everyUpdate: true,
  })
    // The eviction rule of a lost node depends on the others.
    .watches('v1', 'nodes', () => nodes.indexer.indexKeys(UNREADY, ''), {
      where: ({ object, old, type }) =>
        type === 'updated' && old !== undefined && isReady(object) !== isReady(old),
    })
    .watches('coordination.k8s.io/v1', 'leases', ({ metadata }) => metadata.name, {
      where: ({ metadata, type }) => metadata.namespace === LEASES && type !== 'deleted',
    })
    .whenGone(({ name, object }) => {
      signals.forget(name);
      if (object !== undefined) {
        options.events.event(object, {
          reason: 'RemovingNode',
          note: nodeEvent(name, 'Removing', 'from'),
        });
      }
      return Promise.resolve();
    })
    .reconcile(async (node, context) => {
      const { name } = node.metadata;
      if (signals.isNew(node)) {
        context.event({ reason: 'RegisteredNode', note: nodeEvent(name, 'Registered', 'in') });
      }
      const nowMs = runtime.wallMs();
      const lostAtMs = signals.lostAtMs(node, leases.indexer.get(`${LEASES}/${name}`), nowMs);
      const current =
        nowMs < lostAtMs ? node : await markLost(node, pods, timestamp(nowMs), context);
      const { rule, waitMs } = eviction(current);
      await adjust(current, rule, timestamp(nowMs), context);
      const leftMs = nowMs < lostAtMs && lostAtMs < Infinity ? lostAtMs - nowMs : 0;
      const times = [leftMs, waitMs].filter((ms) => ms > 0);
      return { requeueAfterMs: times.length === 0 ? 0 : Math.min(...times) };
    });
  return runningController(made, options);
}

function nodeEvent(name: string, what: string, where: string): string {
  return `Node ${name} event: ${what} Node ${name} ${where} Controller`;
}

async function markLost(
  node: Stored<Node>,
  pods: PodsOfNodes,
  now: string,
  { resource, event }: Calls,
): Promise<Stored<Node>> {
  const conditions = lostConditions(node, now);
  if (conditions.length === 0) return node;
  const { name, resourceVersion } = node.metadata;
  // A heartbeat that comes at the same time is a conflict, and the node is looked at again.
  const marked = await resource('v1', 'nodes').patch(
    name,
    { metadata: { resourceVersion }, status: { conditions } },
    { type: 'strategic', subresource: 'status' },
  );
  if (!isReady(node)) return marked;
  event({ reason: 'NodeNotReady', note: `Node ${name} status is now: NodeNotReady` });
  for (const pod of pods.of(name)) await markUnready(pod, now, { resource, event });
  return marked;
}

/** Only the kubelet of the node could say that a pod is ready. */
async function markUnready(
  pod: Stored<Pod>,
  now: string,
  { resource, event }: Calls,
): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return;
  const condition = { type: 'Ready', status: 'False', lastTransitionTime: now };
  try {
    await resource('v1', 'pods', { namespace }).patch(
      name,
      { metadata: { uid }, status: { conditions: [condition] } },
      { type: 'strategic', subresource: 'status' },
    );
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  event({ type: 'Warning', reason: 'NodeNotReady', note: 'Node is not ready' }, pod);
}

/** Writes the taints and the older names of labels, if they differ. */
async function adjust(
  node: Stored<Node>,
  rule: EvictionRule,
  now: string,
  { resource }: Calls,
): Promise<void> {
  const taints = wantedTaints(node, rule, now);
  const labels = missingLabels(node);
  if (taints === undefined && labels === undefined) return;
  const { name, resourceVersion } = node.metadata;
  await resource('v1', 'nodes').patch(name, {
    metadata: { resourceVersion, ...(labels === undefined ? {} : { labels }) },
    ...(taints === undefined ? {} : { spec: { taints } }),
  });
}
