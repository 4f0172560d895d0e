import { errorMessage } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Pod } from '../../types/built-in/core-v1-kinds.ts';
import type { ClusterState } from './model/cluster-state.ts';
import type { PodFacts } from './model/pod-facts.ts';
import type { Nominations } from './nominations.ts';
import type { SchedulingQueue, WaitingPod } from './scheduling-queue.ts';
import type { SchedulingReport } from './scheduling-report.ts';
import type { Candidate } from './victims.ts';

export interface EvictionParts {
  readonly state: ClusterState;
  readonly queue: SchedulingQueue;
  readonly nominations: Nominations;
  readonly report: SchedulingReport;
  readonly logger: Logger;
  readonly podOf: (facts: PodFacts) => Stored<Pod> | undefined;
}

/**
 * Makes room on a node for a more important pod. Resolves when the victims are being deleted. Until then the pod is in work; afterwards it
 * waits for their end.
 * @see pkg/scheduler/framework/preemption/executor.go @ v1.37.2
 */
export async function evictVictims(
  waiting: WaitingPod,
  { node, victims }: Candidate,
  against: WaitingPod['against'],
  parts: EvictionParts,
): Promise<void> {
  const { state, queue, report, logger } = parts;
  try {
    await clearNominations(waiting.facts, node, parts);
    const leaving = victims.filter(({ facts }) => !facts.deleting);
    await Promise.all(leaving.map((victim) => report.preempt(victim.pod, waiting.pod, node)));
  } catch (error) {
    logger.warn('a pod was not preempted', { node, error: errorMessage(error) });
    queue.retried(waiting);
    return;
  }
  queue.failed(waiting, against);
  // The end of a victim may have been reported before the pod waited for it.
  const isGone = victims.some(({ facts }) => state.pod(facts.uid) === undefined);
  if (isGone) queue.activate(waiting.uid);
}

/** Less important pods do not wait for this node any more. */
async function clearNominations(
  { priority }: PodFacts,
  node: string,
  { nominations, queue, report, podOf }: EvictionParts,
): Promise<void> {
  const less = [...(nominations.on(node) ?? [])].filter((one) => one.priority < priority);
  for (const facts of less) {
    nominations.delete(facts.uid);
    queue.activate(facts.uid);
    const pod = podOf(facts);
    if (pod !== undefined) await report.clearNomination(pod);
  }
}
