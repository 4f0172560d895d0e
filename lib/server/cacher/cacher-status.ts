import type { ReadinessState } from './reads/cacher-readiness.ts';

/** The state of a cacher. */
export interface CacherStatus {
  readonly readiness: ReadinessState;
  /** Number of times the cache has been filled. */
  readonly generation: number;
  /** False from a check that found a difference to the storage until a later check finds none. */
  readonly consistent: boolean;
  /** The resource version of the cache. */
  readonly resourceVersion: string;
  readonly objectCount: number;
  /** Number of events in the sliding window, and its present capacity. */
  readonly historySize: number;
  readonly historyCapacity: number;
  readonly watcherCount: number;
}
