import { controller } from '../../controller/builder/controller-builder.ts';
import type { ControllerContext } from '../../controller/builder/run/controller-context.ts';
import { sameContent } from '../../meta/content/same-content.ts';
import { isNotFound } from '../../meta/failure/failures.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Node, Pod, Taint, Toleration } from '../../types/built-in/core-v1-kinds.ts';
import type { ClusterPart } from '../resources/cluster-parts.ts';
import { runningController } from '../resources/running-controller.ts';
import { workloadOptions } from '../resources/workload-options.ts';
import type { WorkloadParts } from '../resources/workload-parts.ts';
import { tolerates } from '../scheduling/model/taints.ts';
import { timestamp } from '../ownership/pod-activity.ts';
import { PodsOfNodes } from './pods-of-nodes.ts';

/** As in kube-controller-manager (UpdateWorkerSize). */
const WORKERS = 8;

/** The taints of a node that evict pods. */
export function evictingTaints(node: Node | undefined): readonly Taint[] {
  return (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}

/**
 * How long a pod may stay on a node with these taints, milliseconds; Infinity: for ever.
 * @see kubernetes pkg/controller/tainteviction/taint_eviction.go processPodOnNode @ v1.37.2
 */
export function toleratedMs(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] = [],
): number {
  let least = Infinity;
  for (const taint of taints) {
    const used = tolerations.find((one) => tolerates(one, taint));
    if (used === undefined) return 0;
    const { tolerationSeconds = Infinity } = used;
    least = Math.min(least, Math.max(0, tolerationSeconds * 1000));
  }
  return least;
}

interface Planned {
  readonly uid: string;
  readonly sinceMs: number;
}

/**
 * The controller that evicts pods from nodes with taints of the effect `NoExecute`, after the time that they tolerate these.
 *
 * Memory: an entry for each pod whose eviction is planned.
 * @see kubernetes pkg/controller/tainteviction/taint_eviction.go @ v1.37.2
 */
export function taintEviction(parts: WorkloadParts): ClusterPart {
  const { client, informers, runtime } = parts;
  const pods = new PodsOfNodes(informers);
  const nodes = informers.for('v1', 'nodes');
  const planned = new Map<string, Planned>();
  const options = workloadOptions(parts, 'taint-eviction-controller');
  const taintsOf = ({ spec }: Pod): readonly Taint[] =>
    evictingTaints(nodes.indexer.get(spec?.nodeName ?? ''));
  const made = controller(client, 'v1', 'pods', {
    ...options,
    name: 'noexec_taint',
    concurrency: WORKERS,
    everyUpdate: true,
  })
    .where(({ object, old, type, key, initial }) => {
      if (type === 'deleted') return planned.has(key);
      // The nodes may not be known yet.
      if (initial) return true;
      const isPlaced = old === undefined || object.spec?.nodeName !== old.spec?.nodeName;
      if (!isPlaced && sameContent(tolerationsOf(object), tolerationsOf(old))) return false;
      return planned.has(key) || taintsOf(object).length > 0;
    })
    .watches('v1', 'nodes', ({ metadata }) => pods.keysOf(metadata.name), {
      where: ({ object, old, type }) =>
        type === 'updated' &&
        !sameContent({ taints: evictingTaints(object) }, { taints: evictingTaints(old) }),
    })
    .whenGone(({ key }) => {
      planned.delete(key);
      return Promise.resolve();
    })
    .reconcile(async (pod, context) => {
      const { key } = context;
      const taints = taintsOf(pod);
      const stayMs = taints.length === 0 ? Infinity : toleratedMs(taints, pod.spec?.tolerations);
      const before = planned.get(key);
      const { uid } = pod.metadata;
      if (stayMs === Infinity) {
        if (planned.delete(key)) report(pod, 'Cancelling deletion of', context);
        return {};
      }
      const nowMs = runtime.monotonicMs();
      const sinceMs = before?.uid === uid ? before.sinceMs : nowMs;
      planned.set(key, { uid, sinceMs });
      const leftMs = sinceMs + stayMs - nowMs;
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      if (pod.metadata.deletionTimestamp === undefined) {
        report(pod, 'Marking for deletion', context);
        await evict(pod, timestamp(runtime.wallMs()), context);
      }
      planned.delete(key);
      return {};
    });
  return runningController(made, options);
}

function tolerationsOf(pod: Pod | undefined): object {
  return { tolerations: pod?.spec?.tolerations };
}

function report(
  pod: Stored<Pod>,
  what: string,
  { key, event }: Pick<ControllerContext, 'key' | 'event'>,
): void {
  event({ reason: 'TaintManagerEviction', note: `${what} Pod ${key}` }, pod);
}

async function evict(
  { metadata }: Stored<Pod>,
  now: string,
  { resource }: Pick<ControllerContext, 'resource'>,
): Promise<void> {
  const { name, uid } = metadata;
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
    lastTransitionTime: now,
  };
  const pods = resource('v1', 'pods');
  try {
    await pods.patch(
      name,
      { metadata: { uid }, status: { conditions: [condition] } },
      { type: 'strategic', subresource: 'status' },
    );
    await pods.delete(name, { preconditions: { uid } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
