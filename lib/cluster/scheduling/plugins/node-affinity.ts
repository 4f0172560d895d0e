import { namedNodes, nodePreference, requiredNodes } from '../model/node-matching.ts';
import { type FilterPlugin, inProportion, rejection, type ScorePlugin } from '../model/plugin.ts';

const REJECTED = rejection('NodeAffinity', "node(s) didn't match Pod's node affinity/selector", {
  resolvable: false,
});
const CONFLICT = rejection('NodeAffinity', 'pod affinity terms conflict', { resolvable: false });

/**
 * `nodeSelector` and the required affinity to nodes.
 * @see pkg/scheduler/framework/plugins/nodeaffinity @ v1.37.2
 */
export const nodeAffinity: FilterPlugin = {
  name: 'NodeAffinity',
  prepare: ({ pod: { spec } }) => {
    const match = requiredNodes(spec);
    if (match === undefined) return undefined;
    const only = namedNodes(spec);
    if (only?.size === 0) return { refusal: CONFLICT };
    return {
      step: {
        filter: ({ name, facts: { labels } }) => (match({ name, labels }) ? undefined : REJECTED),
      },
      only,
    };
  },
};

/** The preferred affinity to nodes. */
export const nodePreferenceScore: ScorePlugin = {
  name: 'NodeAffinity',
  weight: 2,
  prepare: ({ pod: { spec } }) => {
    const terms = spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
    const preference = nodePreference(terms);
    if (preference === undefined) return undefined;
    return {
      score: ({ name, facts: { labels } }) => preference({ name, labels }),
      normalize: (scores) => inProportion(scores),
    };
  },
};
