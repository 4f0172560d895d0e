import type { StoredMeta } from '../../meta/stored.ts';
import type { Pod } from '../../types/built-in/core-v1-kinds.ts';
import { readyCondition, timeMs, timestamp } from '../ownership/pod-activity.ts';

interface ServiceState {
  readonly serviceMs: number;
  readonly pods: ReadonlyMap<string, number>;
}

/**
 * When the changes happened that a write of endpoints answers to: the earliest change of a service or of the readiness of its pods since the
 * last look. Of a service that is seen for the first time, its creation.
 *
 * Memory: a number for each pod of each service.
 * @see endpointslice util/trigger_time_tracker.go ComputeEndpointLastChangeTriggerTime @ v0.37.2
 */
export class TriggerTimes {
  readonly #states = new Map<string, ServiceState>();

  /** As RFC 3339; undefined when nothing has changed that has a time. */
  look(key: string, service: StoredMeta, pods: readonly Pod[]): string | undefined {
    const before = this.#states.get(key);
    const serviceMs = timeMs(service.creationTimestamp) ?? 0;
    const times = new Map<string, number>();
    let earliest = serviceMs > (before?.serviceMs ?? 0) ? serviceMs : Infinity;
    for (const pod of pods) {
      const sinceMs = timeMs(readyCondition(pod)?.lastTransitionTime) ?? 0;
      if (sinceMs === 0) continue;
      const { name = '' } = pod.metadata ?? {};
      times.set(name, sinceMs);
      if (sinceMs > (before?.pods.get(name) ?? 0)) earliest = Math.min(earliest, sinceMs);
    }
    this.#states.set(key, { serviceMs, pods: times });
    if (before === undefined) earliest = serviceMs;
    return earliest === Infinity ? undefined : timestamp(earliest);
  }

  forget(key: string): void {
    this.#states.delete(key);
  }
}
