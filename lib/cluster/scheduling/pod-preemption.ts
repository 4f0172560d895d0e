import type { Runtime } from '../../kernel/time/runtime.ts';
import { randomInteger } from '../../kernel/time/random.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Pod } from '../../types/built-in/core-v1-kinds.ts';
import type { PodDisruptionBudget } from '../../types/built-in/policy-v1-kinds.ts';
import type { FilterRun } from './filter-run.ts';
import { type Diagnosis, fitMessage } from './fit-message.ts';
import type { ClusterState } from './model/cluster-state.ts';
import type { NodeInfo } from './model/node-info.ts';
import type { PodFacts, PodToPlace } from './model/pod-facts.ts';
import type { Rejection } from './model/plugin.ts';
import { type Candidate, cheapest, NO_VICTIMS, selectVictims, type Victim } from './victims.ts';

const LEAST_CANDIDATES = 100;
const CANDIDATE_SHARE = 0.1;

export interface PreemptionParts {
  readonly state: ClusterState;
  readonly runtime: Pick<Runtime, 'random' | 'wallMs'>;
  /** The object of a pod on a node. */
  readonly podOf: (facts: PodFacts) => Stored<Pod> | undefined;
  readonly budgets: () => readonly PodDisruptionBudget[];
}

/** The result of a look for pods that may leave their node for another one. */
export interface PreemptionResult {
  /** For the end of the message of the pod. */
  readonly message: string;
  readonly candidate?: Candidate | undefined;
  /** The node that the pod waits for from now on; the empty text for none, undefined for the same as before. */
  readonly nominated: string | undefined;
}

/** Whether some pod on a node is less important than this one. */
export function mayPreempt({ pod, facts }: PodToPlace, state: ClusterState): boolean {
  return pod.spec?.preemptionPolicy !== 'Never' && state.hasPodsBelow(facts.priority);
}

/**
 * Looks for the node from which the least important pods would have to go.
 * @see pkg/scheduler/framework/preemption/preemption.go Preempt @ v1.37.2
 */
export function preempt(
  run: FilterRun,
  diagnosis: Diagnosis,
  nominated: string | undefined,
  parts: PreemptionParts,
): PreemptionResult {
  const { pod } = run;
  // As kube-scheduler says it: a plug-in that looks after dynamic resources was not asked before, and finds nothing of its own.
  if (diagnosis.refusal !== undefined) return { message: 'not found', nominated: undefined };
  const bar = whyNot(pod, diagnosis, nominated, parts);
  if (bar !== undefined) return { message: `preemption: ${bar}`, nominated: undefined };
  const { candidates, rejected } = candidatesOf(run, diagnosis, parts);
  const candidate = cheapest(candidates);
  if (candidate === undefined) {
    const unasked = 'Preemption is not helpful for scheduling';
    const text = fitMessage({ nodes: diagnosis.nodes, refusal: undefined, rejected, unasked });
    return { message: `preemption: ${text}`, nominated: '' };
  }
  const { node, victims } = candidate;
  const found = `found a potential placement for pod on node ${node}, preempting ${victims.length} victims`;
  return { message: `preemption: ${found}`, candidate, nominated: node };
}

/** Why the pod may not preempt others, if it may not. */
function whyNot(
  { pod, facts }: PodToPlace,
  { rejected }: Diagnosis,
  nominated: string | undefined,
  { state, podOf }: PreemptionParts,
): string | undefined {
  if (pod.spec?.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const node = nominated === undefined ? undefined : state.node(nominated);
  if (node === undefined || rejected.get(node)?.resolvable === false) return undefined;
  const isWaiting = [...node.pods.values()].some(
    (one) => one.priority < facts.priority && one.deleting && isPreempted(podOf(one)),
  );
  return isWaiting ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

function isPreempted(pod: Stored<Pod> | undefined): boolean {
  return (pod?.status?.conditions ?? []).some(
    ({ type, status, reason }) =>
      type === 'DisruptionTarget' && status === 'True' && reason === 'PreemptionByScheduler',
  );
}

interface Found {
  readonly candidates: readonly Candidate[];
  readonly rejected: ReadonlyMap<NodeInfo, Rejection>;
}

function candidatesOf(run: FilterRun, diagnosis: Diagnosis, parts: PreemptionParts): Found {
  const nodes = [...diagnosis.rejected].flatMap(([node, { resolvable }]) =>
    resolvable ? [node] : [],
  );
  const rejected = new Map<NodeInfo, Rejection>();
  const candidates: Candidate[] = [];
  if (nodes.length === 0) return { candidates, rejected };
  const budgets = parts.budgets();
  const share = Math.floor(nodes.length * CANDIDATE_SHARE);
  const enough = Math.min(nodes.length, Math.max(LEAST_CANDIDATES, share));
  const start = randomInteger(parts.runtime, 0, nodes.length - 1);
  for (let index = 0; index < nodes.length; index += 1) {
    const node = nodes[(start + index) % nodes.length];
    if (node === undefined) continue;
    const possible = victimsOn(node, run.pod.facts, parts);
    const found =
      possible.length === 0 ? NO_VICTIMS : selectVictims(run.trial(node), possible, budgets);
    if ('reasons' in found) rejected.set(node, found);
    else if (found.victims.length > 0) candidates.push(found);
    const isGood = candidates.some(({ violations }) => violations === 0);
    if (candidates.length >= enough && isGood) break;
  }
  return { candidates, rejected };
}

function victimsOn(
  node: NodeInfo,
  { priority }: PodFacts,
  { state, podOf, runtime }: PreemptionParts,
): readonly Victim[] {
  if (!state.hasPodsBelow(priority)) return [];
  return [...node.pods.values()].flatMap((facts) => {
    const pod = facts.priority < priority ? podOf(facts) : undefined;
    if (pod === undefined) return [];
    const started = pod.status?.startTime;
    const startMs = started === undefined ? runtime.wallMs() : Date.parse(started);
    return [{ facts, pod, startMs }];
  });
}
