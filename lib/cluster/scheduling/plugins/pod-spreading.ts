import { LabelSelector } from '../../../meta/selectors/label-selector.ts';
import type { TopologySpreadConstraint } from '../../../types/built-in/core-v1-kinds.ts';
import { selectorOf } from '../model/affinity-terms.ts';
import type { ClusterState } from '../model/cluster-state.ts';
import type { NodeInfo } from '../model/node-info.ts';
import { type NodeMatch, requiredNodes } from '../model/node-matching.ts';
import {
  type FilterPlugin,
  type FilterStep,
  rejection,
  type ScorePlugin,
  type ScoreStep,
} from '../model/plugin.ts';
import type { PodFacts, PodToPlace } from '../model/pod-facts.ts';
import { isKeptOff } from '../model/taints.ts';

const HOSTNAME = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const TEXT = "node(s) didn't match pod topology spread constraints";
const UNEVEN = rejection('PodTopologySpread', TEXT, { resolvable: true });
const UNLABELED = rejection('PodTopologySpread', `${TEXT} (missing required label)`, {
  resolvable: false,
});

/** A constraint, with the pods that it counts. */
interface Constraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly minDomains: number;
  /** Whether pods on the node count, and the node as a place for one. */
  readonly counts: (node: NodeInfo) => boolean;
  readonly matches: (pod: PodFacts) => boolean;
  readonly byNode: ReadonlyMap<NodeInfo, number>;
}

function constraintsOf(
  { pod: { spec }, facts }: PodToPlace,
  state: ClusterState,
  action: 'DoNotSchedule' | 'ScheduleAnyway',
): readonly Constraint[] {
  const all = spec?.topologySpreadConstraints ?? [];
  const own = all.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action);
  const affinity = own.length === 0 ? undefined : requiredNodes(spec);
  return own.map((constraint) => ({
    maxSkew: constraint.maxSkew,
    topologyKey: constraint.topologyKey,
    minDomains: constraint.minDomains ?? 1,
    counts: inclusion(constraint, affinity, spec?.tolerations),
    ...selected(constraint, facts, state),
  }));
}

function selected(
  { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
  { namespace, labels }: PodFacts,
  state: ClusterState,
): Pick<Constraint, 'matches' | 'byNode'> {
  const base = selectorOf(labelSelector);
  const keys = matchLabelKeys.flatMap((key) => {
    const value = labels?.[key];
    return value === undefined ? [] : [{ key, operator: '=' as const, values: [value] }];
  });
  const selector = new LabelSelector([...keys, ...(base?.requirements ?? [])]);
  const isNothing = base === undefined || selector.empty;
  const matches = (pod: PodFacts): boolean =>
    !isNothing && pod.namespace === namespace && selector.matches(pod.labels);
  if (isNothing) return { matches, byNode: new Map() };
  const key = `spread ${namespace} ${selector.toString()}`;
  return { matches, byNode: state.counts.of(key, (pod) => !pod.deleting && matches(pod)) };
}

function inclusion(
  { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' }: TopologySpreadConstraint,
  affinity: NodeMatch | undefined,
  tolerations: Parameters<typeof isKeptOff>[1],
): (node: NodeInfo) => boolean {
  return ({ name, facts: { labels, taints } }) =>
    (nodeAffinityPolicy !== 'Honor' || (affinity?.({ name, labels }) ?? true)) &&
    (nodeTaintsPolicy !== 'Honor' || !isKeptOff(taints, tolerations));
}

function hasAllLabels(
  { facts: { labels } }: NodeInfo,
  constraints: readonly Constraint[],
): boolean {
  return constraints.every(({ topologyKey }) => labels?.[topologyKey] !== undefined);
}

type Domains = Map<string, number>;

/**
 * The constraints that have to hold: no value of a label has too many pods more than the one with the fewest.
 * @see pkg/scheduler/framework/plugins/podtopologyspread/filtering.go @ v1.37.2
 */
export const topologySpread: FilterPlugin = {
  name: 'PodTopologySpread',
  prepare: (pod, state) => {
    const constraints = constraintsOf(pod, state, 'DoNotSchedule');
    if (constraints.length === 0) return undefined;
    const domains = constraints.map((): Domains => new Map());
    for (const node of state.nodes) {
      if (!hasAllLabels(node, constraints)) continue;
      for (const [index, { topologyKey, counts, byNode }] of constraints.entries()) {
        if (!counts(node)) continue;
        const value = node.facts.labels?.[topologyKey] ?? '';
        add(domains[index], value, byNode.get(node) ?? 0);
      }
    }
    return { step: stepOf(pod.facts, constraints, domains) };
  },
};

function add(domains: Domains | undefined, value: string, by: number): void {
  domains?.set(value, (domains.get(value) ?? 0) + by);
}

function stepOf(
  facts: PodFacts,
  constraints: readonly Constraint[],
  domains: readonly Domains[],
): FilterStep {
  const own = constraints.map(({ matches }) => (matches(facts) ? 1 : 0));
  let fewest: readonly number[] | undefined;
  return {
    filter: ({ facts: { labels } }) => {
      fewest ??= constraints.map((one, index) => fewestOf(one, domains[index]));
      for (const [index, { topologyKey, maxSkew }] of constraints.entries()) {
        const value = labels?.[topologyKey];
        if (value === undefined) return UNLABELED;
        const count = (domains[index]?.get(value) ?? 0) + (own[index] ?? 0);
        if (count - (fewest[index] ?? 0) > maxSkew) return UNEVEN;
      }
      return undefined;
    },
    shift: (pod, node, by) => {
      if (!hasAllLabels(node, constraints)) return;
      fewest = undefined;
      for (const [index, { topologyKey, counts, matches }] of constraints.entries()) {
        if (!matches(pod) || !counts(node)) continue;
        add(domains[index], node.facts.labels?.[topologyKey] ?? '', by);
      }
    },
    copy: () =>
      stepOf(
        facts,
        constraints,
        domains.map((one) => new Map(one)),
      ),
  };
}

function fewestOf({ minDomains }: Constraint, domains: Domains = new Map()): number {
  if (domains.size < minDomains) return 0;
  let fewest = Number.POSITIVE_INFINITY;
  for (const count of domains.values()) fewest = Math.min(fewest, count);
  return fewest;
}

/**
 * The constraints that should hold. Pods of a controller that have no constraints are spread over nodes and zones.
 *
 * Not as in kube-scheduler: of those, pods count that have the same owner, and not those that the selectors of services match.
 * @see pkg/scheduler/framework/plugins/podtopologyspread/scoring.go @ v1.37.2
 */
export const topologySpreadScore: ScorePlugin = {
  name: 'PodTopologySpread',
  weight: 2,
  prepare: (pod, state, nodes) => {
    const hasOwn = (pod.pod.spec?.topologySpreadConstraints ?? []).length > 0;
    const constraints = hasOwn
      ? constraintsOf(pod, state, 'ScheduleAnyway')
      : defaultConstraints(pod, state);
    if (constraints.length === 0) return undefined;
    return scoreOf(constraints, nodes, hasOwn);
  },
};

function defaultConstraints(
  { pod: { spec }, facts }: PodToPlace,
  state: ClusterState,
): readonly Constraint[] {
  const { owner } = facts;
  if (owner === undefined) return [];
  const matches = (pod: PodFacts): boolean => pod.owner === owner;
  const byNode = state.counts.of(`owner ${owner}`, (pod) => !pod.deleting && matches(pod));
  const affinity = requiredNodes(spec);
  const counts = ({ name, facts: { labels } }: NodeInfo): boolean =>
    affinity?.({ name, labels }) ?? true;
  const shared = { minDomains: 1, matches, byNode, counts };
  return [
    { ...shared, topologyKey: HOSTNAME, maxSkew: 3 },
    { ...shared, topologyKey: ZONE, maxSkew: 5 },
  ];
}

function scoreOf(
  constraints: readonly Constraint[],
  nodes: readonly NodeInfo[],
  needsAll: boolean,
): ScoreStep {
  const isScored = (node: NodeInfo): boolean => !needsAll || hasAllLabels(node, constraints);
  const scored = needsAll ? nodes.filter(isScored) : nodes;
  const parts = constraints.map((constraint) => partOf(constraint, scored, isScored));
  return {
    score: (node) => {
      if (!isScored(node)) return 0;
      let sum = 0;
      for (const part of parts) sum += part(node);
      return Math.round(sum);
    },
    normalize: (scores, all) => {
      let [least, most] = [Number.POSITIVE_INFINITY, 0];
      for (const [index, score] of scores.entries()) {
        const node = all[index];
        if (node === undefined || !isScored(node)) continue;
        least = Math.min(least, score);
        most = Math.max(most, score);
      }
      for (const [index, node] of all.entries()) {
        if (!isScored(node)) scores[index] = 0;
        else if (most === 0) scores[index] = 100;
        else scores[index] = Math.trunc((100 * (most + least - (scores[index] ?? 0))) / most);
      }
    },
  };
}

/** The score for one constraint: the pods with the same value of the label, with more weight where there are more values. */
function partOf(
  { topologyKey, maxSkew, byNode, counts }: Constraint,
  scored: readonly NodeInfo[],
  isScored: (node: NodeInfo) => boolean,
): (node: NodeInfo) => number {
  if (topologyKey === HOSTNAME) {
    const weight = Math.log(scored.length + 2);
    return (node) =>
      node.facts.labels?.[HOSTNAME] === undefined
        ? 0
        : (byNode.get(node) ?? 0) * weight + maxSkew - 1;
  }
  const domains: Domains = new Map();
  for (const { facts } of scored) domains.set(facts.labels?.[topologyKey] ?? '', 0);
  for (const [node, count] of byNode) {
    if (!node.exists || !isScored(node) || !counts(node)) continue;
    const value = node.facts.labels?.[topologyKey] ?? '';
    if (domains.has(value)) add(domains, value, count);
  }
  const weight = Math.log(domains.size + 2);
  return ({ facts: { labels } }) => {
    const value = labels?.[topologyKey];
    return value === undefined ? 0 : (domains.get(value) ?? 0) * weight + maxSkew - 1;
  };
}
