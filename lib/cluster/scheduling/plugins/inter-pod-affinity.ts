import { type PodTerm, termMatches } from '../model/affinity-terms.ts';
import type { ClusterState } from '../model/cluster-state.ts';
import type { NodeInfo } from '../model/node-info.ts';
import {
  type FilterPlugin,
  type FilterStep,
  type Rejection,
  rejection,
  type ScorePlugin,
} from '../model/plugin.ts';
import type { PodFacts } from '../model/pod-facts.ts';
import { TopologyCounts } from './topology-counts.ts';

const NOT_NEAR = rejection('InterPodAffinity', "node(s) didn't match pod affinity rules", {
  resolvable: false,
});
const NOT_FAR = rejection('InterPodAffinity', "node(s) didn't match pod anti-affinity rules", {
  resolvable: true,
});
const UNWANTED = rejection(
  'InterPodAffinity',
  "node(s) didn't satisfy existing pods anti-affinity rules",
  { resolvable: true },
);
/** The weight of a required term of a pod on a node, for a pod that it wants near. */
const REQUIRED_WEIGHT = 1;
const NO_TERMS: readonly PodTerm[] = [];

interface Counts {
  /** Pods that match all terms for pods to be near. */
  readonly near: TopologyCounts;
  /** Pods that match terms for pods to be far. */
  readonly far: TopologyCounts;
  /** Pods that do not want this one near. */
  readonly unwanted: TopologyCounts;
}

/**
 * Pods that are to be near others, or far from them; also those that others want to be far.
 * @see pkg/scheduler/framework/plugins/interpodaffinity/filtering.go @ v1.37.2
 */
export const interPodAffinity: FilterPlugin = {
  name: 'InterPodAffinity',
  prepare: ({ facts }, state) => {
    const { near = NO_TERMS, far = NO_TERMS } = facts.terms ?? {};
    const counts = {
      near: nearCounts(near, state),
      far: farCounts(far, state),
      unwanted: unwanted(facts, state),
    };
    if (near.length + far.length === 0 && counts.unwanted.empty) return undefined;
    return { step: stepOf(facts, state, counts) };
  },
};

function stepOf(facts: PodFacts, state: ClusterState, counts: Counts): FilterStep {
  const { near = NO_TERMS, far = NO_TERMS } = facts.terms ?? {};
  const matches = (term: PodTerm, pod: PodFacts): boolean =>
    termMatches(term, pod, state.namespaceLabels);
  const isLikeItself = near.every((term) => matches(term, facts));
  return {
    filter: ({ facts: { labels } }): Rejection | undefined => {
      if (near.some(({ topologyKey }) => labels?.[topologyKey] === undefined)) return NOT_NEAR;
      const isNear = near.every(({ topologyKey }) => counts.near.at(labels, topologyKey) > 0);
      // The first of pods that want to be near each other has none to be near.
      if (!isNear && !(counts.near.empty && isLikeItself)) return NOT_NEAR;
      if (far.some(({ topologyKey }) => counts.far.at(labels, topologyKey) > 0)) return NOT_FAR;
      return counts.unwanted.sum(labels) > 0 ? UNWANTED : undefined;
    },
    shift: (pod, { facts: { labels } }, by) => {
      if (near.length > 0 && near.every((term) => matches(term, pod))) {
        for (const { topologyKey } of near) counts.near.add(labels, topologyKey, by);
      }
      for (const term of far) {
        if (matches(term, pod)) counts.far.add(labels, term.topologyKey, by);
      }
      for (const term of pod.terms?.far ?? NO_TERMS) {
        if (matches(term, facts)) counts.unwanted.add(labels, term.topologyKey, by);
      }
    },
    copy: () =>
      stepOf(facts, state, {
        near: counts.near.copy(),
        far: counts.far.copy(),
        unwanted: counts.unwanted.copy(),
      }),
  };
}

function nearCounts(terms: readonly PodTerm[], state: ClusterState): TopologyCounts {
  const counts = new TopologyCounts();
  if (terms.length === 0) return counts;
  const key = `all ${terms.map((term) => term.key).join(' ')}`;
  const byNode = state.counts.of(key, (pod) =>
    terms.every((term) => termMatches(term, pod, state.namespaceLabels)),
  );
  for (const { topologyKey } of terms) addByNode(counts, topologyKey, byNode, 1);
  return counts;
}

function farCounts(terms: readonly PodTerm[], state: ClusterState): TopologyCounts {
  const counts = new TopologyCounts();
  for (const term of terms) addByNode(counts, term.topologyKey, podsOf(term, state), 1);
  return counts;
}

function podsOf(term: PodTerm, state: ClusterState): ReadonlyMap<NodeInfo, number> {
  return state.counts.of(`one ${term.key}`, (pod) => termMatches(term, pod, state.namespaceLabels));
}

function unwanted(facts: PodFacts, state: ClusterState): TopologyCounts {
  const counts = new TopologyCounts();
  for (const { term, byNode } of state.terms.all('far')) {
    if (!termMatches(term, facts, state.namespaceLabels)) continue;
    addByNode(counts, term.topologyKey, byNode, 1);
  }
  return counts;
}

function addByNode(
  counts: TopologyCounts,
  topologyKey: string,
  byNode: ReadonlyMap<NodeInfo, number>,
  weight: number,
): void {
  for (const [node, count] of byNode) {
    if (node.exists) counts.add(node.facts.labels, topologyKey, count * weight);
  }
}

/**
 * The preferences of the pod about others, and those of others about the pod.
 * @see pkg/scheduler/framework/plugins/interpodaffinity/scoring.go @ v1.37.2
 */
export const interPodPreferenceScore: ScorePlugin = {
  name: 'InterPodAffinity',
  weight: 2,
  prepare: ({ facts }, state) => {
    const counts = new TopologyCounts();
    const { preferNear = NO_TERMS, preferFar = NO_TERMS } = facts.terms ?? {};
    for (const term of preferNear) {
      addByNode(counts, term.topologyKey, podsOf(term, state), term.weight);
    }
    for (const term of preferFar) {
      addByNode(counts, term.topologyKey, podsOf(term, state), -term.weight);
    }
    addOfOthers(counts, facts, state);
    if (counts.empty) return undefined;
    return {
      score: ({ facts: { labels } }: NodeInfo) => counts.sum(labels),
      normalize: fromLeastToMost,
    };
  },
};

function addOfOthers(counts: TopologyCounts, facts: PodFacts, state: ClusterState): void {
  for (const kind of ['near', 'preferNear', 'preferFar'] as const) {
    for (const { term, byNode } of state.terms.all(kind)) {
      if (!termMatches(term, facts, state.namespaceLabels)) continue;
      const weight = kind === 'near' ? REQUIRED_WEIGHT : term.weight;
      const signed = kind === 'preferFar' ? -weight : weight;
      addByNode(counts, term.topologyKey, byNode, signed);
    }
  }
}

function fromLeastToMost(scores: number[]): void {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const score of scores) {
    least = Math.min(least, score);
    most = Math.max(most, score);
  }
  const range = most - least;
  for (let index = 0; index < scores.length; index += 1) {
    const above = (scores[index] ?? 0) - least;
    // In the order of kube-scheduler, whose result is a whole number less where the quotient is no exact one.
    scores[index] = range > 0 ? Math.trunc(100 * (above / range)) : 0;
  }
}
