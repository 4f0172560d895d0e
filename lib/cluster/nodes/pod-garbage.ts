import { controller } from '../../controller/builder/controller-builder.ts';
import type { ControllerContext } from '../../controller/builder/run/controller-context.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { isNotFound } from '../../meta/failure/failures.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Node, Pod, PodCondition } from '../../types/built-in/core-v1-kinds.ts';
import type { ClusterPart } from '../resources/cluster-parts.ts';
import { runningController } from '../resources/running-controller.ts';
import type { WorkloadParts } from '../resources/workload-parts.ts';
import { isReady } from './node-signals.ts';
import { isPodEnded, timestamp } from '../ownership/pod-activity.ts';
import { PodsOfNodes } from './pods-of-nodes.ts';

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';
const ENDED = 'pods that have ended';
/** A node that is missing may not be in the cache yet. */
const QUARANTINE_MS = 40_000;
/** Between two rounds of kube-controller-manager: pods that have ended are counted again, and others get this time to go by themselves. */
const SWEEP_MS = 20_000;
/** As in kube-controller-manager (--terminated-pod-gc-threshold). */
const MOST_ENDED = 12_500;

/** Why a pod is deleted by force, by its state and that of its node; undefined: it is not, or not for what is known. */
export type GarbageReason = 'orphaned' | 'unscheduled' | 'out of service' | undefined;

/** @see kubernetes pkg/controller/podgc/gc_controller.go @ v1.37.2 */
export function garbageReason({ metadata, spec }: Pod, node: Node | undefined): GarbageReason {
  const isGoing = metadata?.deletionTimestamp !== undefined;
  if (spec?.nodeName === undefined || spec.nodeName === '') {
    return isGoing ? 'unscheduled' : undefined;
  }
  if (node === undefined) return 'orphaned';
  const isOut = node.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) === true;
  return isGoing && isOut && !isReady(node) ? 'out of service' : undefined;
}

/** Those to delete of the pods that have ended: evicted ones first, then the oldest. */
export function surplusPods(ended: readonly Stored<Pod>[], most: number): readonly Stored<Pod>[] {
  const rank = ({ metadata, status }: Stored<Pod>): string =>
    `${status?.reason === 'Evicted' ? 0 : 1} ${String(metadata.creationTimestamp)} ${metadata.name}`;
  if (ended.length <= most) return [];
  const ranked = ended.map((pod) => ({ pod, rank: rank(pod) }));
  const sorted = ranked.toSorted((a, b) => (a.rank < b.rank ? -1 : 1));
  return sorted.slice(0, ended.length - most).map(({ pod }) => pod);
}

/**
 * The controller that deletes pods that no kubelet will: 40 s after their node has gone, 20 s after they were deleted without a node or on
 * one that is out of service, and the oldest when more than 12,500 have ended.
 *
 * Memory: an entry for each pod that waits to be deleted.
 */
export function podGarbage(
  { client, informers, runtime, logger }: WorkloadParts,
  most: number = MOST_ENDED,
): ClusterPart {
  const pods = new PodsOfNodes(informers);
  const nodes = informers.for('v1', 'nodes');
  const all = informers.for('v1', 'pods', {
    indexers: { [ENDED]: (pod) => (isPodEnded(pod) ? [''] : []) },
  });
  const nodeOf = ({ spec }: Pod): Node | undefined => nodes.indexer.get(spec?.nodeName ?? '');
  const waits = new GarbageWaits(runtime);
  let sweepAtMs = 0;

  const sweep = async (context: ControllerContext): Promise<number> => {
    if (all.indexer.indexKeys(ENDED, '').length <= most) return 0;
    const nowMs = runtime.monotonicMs();
    if (nowMs < sweepAtMs) return sweepAtMs - nowMs;
    sweepAtMs = nowMs + SWEEP_MS;
    for (const pod of surplusPods(all.indexer.byIndex(ENDED, ''), most)) {
      await deleteByForce(pod, undefined, context);
    }
    return 0;
  };

  const made = controller(client, 'v1', 'pods', {
    name: 'pod-garbage-collector',
    informers,
    everyUpdate: true,
    runtime,
    logger,
  })
    .where(({ object, type }) => {
      if (type === 'deleted') return waits.has(keyOfPod(object));
      return isPodEnded(object) || garbageReason(object, nodeOf(object)) !== undefined;
    })
    .watches('v1', 'nodes', ({ metadata }) => pods.keysOf(metadata.name), {
      where: ({ type, object }) =>
        type === 'deleted' ||
        object.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) === true,
    })
    .whenGone(({ key }) => {
      waits.forget(key);
      return Promise.resolve();
    })
    .reconcile(async (pod, context) => {
      const { key } = context;
      const reason = garbageReason(pod, nodeOf(pod));
      if (reason === undefined) {
        waits.forget(key);
        return { requeueAfterMs: isPodEnded(pod) ? await sweep(context) : 0 };
      }
      const isOrphan = reason === 'orphaned';
      const requeueAfterMs = waits.leftMs(pod, key, isOrphan ? QUARANTINE_MS : SWEEP_MS);
      if (requeueAfterMs > 0) return { requeueAfterMs };
      if (!isOrphan) {
        await deleteByForce(pod, undefined, context);
        return {};
      }
      if (await isThere(pod, context)) return {};
      const lastTransitionTime = timestamp(runtime.wallMs());
      await deleteByForce(pod, { ...NODE_GONE, lastTransitionTime }, context);
      return {};
    });
  return runningController(made, { logger });
}

/** Since when pods are known to be garbage. Memory: an entry for each of them. */
class GarbageWaits {
  readonly #runtime: Runtime;
  readonly #since = new Map<string, { readonly uid: string; readonly sinceMs: number }>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  has(key: string): boolean {
    return this.#since.has(key);
  }

  forget(key: string): void {
    this.#since.delete(key);
  }

  /** The time until a pod may be deleted; it is forgotten then. */
  leftMs({ metadata: { uid } }: Stored<Pod>, key: string, ms: number): number {
    const nowMs = this.#runtime.monotonicMs();
    const known = this.#since.get(key);
    const sinceMs = known?.uid === uid ? known.sinceMs : nowMs;
    const leftMs = Math.max(0, sinceMs + ms - nowMs);
    if (leftMs > 0) this.#since.set(key, { uid, sinceMs });
    else this.#since.delete(key);
    return leftMs;
  }
}

const NODE_GONE: PodCondition = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
};

type Calls = Pick<ControllerContext, 'resource'>;

function keyOfPod({ metadata }: Stored<Pod>): string {
  return `${metadata.namespace}/${metadata.name}`;
}

async function isThere({ spec }: Pod, { resource }: Calls): Promise<boolean> {
  try {
    await resource('v1', 'nodes').get(spec?.nodeName ?? '');
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** A pod that has not ended fails first, as no kubelet is there to say so. */
async function deleteByForce(
  pod: Stored<Pod>,
  condition: PodCondition | undefined,
  { resource }: Calls,
): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const pods = resource('v1', 'pods', { namespace });
  try {
    if (!isPodEnded(pod)) {
      const conditions = condition === undefined ? {} : { conditions: [condition] };
      await pods.patch(
        name,
        { metadata: { uid }, status: { phase: 'Failed', ...conditions } },
        { type: 'strategic', subresource: 'status' },
      );
    }
    await pods.delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
