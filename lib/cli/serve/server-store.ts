import type { KeyValueStore } from '../../server/mvcc/contract/key-value-store.ts';

/** Where the state of the server is. */
export interface ServerStore {
  /** Left out: in memory, made and closed by the server. */
  readonly keyValueStore: KeyValueStore | undefined;
  /** For a message, e.g. `in memory`. */
  readonly description: string;
  /**
   * Keeps what the server wrote; called after the server is closed. Resolves to a message.
   * @throws {ListwatchError} SNAPSHOT_FILE.
   */
  keep(): Promise<string | undefined>;
  /** Releases the store. `unused`: no client has seen it. */
  close(options: { readonly unused: boolean }): Promise<void>;
}
