import {
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  LabelSelector,
} from '../../../meta/selectors/label-selector.ts';
import type {
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
  PreferredSchedulingTerm,
} from '../../../types/built-in/core-v1-kinds.ts';

/** A node as selectors see it. */
export interface SelectableNode {
  /** Undefined where only labels count. */
  readonly name: string | undefined;
  readonly labels: Labels;
}

export type NodeMatch = (node: SelectableNode) => boolean;

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: 'absent',
  Gt: '>',
  Lt: '<',
};

/**
 * The nodes that a pod may go to by `nodeSelector` and required affinity; undefined when it may go to each.
 * @see component-helpers scheduling/corev1/nodeaffinity GetRequiredNodeAffinity @ v0.37.2
 */
export function requiredNodes(spec: PodSpec | undefined): NodeMatch | undefined {
  const labels = Object.entries(spec?.nodeSelector ?? {});
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (labels.length === 0 && required === undefined) return undefined;
  const plain = new LabelSelector(
    labels.map(([key, value]) => ({ key, operator: '=' as const, values: [value] })),
  );
  const match = required === undefined ? undefined : anyTerm(required.nodeSelectorTerms);
  return (node) => plain.matches(node.labels) && (match?.(node) ?? true);
}

/** The terms are alternatives. */
export function anyTerm(terms: readonly NodeSelectorTerm[]): NodeMatch {
  const matches = terms.map(oneTerm);
  return (node) => matches.some((match) => match(node));
}

/** The sum of the weights of the preferences that a node meets; undefined when there is none. */
export function nodePreference(
  terms: readonly PreferredSchedulingTerm[] = [],
): ((node: SelectableNode) => number) | undefined {
  const parts = terms
    .filter(({ weight, preference }) => weight !== 0 && !isEmpty(preference))
    .map(({ weight, preference }) => ({ weight, match: oneTerm(preference) }));
  if (parts.length === 0) return undefined;
  return (node) => {
    let sum = 0;
    for (const { weight, match } of parts) if (match(node)) sum += weight;
    return sum;
  };
}

/** The names that required affinity restricts a pod to, as that of a DaemonSet does; undefined when it does not. */
export function namedNodes(spec: PodSpec | undefined): ReadonlySet<string> | undefined {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined || required.nodeSelectorTerms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of required.nodeSelectorTerms) {
    const lists = matchFields.filter(
      ({ key, operator }) => key === 'metadata.name' && operator === 'In',
    );
    const [first, ...others] = lists.map(({ values = [] }) => values);
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((list) => list.includes(name))) names.add(name);
  }
  return names;
}

const isEmpty = ({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean =>
  matchExpressions.length === 0 && matchFields.length === 0;

/** An empty term, and one with an unknown operator, match no node. */
function oneTerm(term: NodeSelectorTerm): NodeMatch {
  const { matchExpressions = [], matchFields = [] } = term;
  const requirements: LabelRequirement[] = [];
  for (const { key, operator, values = [] } of matchExpressions) {
    const known = OPERATORS[operator];
    if (known === undefined) return () => false;
    requirements.push({ key, operator: known, values });
  }
  if (isEmpty(term)) return () => false;
  const selector = new LabelSelector(requirements);
  return ({ name, labels }) =>
    selector.matches(labels) && matchFields.every((field) => fieldHolds(field, name));
}

function fieldHolds(field: NodeSelectorRequirement, name: string | undefined): boolean {
  if (name === undefined) return true;
  const { key, operator, values = [] } = field;
  const isNamed = key === 'metadata.name' && values.includes(name);
  return operator === 'In' ? isNamed : operator === 'NotIn' && !isNamed;
}
