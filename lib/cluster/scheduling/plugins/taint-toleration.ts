import { type FilterPlugin, inProportion, rejection, type ScorePlugin } from '../model/plugin.ts';
import { avoidedTaints, isKeptOff } from '../model/taints.ts';

const REJECTED = rejection('TaintToleration', 'node(s) had untolerated taint(s)', {
  resolvable: false,
});

/**
 * Keeps pods off nodes whose taints they do not tolerate.
 * @see pkg/scheduler/framework/plugins/tainttoleration @ v1.37.2
 */
export const taintToleration: FilterPlugin = {
  name: 'TaintToleration',
  prepare: ({ pod }) => {
    const tolerations = pod.spec?.tolerations;
    return {
      step: {
        filter: ({ facts: { taints } }) =>
          taints.length > 0 && isKeptOff(taints, tolerations) ? REJECTED : undefined,
      },
    };
  },
};

/** Prefers nodes with few taints of the effect `PreferNoSchedule`. */
export const avoidedTaintScore: ScorePlugin = {
  name: 'TaintToleration',
  weight: 3,
  prepare: ({ pod }, state) => {
    if (!state.hasAvoidedNodes) return undefined;
    const tolerations = pod.spec?.tolerations;
    return {
      score: ({ facts }) => avoidedTaints(facts.taints, tolerations),
      normalize: (scores) => inProportion(scores, { reversed: true }),
    };
  },
};
