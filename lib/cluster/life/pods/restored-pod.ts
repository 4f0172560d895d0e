import type { ContainerStatus } from '../../../types/built-in/core-v1-kinds.ts';
import {
  newContainer,
  type ContainerExit,
  type ContainerLife,
  type ContainerRole,
} from '../containers/container-life.ts';
import type { LifePod } from './life-pod.ts';

/** Whether a pod was on its node before this process. */
export function isRestored({ status }: LifePod): boolean {
  return status?.startTime !== undefined && status.containerStatuses !== undefined;
}

/** The containers of a pod. If it was on its node before this process, what ran then runs on, and what had ended has ended. */
export function firstContainers(pod: LifePod): readonly ContainerLife[] {
  const { spec } = pod;
  const status = isRestored(pod) ? pod.status : undefined;
  const inits = spec.initContainers ?? [];
  const of = (
    names: readonly { readonly name: string; readonly restartPolicy?: string | undefined }[],
    statuses: readonly ContainerStatus[] | undefined,
    roleOf: (policy: string | undefined) => ContainerRole,
  ): ContainerLife[] =>
    names.map(({ name, restartPolicy }) => {
      const one = statuses?.find((each) => each.name === name);
      const role = roleOf(restartPolicy);
      return one === undefined ? newContainer(name, role) : restored(one, role);
    });
  return [
    ...of(inits, status?.initContainerStatuses, (policy) =>
      policy === 'Always' ? 'sidecar' : 'init',
    ),
    ...of(spec.containers, status?.containerStatuses, () => 'main'),
    ...of(spec.ephemeralContainers ?? [], status?.ephemeralContainerStatuses, () => 'ephemeral'),
  ];
}

function restored(status: ContainerStatus, role: ContainerRole): ContainerLife {
  const { name, restartCount, containerID, ready, started = false, state, lastState } = status;
  const last = exitOf(lastState?.terminated);
  const life: ContainerLife = {
    ...newContainer(name, role),
    restarts: restartCount,
    id: containerID === '' ? undefined : containerID,
    last,
  };
  if (state?.running !== undefined) {
    const startedMs = Date.parse(state.running.startedAt ?? '') || 0;
    return { ...life, phase: 'running', startedMs, started, ready };
  }
  const exit = exitOf(state?.terminated);
  if (exit !== undefined) return { ...life, phase: 'exited', exit, ready };
  // A container that waited after an end has that end as its last state.
  return last === undefined ? life : { ...life, phase: 'exited', exit: last, last: undefined };
}

function exitOf(
  terminated: NonNullable<ContainerStatus['state']>['terminated'],
): ContainerExit | undefined {
  if (terminated === undefined) return undefined;
  const {
    exitCode,
    reason = 'Error',
    message,
    startedAt,
    finishedAt,
    containerID = '',
  } = terminated;
  return {
    exitCode,
    reason,
    message,
    startedMs: Date.parse(startedAt ?? '') || 0,
    finishedMs: Date.parse(finishedAt ?? '') || 0,
    id: containerID,
  };
}
