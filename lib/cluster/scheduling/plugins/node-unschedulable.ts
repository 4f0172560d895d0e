import { type FilterPlugin, rejection } from '../model/plugin.ts';
import { tolerates } from '../model/taints.ts';

const REJECTED = rejection('NodeUnschedulable', 'node(s) were unschedulable', {
  resolvable: false,
});
const CORDONED = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/**
 * Keeps pods off a node that is cordoned, unless they tolerate its taint.
 * @see pkg/scheduler/framework/plugins/nodeunschedulable @ v1.37.2
 */
export const nodeUnschedulable: FilterPlugin = {
  name: 'NodeUnschedulable',
  prepare: ({ pod }) => {
    if (pod.spec?.tolerations?.some((one) => tolerates(one, CORDONED))) return undefined;
    return {
      step: { filter: ({ facts }) => (facts.unschedulable ? REJECTED : undefined) },
    };
  },
};
