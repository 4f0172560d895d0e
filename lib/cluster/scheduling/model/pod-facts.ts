import type { Labels } from '../../../meta/selectors/label-selector.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { Pod } from '../../../types/built-in/core-v1-kinds.ts';
import { type PodTerms, podTerms, spreadOwner } from './affinity-terms.ts';
import { type Amounts, podRequests, UNSTATED } from './amounts.ts';

export interface HostPort {
  readonly ip: string;
  /** Protocol and number. */
  readonly port: string;
}

/** A pod as it counts for other pods, without its object. */
export interface PodFacts {
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly priority: number;
  readonly labels: Labels;
  readonly deleting: boolean;
  readonly requests: Amounts;
  /** The requests, with an assumption for containers that say nothing. */
  readonly scored: Amounts;
  readonly hostPorts: readonly HostPort[];
  readonly terms: PodTerms | undefined;
  /** The names of its claims. */
  readonly claims: readonly string[];
  readonly owner: string | undefined;
}

/** A pod that waits for a node. */
export interface PodToPlace {
  readonly pod: Stored<Pod>;
  readonly facts: PodFacts;
}

const NOTHING: readonly never[] = [];

export function podFacts(pod: Stored<Pod>): PodFacts {
  const { name, namespace = '', uid, labels, deletionTimestamp, ownerReferences } = pod.metadata;
  const { priority = 0, affinity } = pod.spec ?? {};
  return {
    key: `${namespace}/${name}`,
    uid,
    namespace,
    name,
    priority,
    labels,
    deleting: deletionTimestamp !== undefined,
    requests: podRequests(pod),
    scored: podRequests(pod, UNSTATED),
    hostPorts: hostPortsOf(pod),
    terms: podTerms(affinity, namespace),
    claims: claimsOf(pod),
    owner: spreadOwner(ownerReferences),
  };
}

/** The ports of the node that containers take; those of init containers only if they go on to run. */
function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const sidecars = spec?.initContainers?.filter((one) => one.restartPolicy === 'Always') ?? [];
  const ports: HostPort[] = [];
  for (const { ports: own = [] } of [...(spec?.containers ?? []), ...sidecars]) {
    for (const { hostPort = 0, hostIP, protocol = 'TCP' } of own) {
      if (hostPort > 0) ports.push({ ip: hostIP || '0.0.0.0', port: `${protocol} ${hostPort}` });
    }
  }
  return ports.length === 0 ? NOTHING : ports;
}

function claimsOf({ metadata, spec }: Stored<Pod>): readonly string[] {
  const names: string[] = [];
  for (const { name, persistentVolumeClaim: claim, ephemeral } of spec?.volumes ?? []) {
    if (claim !== undefined) names.push(claim.claimName);
    else if (ephemeral !== undefined) names.push(`${metadata.name}-${name}`);
  }
  return names.length === 0 ? NOTHING : names;
}

/** Whether two states of a pod on a node count the same for others. */
export function countsTheSame(old: Stored<Pod>, now: Stored<Pod>): boolean {
  const [before, after] = [old.metadata, now.metadata];
  return (
    before.uid === after.uid &&
    before.generation === after.generation &&
    before.deletionTimestamp === after.deletionTimestamp &&
    old.spec?.nodeName === now.spec?.nodeName &&
    !isResizing(old) &&
    !isResizing(now) &&
    sameLabels(before.labels, after.labels)
  );
}

function isResizing({ status }: Pod): boolean {
  return (status?.conditions ?? []).some(({ type }) => type.startsWith('PodResize'));
}

export function sameLabels(one: Labels, other: Labels): boolean {
  if (one === other) return true;
  const names = Object.keys(one ?? {});
  if (names.length !== Object.keys(other ?? {}).length) return false;
  return names.every((name) => one?.[name] === other?.[name]);
}
