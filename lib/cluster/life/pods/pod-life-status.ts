import type {
  Pod,
  PodCondition,
  PodSpec,
  PodStatus,
} from '../../../types/built-in/core-v1-kinds.ts';
import type { ContainerLife, ContainerRole } from '../containers/container-life.ts';
import type { ImageNames } from '../containers/image-names.ts';
import { timestamp } from '../clock/life-clock.ts';
import type { PodFailure } from '../nodes/node-fit.ts';
import type { Allocation } from './resized-pod.ts';
import { containerStatus } from './container-status.ts';
import { dated, podConditions } from './pod-conditions.ts';
import { podPhase } from './pod-phase.ts';
import { containerSpec, hasMainStarted } from './pod-plan.ts';

export interface PodStatusFacts {
  readonly pod: Pod & { readonly spec: PodSpec };
  readonly containers: readonly ContainerLife[];
  readonly images: ImageNames;
  readonly hostIP: string;
  /** Undefined before its network is there. */
  readonly podIP: string | undefined;
  readonly startedMs: number;
  readonly failure: PodFailure | undefined;
  /** The resources that its containers have. */
  readonly allocated: Allocation;
  /** A change of them that it waits for. */
  readonly resize: PodCondition | undefined;
  /** Its containers have ended for good. */
  readonly isTerminal: boolean;
  readonly nowMs: number;
}

/**
 * The status of a pod on a node, as far as the node writes it. A phase of the API server that is final stays.
 * @see kubernetes pkg/kubelet/kubelet_pods.go generateAPIPodStatus @ v1.37.2
 */
export function podLifeStatus(facts: PodStatusFacts): PodStatus {
  const { pod, containers, hostIP, podIP, startedMs, nowMs, isTerminal } = facts;
  // A pod has failed when nothing of it runs any more.
  const failure = isTerminal ? facts.failure : undefined;
  const { spec, status, metadata } = pod;
  const isFinal = status?.phase === 'Failed' || status?.phase === 'Succeeded';
  const reached = podPhase({ spec, containers, isTerminal });
  // A pod that ends before it has done its work has failed.
  const isCutShort = isTerminal && (reached === 'Pending' || reached === 'Running');
  const own = failure !== undefined || isCutShort ? 'Failed' : reached;
  const phase = isFinal ? status.phase : own;
  const ofRoles = (roles: readonly ContainerRole[]): PodStatus['containerStatuses'] =>
    statusesOf(facts, roles);
  const [inits, mains, ephemeral] = [
    ofRoles(['init', 'sidecar']),
    ofRoles(['main']),
    ofRoles(['ephemeral']),
  ];
  const statuses = [...(inits ?? []), ...(mains ?? [])];
  const conditions = podConditions({
    pod,
    phase: phase ?? own,
    containers,
    statuses,
    hasSandbox: podIP !== undefined && !isTerminal,
    nowMs,
  });
  const { generation } = metadata ?? {};
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase,
    ...(failure === undefined || isFinal ? {} : failure),
    conditions: facts.resize === undefined ? [...conditions] : [...conditions, facts.resize],
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP === undefined ? {} : { podIP, podIPs: [{ ip: podIP }] }),
    startTime: status?.startTime ?? timestamp(startedMs),
    ...(inits === undefined ? {} : { initContainerStatuses: inits }),
    ...(mains === undefined ? {} : { containerStatuses: mains }),
    ...(ephemeral === undefined ? {} : { ephemeralContainerStatuses: ephemeral }),
  };
}

function statusesOf(
  { pod, containers, images, allocated, isTerminal }: PodStatusFacts,
  roles: readonly ContainerRole[],
): PodStatus['containerStatuses'] {
  const { spec } = pod;
  const hasInits = (spec.initContainers ?? []).length > 0;
  const waiting = hasInits ? 'PodInitializing' : 'ContainerCreating';
  const isLost = !hasInits || hasMainStarted({ containers });
  const lives = containers.filter(({ role }) => roles.includes(role));
  if (lives.length === 0) return undefined;
  return lives.flatMap((life) => {
    const container = containerSpec(spec, life.name);
    if (container === undefined) return [];
    const resources = allocated.get(life.name);
    const given = resources === undefined ? container : { ...container, resources };
    return containerStatus({
      life,
      container: given,
      image: images.of(container.image ?? ''),
      waiting,
      isTerminal,
      isLost: isTerminal && isLost && life.role === 'main',
    });
  });
}

/** The status of a pod that the node does not take. */
export function rejectedStatus(pod: Pod, failure: PodFailure, nowMs: number): PodStatus {
  const { generation } = pod.metadata ?? {};
  const message = `Pod was rejected: ${failure.message}`;
  const startTime = pod.status?.startTime ?? timestamp(nowMs);
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const failed = { status: 'False', reason: 'PodFailed' } as const;
  const bare = ['Ready', 'ContainersReady'].map((type) => ({ type, ...failed }));
  const conditions = [...dated(bare, pod, nowMs)];
  const { reason } = failure;
  return { ...observed, phase: 'Failed', reason, message, startTime, conditions };
}

/**
 * The fields of a status that differ from what the API server has, as a strategic merge patch; undefined if none does. Conditions of others
 * stay.
 */
export function statusPatch(present: PodStatus | undefined, wanted: PodStatus): object | undefined {
  const patch: Record<string, unknown> = {};
  const { conditions = [], ...fields } = wanted;
  const had: Readonly<Record<string, unknown>> = { ...present };
  for (const [name, value] of Object.entries(fields)) {
    if (!isEqual(had[name], value)) patch[name] = value;
  }
  const changed = conditions.filter((one) => {
    const old = present?.conditions?.find(({ type }) => type === one.type);
    return !isEqual(old, one);
  });
  const isOver = ({ type }: PodCondition): boolean =>
    type === RESIZE && !conditions.some((one) => one.type === RESIZE);
  const over = (present?.conditions ?? []).filter(isOver);
  if (changed.length + over.length > 0) {
    patch['conditions'] = [
      ...changed.map((one) => withoutRest(one, present)),
      ...over.map(({ type }) => ({ $patch: 'delete', type })),
    ];
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** It is there only while a change waits. */
const RESIZE = 'PodResizePending';

/** A merge keeps what a condition does not name any more. */
function withoutRest(condition: PodCondition, present: PodStatus | undefined): object {
  const old = present?.conditions?.find(({ type }) => type === condition.type);
  const reason = old?.reason === undefined ? {} : { reason: null };
  const message = old?.message === undefined ? {} : { message: null };
  return { ...reason, ...message, ...condition };
}

/** Values of JSON; null, an empty object and an absent one are the same. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return isEmpty(one) && isEmpty(other);
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other)) return isEmpty(one) && isEmpty(other);
    return one.length === other.length && one.every((item, at) => isEqual(item, other[at]));
  }
  const [left, right] = [Object.entries(one ?? {}), new Map(Object.entries(other ?? {}))];
  for (const [name, value] of left) {
    if (!isEqual(value, right.get(name))) return false;
    right.delete(name);
  }
  return [...right.values()].every(isEmpty);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
