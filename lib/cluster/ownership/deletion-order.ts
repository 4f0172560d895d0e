import type { Stored } from '../../meta/stored.ts';
import type { Pod } from '../../types/built-in/core-v1-kinds.ts';
import { isPodActive, isPodReady, readySinceMs, timeMs } from './pod-activity.ts';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const LARGEST_COST = 2 ** 31;
const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };
const NANOSECONDS = 1_000_000;

/** The compared traits of a pod, read once. */
interface RankedPod {
  readonly pod: Stored<Pod>;
  readonly isAssigned: boolean;
  readonly phase: number;
  readonly isReady: boolean;
  readonly cost: number;
  readonly onSameNode: number;
  readonly readyMs: number | undefined;
  readonly restarts: number;
  readonly sidecarRestarts: number;
  readonly createdMs: number | undefined;
}

/**
 * The pods to delete first: not assigned to a node, pending, not ready, with the lower deletion cost, with more related pods on its node,
 * ready for a shorter time, with more restarts, younger. Times are compared by their logarithm, and pods that are equal by their uid, so
 * that pods of about one age go in no order of their creation.
 *
 * @param related pods that spread over the nodes together with these: those of all revisions
 * @see kubernetes pkg/controller/controller_utils.go ActivePodsWithRanks @ v1.37.2
 */
export function podsToDelete(
  pods: readonly Stored<Pod>[],
  count: number,
  related: readonly Pod[],
  nowMs: number,
): readonly Stored<Pod>[] {
  if (count >= pods.length) return pods;
  const perNode = new Map<string, number>();
  for (const pod of related) {
    const { nodeName = '' } = pod.spec ?? {};
    if (isPodActive(pod)) perNode.set(nodeName, (perNode.get(nodeName) ?? 0) + 1);
  }
  const ranked = pods.map((pod) => rankedPod(pod, perNode.get(pod.spec?.nodeName ?? '') ?? 0));
  ranked.sort((one, other) => compared(one, other, nowMs));
  return ranked.slice(0, count).map(({ pod }) => pod);
}

function rankedPod(pod: Stored<Pod>, onSameNode: number): RankedPod {
  const { metadata, spec, status } = pod;
  const sidecars = new Set(
    spec?.initContainers?.flatMap(({ name, restartPolicy }) =>
      restartPolicy === 'Always' ? [name] : [],
    ),
  );
  const inits = status?.initContainerStatuses?.filter(({ name }) => sidecars.has(name)) ?? [];
  return {
    pod,
    isAssigned: (spec?.nodeName ?? '') !== '',
    phase: PHASES[status?.phase ?? ''] ?? 0,
    isReady: isPodReady(pod),
    cost: deletionCost(metadata.annotations?.[DELETION_COST]),
    onSameNode,
    readyMs: readySinceMs(pod),
    restarts: most(status?.containerStatuses ?? []),
    sidecarRestarts: most(inits),
    createdMs: timeMs(metadata.creationTimestamp),
  };
}

function most(statuses: readonly { readonly restartCount: number }[]): number {
  return Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
}

/** A text that is no 32-bit number counts as none. @see kubernetes pkg/apis/core/v1/helper GetDeletionCostFromPodAnnotations @ v1.37.2 */
function deletionCost(text: string | undefined): number {
  if (text === undefined || !/^(?:0|-?[1-9]\d*)$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -LARGEST_COST && cost < LARGEST_COST ? cost : 0;
}

/** Below 0: `one` is deleted first. */
function compared(one: RankedPod, other: RankedPod, nowMs: number): number {
  return (
    Number(one.isAssigned) - Number(other.isAssigned) ||
    one.phase - other.phase ||
    Number(one.isReady) - Number(other.isReady) ||
    one.cost - other.cost ||
    other.onSameNode - one.onSameNode ||
    byTime(one, other, (pod) => (pod.isReady ? (pod.readyMs ?? 0) : undefined), nowMs) ||
    other.restarts - one.restarts ||
    other.sidecarRestarts - one.sidecarRestarts ||
    byTime(one, other, ({ createdMs }) => createdMs, nowMs)
  );
}

/** The younger one first, on a logarithmic scale; one without a time before all others. */
function byTime(
  one: RankedPod,
  other: RankedPod,
  read: (pod: RankedPod) => number | undefined,
  nowMs: number,
): number {
  const [oneMs = 0, otherMs = 0] = [read(one), read(other)];
  if (oneMs === otherMs) return 0;
  if (oneMs === 0 || otherMs === 0) return oneMs === 0 ? -1 : 1;
  const difference = ageRank(nowMs - oneMs) - ageRank(nowMs - otherMs);
  if (difference !== 0) return difference;
  return one.pod.metadata.uid < other.pod.metadata.uid ? -1 : 1;
}

function ageRank(ageMs: number): number {
  return ageMs > 0 ? Math.trunc(Math.log2(ageMs * NANOSECONDS)) : -1;
}
