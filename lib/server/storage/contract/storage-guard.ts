import type { Revision } from '../../mvcc/contract/key-value-store.ts';

/** A key that has to be in the state in which it was found good, at the very moment of a write. */
export interface GuardedState {
  readonly key: string;
  readonly revision: Revision;
}

/**
 * A condition on another key than the one that is written, such as the lease of the writer. It is compared in the transaction of the
 * write, so that nothing can come between the check and the write.
 */
export interface StorageGuard {
  /** Reads the key. Called again when it has changed before the transaction. @throws the reason why the write may not be carried out. */
  current(): Promise<GuardedState>;
}
