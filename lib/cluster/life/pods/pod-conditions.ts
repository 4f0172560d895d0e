import type {
  ContainerStatus,
  Pod,
  PodCondition,
  PodPhase,
} from '../../../types/built-in/core-v1-kinds.ts';
import { isAlive, type ContainerLife } from '../containers/container-life.ts';
import { hasMainStarted } from './pod-plan.ts';
import { timestamp } from '../clock/life-clock.ts';

export interface ConditionFacts {
  readonly pod: Pod;
  readonly phase: PodPhase;
  readonly containers: readonly ContainerLife[];
  /** Those of all containers. */
  readonly statuses: readonly ContainerStatus[];
  /** Whether its network is there. */
  readonly hasSandbox: boolean;
  readonly nowMs: number;
}

type Bare = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

/**
 * The conditions of a pod that its node writes, those that have not changed with their times.
 * @see kubernetes pkg/kubelet/status/generate.go @ v1.37.2
 */
export function podConditions(facts: ConditionFacts): readonly PodCondition[] {
  const { pod, nowMs, hasSandbox } = facts;
  const ready = containersReady(facts);
  const bare: readonly Bare[] = [
    { type: 'PodReadyToStartContainers', status: hasSandbox ? 'True' : 'False' },
    initialized(facts),
    podReady(facts, ready),
    ready,
    { type: 'PodScheduled', status: 'True' },
  ];
  return dated(bare, pod, nowMs);
}

/** Conditions with the times of their last changes. */
export function dated(
  bare: readonly Bare[],
  { metadata, status }: Pod,
  nowMs: number,
): readonly PodCondition[] {
  const { generation } = metadata ?? {};
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const present = status?.conditions ?? [];
  return bare.map((one) => {
    const old = present.find(({ type }) => type === one.type);
    const isSame = old?.status === one.status && old.lastTransitionTime !== undefined;
    const lastTransitionTime = isSame ? old.lastTransitionTime : timestamp(nowMs);
    // That of the scheduler stays as it is.
    if (isSame && one.type === 'PodScheduled') return { ...old, ...observed };
    return { ...one, ...observed, lastTransitionTime };
  });
}

function initialized({ pod, phase, containers, statuses }: ConditionFacts): Bare {
  const type = 'Initialized';
  if (phase === 'Succeeded') return { type, status: 'True', reason: 'PodCompleted' };
  if (hasMainStarted({ containers })) return { type, status: 'True' };
  const inits = pod.spec?.initContainers ?? [];
  const incomplete = inits.filter(({ name, restartPolicy }) => {
    const status = statuses.find((one) => one.name === name);
    return restartPolicy === 'Always' ? status?.started !== true : status?.ready !== true;
  });
  if (incomplete.length === 0) return { type, status: 'True' };
  return {
    type,
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: ${goList(incomplete)}`,
  };
}

function containersReady({ phase, containers }: ConditionFacts): Bare {
  const type = 'ContainersReady';
  if (phase === 'Succeeded') return { type, status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  const unready = containers.filter(
    (one) => (one.role === 'main' || one.role === 'sidecar') && !(isAlive(one) && one.ready),
  );
  if (unready.length === 0) return { type, status: 'True' };
  return {
    type,
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: ${goList(unready)}`,
  };
}

function podReady({ pod }: ConditionFacts, containers: Bare): Bare {
  const type = 'Ready';
  if (containers.status !== 'True') return { ...containers, type };
  const conditions = pod.status?.conditions ?? [];
  const problems = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const quoted = JSON.stringify(conditionType);
    const condition = conditions.find((one) => one.type === conditionType);
    if (condition === undefined) {
      return `corresponding condition of pod readiness gate ${quoted} does not exist.`;
    }
    if (condition.status === 'True') return [];
    return `the status of pod readiness gate ${quoted} is not "True", but ${condition.status}`;
  });
  if (problems.length === 0) return { type, status: 'True' };
  const message = problems.join(', ');
  return { type, status: 'False', reason: 'ReadinessGatesNotReady', message };
}

/** As Go prints a list of texts. */
function goList(containers: readonly { readonly name: string }[]): string {
  return `[${containers.map(({ name }) => name).join(' ')}]`;
}
