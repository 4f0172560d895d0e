import type { PodPhase, PodSpec } from '../../../types/built-in/core-v1-kinds.ts';
import { isAlive, type ContainerLife } from '../containers/container-life.ts';
import { hasMainStarted, isRestarted } from './pod-plan.ts';

export interface PhaseFacts {
  readonly spec: PodSpec;
  readonly containers: readonly ContainerLife[];
  /** Its containers will not run again, whatever its policy says. */
  readonly isTerminal: boolean;
}

/**
 * The phase of a pod, from its containers.
 * @see kubernetes pkg/kubelet/kubelet_pods.go getPhase @ v1.37.2
 */
export function podPhase({ spec, containers, isTerminal }: PhaseFacts): PodPhase {
  const ofRole = (role: ContainerLife['role']): readonly ContainerLife[] =>
    containers.filter((one) => one.role === role);
  const [inits, sidecars, mains] = [ofRole('init'), ofRole('sidecar'), ofRole('main')];
  const hasFailed = ({ exit }: ContainerLife): boolean => exit !== undefined && exit.exitCode !== 0;
  if (inits.some((one) => hasFailed(one) && !isRestarted(spec, one))) return 'Failed';
  const isPending = (one: ContainerLife): boolean => !isAlive(one) && one.exit === undefined;
  if (inits.some((one) => isAlive(one) || one.exit === undefined)) return 'Pending';
  const waitsForSidecar = sidecars.some((one) => isPending(one) || (isAlive(one) && !one.started));
  if (waitsForSidecar && !hasMainStarted({ containers })) return 'Pending';
  if (mains.some(isPending) || sidecars.some(isPending)) return 'Pending';
  if (mains.some(isAlive) || sidecars.some(isAlive)) return 'Running';
  if (mains.length === 0) return 'Pending';
  if (!isTerminal && mains.some((one) => isRestarted(spec, one))) return 'Running';
  return mains.some(hasFailed) ? 'Failed' : 'Succeeded';
}
