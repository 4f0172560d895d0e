import type { UnstructuredObject } from '../../meta/object.ts';
import { textAt, valueAt } from '../../meta/json-value.ts';
import { podIsAtWork } from '../../kinds/quotas/evaluators.ts';

/** The resources whose objects count for more than their number. */
export const COUNTED_WHOLE = ['pods', 'services', 'persistentvolumeclaims'] as const;

export type CountedWhole = (typeof COUNTED_WHOLE)[number];

/**
 * Whether a change of an object may give back what it used. What a change takes is counted by admission.
 * @see kubernetes pkg/quota/v1/install/update_filter.go @ v1.36.3
 */
export function givesBack(
  resource: CountedWhole,
  before: UnstructuredObject,
  after: UnstructuredObject,
  nowMs: number,
): boolean {
  if (resource === 'pods') {
    const hasOtherScope = hasDeadline(before) !== hasDeadline(after);
    return hasOtherScope || (podIsAtWork(before, nowMs) && !podIsAtWork(after, nowMs));
  }
  if (resource === 'services') return countedType(before) !== countedType(after);
  // kube-controller-manager compares two pointers here, which always differ.
  return true;
}

function hasDeadline(pod: UnstructuredObject): boolean {
  return typeof valueAt(pod, 'spec', 'activeDeadlineSeconds') === 'number';
}

function countedType(service: UnstructuredObject): string {
  const type = textAt(service, 'spec', 'type');
  return type === 'NodePort' || type === 'LoadBalancer' ? type : '';
}
