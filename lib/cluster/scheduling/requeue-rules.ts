import type { Labels } from '../../meta/selectors/label-selector.ts';
import { termMatches } from './model/affinity-terms.ts';
import { NodeInfo, type NodeFacts } from './model/node-info.ts';
import { requiredNodes } from './model/node-matching.ts';
import { type PodFacts, type PodToPlace, sameLabels } from './model/pod-facts.ts';
import type { PluginName } from './model/plugin.ts';
import { shortage } from './plugins/node-resources.ts';
import { isKeptOff, toleratesCordon } from './model/taints.ts';

/** A change in the cluster that may let pods find a node. */
export type ClusterChange =
  | {
      readonly kind: 'node';
      readonly name: string;
      readonly before: NodeFacts | undefined;
      readonly after: NodeFacts | undefined;
    }
  /** A pod has left its node, or takes less of it. */
  | { readonly kind: 'pod-gone'; readonly pod: PodFacts }
  | { readonly kind: 'pod-placed'; readonly pod: PodFacts }
  /** The labels of a pod on a node. */
  | { readonly kind: 'pod-labels'; readonly pod: PodFacts }
  /** The waiting pod itself. */
  | { readonly kind: 'pod-itself' }
  | { readonly kind: 'volumes'; readonly namespace: string | undefined }
  | { readonly kind: 'namespaces' };

type Rule = (pod: PodToPlace, change: ClusterChange) => boolean;

/**
 * Whether a change may let the pod find a node, by the plug-ins that were against it.
 * @see pkg/scheduler/framework/plugins EventsToRegister of each @ v1.37.2
 */
export function mayHelp(
  pod: PodToPlace,
  against: ReadonlySet<PluginName>,
  change: ClusterChange,
): boolean {
  // There was no node at all.
  if (against.size === 0) return change.kind === 'node' && change.after !== undefined;
  for (const plugin of against) if (RULES[plugin](pod, change)) return true;
  return false;
}

const isNew = (change: ClusterChange): boolean =>
  change.kind === 'node' && change.before === undefined;

/** Whether a property of a node has become true. */
function becomes(change: ClusterChange, isSo: (facts: NodeFacts) => boolean): boolean {
  if (change.kind !== 'node' || change.after === undefined) return false;
  return isSo(change.after) && (change.before === undefined || !isSo(change.before));
}

function hasOtherLabels(change: ClusterChange): boolean {
  if (change.kind !== 'node') return false;
  const { before, after } = change;
  return before === undefined || after === undefined || !sameLabels(before.labels, after.labels);
}

const nodeAffinity: Rule = ({ pod: { spec } }, change) => {
  const match = requiredNodes(spec);
  return becomes(
    change,
    ({ labels }) => change.kind === 'node' && (match?.({ name: change.name, labels }) ?? true),
  );
};

const resources: Rule = ({ facts }, change) => {
  if (change.kind === 'pod-gone' || change.kind === 'pod-itself') return true;
  if (change.kind !== 'node' || change.after === undefined) return false;
  const { name, before, after } = change;
  const empty = new NodeInfo(name);
  empty.facts = after;
  if (shortage(facts.requests, empty) !== undefined) return false;
  if (before === undefined) return true;
  const [had, has] = [before.allocatable, after.allocatable];
  return (
    has.pods > had.pods ||
    has.cpu > had.cpu ||
    has.memory > had.memory ||
    has.storage > had.storage ||
    [...has.others].some(([one, amount]) => amount > (had.others.get(one) ?? 0))
  );
};

const ports: Rule = ({ facts }, change) =>
  isNew(change) ||
  (change.kind === 'pod-gone' &&
    change.pod.hostPorts.some(({ port }) => facts.hostPorts.some((one) => one.port === port)));

const spread: Rule = ({ facts }, change) => {
  switch (change.kind) {
    case 'pod-placed':
    case 'pod-gone':
    case 'pod-labels':
      return change.pod.namespace === facts.namespace;
    case 'node':
      return hasOtherLabels(change) || change.before?.taints !== change.after?.taints;
    default:
      return change.kind === 'pod-itself';
  }
};

/** The labels of namespaces are not looked up: a wrong yes costs one attempt. */
const anyNamespace = (): Labels => undefined;

const otherPods: Rule = ({ facts }, change) => {
  const { near = [], far = [] } = facts.terms ?? {};
  const isOpen = [...near, ...far].some(({ namespaceSelector }) => namespaceSelector !== undefined);
  switch (change.kind) {
    case 'pod-placed':
      return isOpen || near.some((term) => termMatches(term, change.pod, anyNamespace));
    case 'pod-gone':
      return (
        isOpen ||
        far.some((term) => termMatches(term, change.pod, anyNamespace)) ||
        (change.pod.terms?.far.length ?? 0) > 0
      );
    case 'node':
      return hasOtherLabels(change);
    case 'pod-labels':
    case 'pod-itself':
    case 'namespaces':
      return true;
    default:
      return false;
  }
};

const claims: Rule = ({ facts }, change) =>
  change.kind === 'volumes'
    ? change.namespace === undefined || change.namespace === facts.namespace
    : hasOtherLabels(change);

const RULES: Readonly<Record<PluginName, Rule>> = {
  NodeUnschedulable: ({ pod }, change) =>
    becomes(change, ({ unschedulable }) => !unschedulable) ||
    (change.kind === 'pod-itself' && toleratesCordon(pod)),
  TaintToleration: ({ pod: { spec } }, change) =>
    becomes(change, ({ taints }) => !isKeptOff(taints, spec?.tolerations)) ||
    change.kind === 'pod-itself',
  NodeAffinity: nodeAffinity,
  NodePorts: ports,
  NodeResourcesFit: resources,
  NodeResourcesBalancedAllocation: () => false,
  VolumeRestrictions: ({ facts }, change) =>
    (change.kind === 'pod-gone' &&
      change.pod.namespace === facts.namespace &&
      change.pod.claims.some((name) => facts.claims.includes(name))) ||
    change.kind === 'volumes',
  VolumeBinding: claims,
  PodTopologySpread: spread,
  InterPodAffinity: otherPods,
};
