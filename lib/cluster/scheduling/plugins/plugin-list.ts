import type { FilterPlugin, ScorePlugin } from '../model/plugin.ts';
import { claimedVolumes, exclusiveVolumes } from './claimed-volumes.ts';
import { interPodAffinity, interPodPreferenceScore } from './inter-pod-affinity.ts';
import { topologySpread, topologySpreadScore } from './pod-spreading.ts';
import { nodeAffinity, nodePreferenceScore } from './node-affinity.ts';
import { nodePorts } from './host-ports.ts';
import {
  balancedAllocationScore,
  leastAllocatedScore,
  nodeResourcesFit,
} from './node-resources.ts';
import { nodeUnschedulable } from './node-unschedulable.ts';
import { avoidedTaintScore, taintToleration } from './taint-toleration.ts';

/**
 * The filters in the order of kube-scheduler: the first one that is against a node says why.
 * @see pkg/scheduler/apis/config/v1/default_plugins.go @ v1.37.2
 */
export const FILTERS: readonly FilterPlugin[] = [
  nodeUnschedulable,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  exclusiveVolumes,
  claimedVolumes,
  topologySpread,
  interPodAffinity,
];

/** The scores with the weights of kube-scheduler, without `ImageLocality`: no images are kept here. */
export const SCORES: readonly ScorePlugin[] = [
  avoidedTaintScore,
  nodePreferenceScore,
  leastAllocatedScore,
  topologySpreadScore,
  interPodPreferenceScore,
  balancedAllocationScore,
];
