import type { Probe } from '../../../types/built-in/core-v1-kinds.ts';

/** From the start of a container until its probe has succeeded, if it succeeds at once; a container without one is ready then. */
export function successMs({
  initialDelaySeconds = 0,
  periodSeconds = 10,
  successThreshold = 1,
}: Probe = {}): number {
  return (initialDelaySeconds + (successThreshold - 1) * periodSeconds) * 1000;
}

/** From the start of a container until a probe that never succeeds has failed too often. */
export function failureMs({
  initialDelaySeconds = 0,
  periodSeconds = 10,
  failureThreshold = 3,
}: Probe): number {
  return (initialDelaySeconds + periodSeconds * failureThreshold) * 1000;
}
