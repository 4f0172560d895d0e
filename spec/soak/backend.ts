import type { ListerWatcher } from '../../lib/cache/reflector/contract/lister-watcher.ts';
import type { History } from './history.ts';
import type { Draft, Thing, View } from './thing.ts';

/** A server that the soak writes to, and that knows its own history. */
export interface Backend {
  /** Of the collection as the informer selects it. */
  readonly history: History;
  /** The collection, without faults. */
  readonly source: ListerWatcher<View>;
  /** Whether the next write would be taken. */
  readonly writable: boolean;
  /** The number of a version in the history. */
  seqOf(version: string): number;
  /** Whether selected or not. */
  find(key: string): Thing | undefined;
  keys(): Iterable<string>;
  put(draft: Draft): Promise<void> | void;
  remove(key: string): Promise<void> | void;
  compact(): Promise<void> | void;
  /** Before anything else. */
  open(): Promise<void> | void;
  close(): Promise<void> | void;
}
