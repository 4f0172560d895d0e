import { type FilterPlugin, rejection } from '../model/plugin.ts';
import { toleratesCordon } from '../model/taints.ts';

const REJECTED = rejection('NodeUnschedulable', 'node(s) were unschedulable', {
  resolvable: false,
});

/**
 * Keeps pods off a node that is cordoned, unless they tolerate its taint.
 * @see pkg/scheduler/framework/plugins/nodeunschedulable @ v1.37.2
 */
export const nodeUnschedulable: FilterPlugin = {
  name: 'NodeUnschedulable',
  prepare: ({ pod }) => {
    if (toleratesCordon(pod)) return undefined;
    return {
      step: { filter: ({ facts }) => (facts.unschedulable ? REJECTED : undefined) },
    };
  },
};
