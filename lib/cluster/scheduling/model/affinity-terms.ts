import {
  type Labels,
  type LabelSelector,
  labelSelectorFromSpec,
} from '../../../meta/selectors/label-selector.ts';
import type {
  LabelSelector as SelectorSpec,
  OwnerReference,
} from '../../../types/built-in/meta-v1-kinds.ts';
import type {
  Affinity,
  PodAffinityTerm,
  WeightedPodAffinityTerm,
} from '../../../types/built-in/core-v1-kinds.ts';

/** The labels of a namespace. */
export type NamespaceLabels = (namespace: string) => Labels;

/** A pod as a selector sees it. */
export interface SelectablePod {
  readonly namespace: string;
  readonly labels: Labels;
}

/** Pods that a pod wants to be near, or not. */
export interface PodTerm {
  /** The same for equal terms. */
  readonly key: string;
  readonly topologyKey: string;
  readonly namespaces: ReadonlySet<string>;
  /** Undefined: no namespaces but the named ones. */
  readonly namespaceSelector: LabelSelector | undefined;
  /** Undefined: no pods. */
  readonly selector: LabelSelector | undefined;
  /** From 1 to 100; 0 for a requirement. */
  readonly weight: number;
}

/** The terms of a pod about other pods. */
export interface PodTerms {
  readonly near: readonly PodTerm[];
  readonly far: readonly PodTerm[];
  readonly preferNear: readonly PodTerm[];
  readonly preferFar: readonly PodTerm[];
}

/** The selector of a spec; undefined for one that selects nothing. */
export function selectorOf(spec: SelectorSpec | undefined): LabelSelector | undefined {
  if (spec === undefined) return undefined;
  try {
    return labelSelectorFromSpec(spec);
  } catch {
    return undefined;
  }
}

/** The terms of a pod; undefined when it has none. */
export function podTerms(affinity: Affinity | undefined, namespace: string): PodTerms | undefined {
  const { podAffinity, podAntiAffinity } = affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return undefined;
  const required = (terms: readonly PodAffinityTerm[] = []): PodTerm[] =>
    terms.map((term) => podTerm(term, namespace, 0));
  const preferred = (terms: readonly WeightedPodAffinityTerm[] = []): PodTerm[] =>
    terms.map(({ weight, podAffinityTerm }) => podTerm(podAffinityTerm, namespace, weight));
  return {
    near: required(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    far: required(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferNear: preferred(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferFar: preferred(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  };
}

/** `matchLabelKeys` need nothing here: the server has added them to the selector. */
function podTerm(term: PodAffinityTerm, own: string, weight: number): PodTerm {
  const { labelSelector, namespaces = [], namespaceSelector, topologyKey } = term;
  const isOwn = namespaces.length === 0 && namespaceSelector === undefined;
  const names = isOwn ? [own] : namespaces;
  const selector = selectorOf(labelSelector);
  const spaces = selectorOf(namespaceSelector);
  const key = JSON.stringify([names, spaces?.toString(), selector?.toString()]);
  return {
    key,
    topologyKey,
    namespaces: new Set(names),
    namespaceSelector: spaces,
    selector,
    weight,
  };
}

export function termMatches(
  { namespaces, namespaceSelector, selector }: PodTerm,
  pod: SelectablePod,
  labelsOf: NamespaceLabels,
): boolean {
  if (selector === undefined || !selector.matches(pod.labels)) return false;
  if (namespaces.has(pod.namespace)) return true;
  if (namespaceSelector === undefined) return false;
  return namespaceSelector.empty || namespaceSelector.matches(labelsOf(pod.namespace));
}

/** Whether it has to be known which labels namespaces have. */
export function needsNamespaces({ near, far, preferNear, preferFar }: PodTerms): boolean {
  const all = [...near, ...far, ...preferNear, ...preferFar];
  return all.some(({ namespaceSelector }) => namespaceSelector?.empty === false);
}

const SPREAD_OWNERS: ReadonlySet<string> = new Set([
  'ReplicationController',
  'ReplicaSet',
  'StatefulSet',
]);

/** The uid of the controller whose pods are spread although they do not say so. */
export function spreadOwner(owners: readonly OwnerReference[] | undefined): string | undefined {
  return owners?.find(({ controller, kind }) => controller === true && SPREAD_OWNERS.has(kind))
    ?.uid;
}
