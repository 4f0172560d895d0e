import type { ClusterState } from './cluster-state.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodFacts, PodToPlace } from './pod-facts.ts';

/** The plug-ins, by the names that they have in kube-scheduler. */
export type PluginName =
  | 'NodeUnschedulable'
  | 'TaintToleration'
  | 'NodeAffinity'
  | 'NodePorts'
  | 'NodeResourcesFit'
  | 'NodeResourcesBalancedAllocation'
  | 'VolumeRestrictions'
  | 'VolumeBinding'
  | 'PodTopologySpread'
  | 'InterPodAffinity';

/** Why a pod does not go onto a node. */
export interface Rejection {
  readonly plugin: PluginName;
  readonly reasons: readonly string[];
  /** Whether it may fit once other pods are gone. */
  readonly resolvable: boolean;
}

export function rejection(
  plugin: PluginName,
  reason: string,
  { resolvable }: { readonly resolvable: boolean },
): Rejection {
  return { plugin, reasons: [reason], resolvable };
}

/** A filter for one pod. */
export interface FilterStep {
  readonly filter: (node: NodeInfo) => Rejection | undefined;
  /** For filters that look beyond the node: a pod more or less on it, as a trial. */
  readonly shift?: ((pod: PodFacts, node: NodeInfo, by: 1 | -1) => void) | undefined;
  /** For filters with `shift`: one that can be shifted without effect on this one. */
  readonly copy?: (() => FilterStep) | undefined;
}

/** The part of a filter that is the same for all nodes. */
export interface Prepared {
  readonly step?: FilterStep | undefined;
  /** No node can take the pod. */
  readonly refusal?: Rejection | undefined;
  /** The only nodes that are asked. */
  readonly only?: ReadonlySet<string> | undefined;
}

export interface FilterPlugin {
  readonly name: PluginName;
  /** Undefined: the plug-in has nothing to do with the pod. */
  prepare(pod: PodToPlace, state: ClusterState): Prepared | undefined;
}

/** A score for one pod. */
export interface ScoreStep {
  readonly score: (node: NodeInfo) => number;
  /** Brings the scores of all nodes to the range from 0 to 100. */
  readonly normalize?: ((scores: number[], nodes: readonly NodeInfo[]) => void) | undefined;
}

export interface ScorePlugin {
  readonly name: PluginName;
  readonly weight: number;
  /** Undefined: the score is the same for all nodes. */
  prepare(pod: PodToPlace, state: ClusterState, nodes: readonly NodeInfo[]): ScoreStep | undefined;
}

/** Scores in proportion to the greatest, which gets 100; or the other way round. */
export function inProportion(
  scores: number[],
  { reversed = false }: { readonly reversed?: boolean } = {},
): void {
  let most = 0;
  for (const score of scores) most = Math.max(most, score);
  for (let index = 0; index < scores.length; index += 1) {
    const share = most === 0 ? 0 : Math.floor((100 * (scores[index] ?? 0)) / most);
    scores[index] = reversed ? 100 - share : share;
  }
}
