import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { ListerWatcher } from '../../reflector/contract/lister-watcher.ts';

/** The cache of an informer, as those see it that ask its server how far the cache is behind. */
export interface FollowedCache {
  readonly name: string;
  readonly runtime: Runtime;
  /** Where the server is asked. Undefined for a cache of no namespaces, which lacks nothing. */
  readonly source: ListerWatcher<HasMetadata> | undefined;
  /** False for a cache of several namespaces: one watch does not show all its changes. */
  readonly hasOneWatch: boolean;
  /** The version up to which it has every change, without own writes; empty before the first. */
  readonly reached: string;
  whenSynced(signal: AbortSignal): Promise<void>;
  /** @throws as `SharedIndexInformer.caughtUp`. */
  reach(resourceVersion: string, signal: AbortSignal): Promise<void>;
}
