import { controllerOf } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Pod, PodCondition } from '../../types/built-in/core-v1-kinds.ts';

/** Whether all containers of the pod have ended for good. */
export function isPodEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Whether the pod counts as a replica: it has not ended, and is not being deleted. */
export function isPodActive(pod: Pod): boolean {
  return !isPodEnded(pod) && pod.metadata?.deletionTimestamp === undefined;
}

/** Whether the pod is being deleted and its containers may still run. */
export function isPodTerminating(pod: Pod): boolean {
  return !isPodEnded(pod) && pod.metadata?.deletionTimestamp !== undefined;
}

export function readyCondition({ status }: Pod): PodCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

export function isPodReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === 'True';
}

/** Since when the pod has been ready, milliseconds since the epoch; undefined if it is not, or does not say. */
export function readySinceMs(pod: Pod): number | undefined {
  const condition = readyCondition(pod);
  return condition?.status === 'True' ? timeMs(condition.lastTransitionTime) : undefined;
}

/** A time of the API in milliseconds since the epoch; undefined without one. */
export function timeMs(time: string | Date | undefined): number | undefined {
  const ms = time === undefined ? NaN : new Date(time).getTime();
  return Number.isNaN(ms) ? undefined : ms;
}

/** A time in the precision of the API: seconds. */
export function timestamp(wallMs: number): string {
  return new Date(wallMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** How long a pod has to be ready until it counts as available, and the present. */
export interface Availability {
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

/** @see kubernetes pkg/api/v1/pod/util.go IsPodAvailable @ v1.37.2 */
export function isPodAvailable(pod: Pod, { minReadySeconds, nowMs }: Availability): boolean {
  if (!isPodReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const sinceMs = readySinceMs(pod);
  return sinceMs !== undefined && sinceMs + minReadySeconds * 1000 <= nowMs;
}

/** Milliseconds until the next one of the ready pods becomes available; undefined if none will. */
export function nextAvailableMs(
  pods: readonly Pod[],
  { minReadySeconds, nowMs }: Availability,
): number | undefined {
  const times = pods.flatMap((pod) => readySinceMs(pod) ?? []);
  const waits = times.map((sinceMs) => sinceMs + minReadySeconds * 1000 - nowMs);
  const pending = waits.filter((wait) => wait > 0);
  return pending.length === 0 ? undefined : Math.min(...pending);
}

/** Whether this owner controls the pod. */
export function isControlledBy(
  pod: Stored<Pod>,
  owner: { readonly metadata: { readonly uid: string } },
): boolean {
  return controllerOf(pod)?.uid === owner.metadata.uid;
}
