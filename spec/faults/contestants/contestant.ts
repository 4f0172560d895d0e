import type { BadHandler } from '../fault.ts';

/** One call of an event handler. */
export interface Delivery {
  readonly type: 'add' | 'update' | 'delete';
  readonly key: string;
  readonly resourceVersion: string;
}

/** The notifications of one handler, in order. */
export interface Deliveries {
  readonly handler: string;
  readonly notified: readonly Delivery[];
}

/** Where a contestant finds the cluster. */
export interface Target {
  readonly server: string;
  readonly token: string;
  readonly badHandler: BadHandler | undefined;
}

/** Something that mirrors a collection and calls handlers. */
export interface Contestant {
  readonly name: string;
  /** Whether the process it runs in is alive and has nothing unhandled. */
  readonly survives: boolean;
  /** Resource versions by key, as the cache shows them. */
  cache(): ReadonlyMap<string, string>;
  deliveries(): readonly Deliveries[];
  /** The events of the contestant, in words. */
  story(): string;
  close(): Promise<void>;
}

/** Starts a contestant; resolves when it runs, synced or not. */
export interface ContestantKind {
  readonly name: string;
  start(target: Target): Promise<Contestant>;
}
