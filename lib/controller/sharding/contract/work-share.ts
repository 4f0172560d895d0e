import type { WriteFence } from '../../../client/transport/contract/write-fence.ts';

/** Works on keys of a share: a controller. */
export interface ShareWorker {
  readonly name: string;
  /** The share has keys that it did not have before: all objects are looked through for them. */
  gained(): void;
  /**
   * The share has no more of the keys that `covers` names. Resolves when none of them is worked on. Runs that go on for longer than
   * `undisturbedMs` get an aborted signal. Never rejects.
   */
  drained(covers: (key: string) => boolean, undisturbedMs: number): Promise<void>;
}

/**
 * The keys that one of several replicas works on: all or none of them with leader election, a part of them with sharding.
 *
 * A worker asks `has` when a key comes, so that no other key waits in its queue, and again in the step in which a run begins.
 */
export interface WorkShare {
  /** Whether it has any keys. */
  readonly isActive: boolean;
  /** Whether this replica may begin a run of the key at this moment. */
  has(key: string): boolean;
  /** Needed by the writes of a run. */
  readonly fence: WriteFence;
  /** From now on the worker is notified of changes, until the returned function is called. */
  join(worker: ShareWorker): () => void;
}
