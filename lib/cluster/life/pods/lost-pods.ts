import type { ResourceClient } from '../../../client/rest/resource-client.ts';
import { isConflict, isNotFound } from '../../../meta/failure/failures.ts';
import type { Pod } from '../../../types/built-in/core-v1-kinds.ts';
import type { LifePod } from './life-pod.ts';
import { timestamp } from '../clock/life-clock.ts';

/**
 * Ends a pod whose node is not there any more: it fails, and is deleted at once.
 * @see kubernetes pkg/controller/podgc/gc_controller.go markFailedAndDeletePodWithCondition @ v1.37.2
 */
export async function collectLostPod(
  pod: LifePod,
  pods: ResourceClient<Pod>,
  nowMs: number,
): Promise<void> {
  const { name, uid } = pod.metadata;
  const { phase } = pod.status ?? {};
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
    lastTransitionTime: timestamp(nowMs),
  };
  try {
    if (phase !== 'Failed' && phase !== 'Succeeded') {
      const status = { phase: 'Failed', conditions: [condition] };
      const options = { type: 'strategic', subresource: 'status' } as const;
      await pods.patch(name, { metadata: { uid }, status }, options);
    }
    await pods.delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
