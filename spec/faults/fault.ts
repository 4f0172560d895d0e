import type { World } from './world/world.ts';

/** The work of one of the handlers, besides those that record their notifications. */
export type BadHandler = 'throws' | 'hangs' | 'slow';

/** One way in which the world fails. */
export interface Fault {
  /** For `--only`. */
  readonly name: string;
  /** The behaviour of an informer, as a fact. */
  readonly title: string;
  /** The events, in one sentence. */
  readonly what: string;
  /** Longest time until the informer has caught up, from the end of the fault, or from its start when it never ends. */
  readonly limitMs: number;
  /** It begins before the informer does. @defaultValue false: it begins when the informer is synced */
  readonly early?: boolean | undefined;
  /** Objects at the start. @defaultValue 30 */
  readonly objects?: number | undefined;
  readonly handler?: BadHandler | undefined;
  /** Most requests, from the start of the fault until the informer has caught up. @defaultValue DEFAULT_BOUND */
  readonly bound?: RequestBound | undefined;
  /** Brings the fault about; resolves when it is over, or has come to stay. */
  install(world: World): Promise<void>;
}

export interface RequestBound {
  /** In any one second. */
  readonly perSecond: number;
  readonly total: number;
}

export const DEFAULT_BOUND: RequestBound = { perSecond: 8, total: 20 };

/** A limit with room for half-open connections and back-off. */
export const LIMIT_MS = 35_000;
