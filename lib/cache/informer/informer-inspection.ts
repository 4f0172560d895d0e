import type { ReflectorStateName } from '../reflector/reflector-state.ts';

export type InformerPhase = 'new' | 'running' | 'stopped';

/** One handler at one moment. */
export interface HandlerInspection {
  readonly name: string;
  readonly synced: boolean;
  /** Events that wait for the handler. */
  readonly pending: number;
  /** Callbacks that have returned. */
  readonly delivered: number;
  /** Callbacks that threw. */
  readonly failed: number;
  /** Events that were merged into others because the handler was too slow. */
  readonly coalesced: number;
  /** Effective interval, milliseconds; 0 for never. */
  readonly resyncIntervalMs: number;
}

/** An informer at one moment: plain data for a log or a debugging page. */
export interface InformerInspection {
  readonly name: string;
  readonly phase: InformerPhase;
  readonly synced: boolean;
  /** What keeps it from being synced, in words. */
  readonly waitingFor?: string | undefined;
  readonly reflector: ReflectorStateName;
  /** The newest resource version that came in. */
  readonly lastSyncResourceVersion: string;
  /** The newest resource version in the store. */
  readonly storeResourceVersion: string;
  readonly objects: number;
  readonly indexes: readonly string[];
  /** Changes that wait for the store. */
  readonly queued: number;
  /** The last failed list or watch since the watch was open. */
  readonly lastError?: string | undefined;
  readonly handlers: readonly HandlerInspection[];
}
