import type {
  Container,
  ContainerState,
  ContainerStatus,
} from '../../../types/built-in/core-v1-kinds.ts';
import { timestamp } from '../clock/life-clock.ts';
import { isAlive, type ContainerExit, type ContainerLife } from '../containers/container-life.ts';
import type { PulledImage } from '../containers/image-names.ts';

export interface ContainerStatusFacts {
  readonly life: ContainerLife;
  readonly container: Container;
  readonly image: PulledImage;
  /** Why it waits when nothing else is known. */
  readonly waiting: 'ContainerCreating' | 'PodInitializing';
  /** Its pod has ended. */
  readonly isTerminal: boolean;
  /** If it has never run, that counts as a failure. */
  readonly isLost: boolean;
}

/** @see kubernetes pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses @ v1.37.2 */
export function containerStatus(facts: ContainerStatusFacts): ContainerStatus {
  const { life, container, image } = facts;
  const { name, restarts, ready, id, exit } = life;
  const hasRun = id !== undefined;
  const state = stateOf(facts);
  const last = state.terminated === undefined ? (exit ?? life.last) : life.last;
  const resources = resourcesOf(container);
  return {
    name,
    state,
    ...(last === undefined ? {} : { lastState: { terminated: terminatedOf(last) } }),
    ready,
    restartCount: restarts,
    image: hasRun ? image.name : (container.image ?? ''),
    imageID: hasRun ? image.id : '',
    ...(hasRun ? { containerID: id } : {}),
    started: isAlive(life) && life.started,
    ...resources,
  };
}

/** @see kubernetes pkg/kubelet/status/status_manager.go TerminatePod @ v1.37.2 */
const LOST = {
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located when the pod was terminated',
};

function stateOf({ life, waiting, isTerminal, isLost }: ContainerStatusFacts): ContainerState {
  const { exit, reason = waiting, message, startedMs = 0 } = life;
  if (isAlive(life)) return { running: { startedAt: timestamp(startedMs) } };
  // Until it runs again, it shows its end; a back-off, and what refuses it, is shown as such.
  if (exit !== undefined && (life.reason === undefined || isTerminal)) {
    return { terminated: terminatedOf(exit) };
  }
  if (isLost) return { terminated: LOST };
  return { waiting: { reason, ...(message === undefined ? {} : { message }) } };
}

function terminatedOf(exit: ContainerExit): NonNullable<ContainerState['terminated']> {
  const { exitCode, reason, message, startedMs, finishedMs, id } = exit;
  return {
    exitCode,
    reason,
    ...(message === undefined ? {} : { message }),
    startedAt: timestamp(startedMs),
    finishedAt: timestamp(finishedMs),
    containerID: id,
  };
}

function resourcesOf({
  resources,
}: Container): Pick<ContainerStatus, 'allocatedResources' | 'resources'> {
  const { requests, limits } = resources ?? {};
  if (requests === undefined && limits === undefined) return {};
  return {
    ...(requests === undefined ? {} : { allocatedResources: requests }),
    resources: {
      ...(limits === undefined ? {} : { limits }),
      ...(requests === undefined ? {} : { requests }),
    },
  };
}
