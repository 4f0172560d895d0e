import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf } from '../../../meta/object-view.ts';
import { isNewer } from '../../../meta/versions/version-order.ts';
import type { DeferredReleases, ObjectMemory } from '../../memory/object-memory.ts';
import type { ThreadSafeStore } from '../../store/thread-safe-store.ts';
import { scopeOf } from '../namespaces/namespace-sink.ts';

/** What a cache stores, as it was received: without own writes. */
export interface ReceivedObjects<V extends HasMetadata> {
  /** The version of the last change that is in it; empty before the first list. */
  readonly resourceVersion: string;
  /** Changes that were received and are not in it yet; a list counts when it is complete. */
  readonly backlog: number;
  /** Aborts when it gets no more changes. Its objects stay readable. */
  readonly stopped: AbortSignal;
  /** Whether it has everything up to a version that its source has listed. */
  has(resourceVersion: string): boolean;
  get(key: string): V | undefined;
  /** All objects, in one state. */
  list(): readonly V[];
  keys(): string[];
  /** Keeps objects readable that leave the cache, until it is disposed. */
  pin(): Disposable;
  /** As `ObjectMemory.deferReleases`; undefined also if the memory of the cache cannot do that. */
  deferReleases(onLeft: (object: V) => void): DeferredReleases<V> | undefined;
}

export interface ReceivedParts<V extends HasMetadata> {
  readonly store: ThreadSafeStore<V>;
  readonly fifo: { readonly size: number };
  readonly memory: ObjectMemory<V>;
  readonly stopped: AbortSignal;
  /** The newest version that was received. */
  readonly receivedVersion: () => string;
  /** One of several that the cache has. */
  readonly namespace?: string | undefined;
}

/** What the parts of a cache store. */
export function receivedOf<V extends HasMetadata>(parts: ReceivedParts<V>): ReceivedObjects<V> {
  const { store, fifo, memory, stopped, receivedVersion, namespace } = parts;
  const all: ReceivedObjects<V> = {
    stopped,
    get resourceVersion(): string {
      return store.resourceVersion;
    },
    get backlog(): number {
      return fifo.size;
    },
    has: (version) => fifo.size === 0 && !isNewer(version, receivedVersion()),
    get: (key) => store.get(key),
    list: () => store.list(),
    keys: () => store.keys(),
    pin: () => memory.pin('body'),
    deferReleases: (onLeft) => memory.deferReleases?.(onLeft),
  };
  if (namespace === undefined) return all;
  const scope = scopeOf(namespace);
  return {
    ...all,
    get resourceVersion(): string {
      return fifo.size === 0 ? receivedVersion() : '';
    },
    get backlog(): number {
      return fifo.size;
    },
    get: (key) => (key.startsWith(scope) ? store.get(key) : undefined),
    list: () => store.list().filter((object) => identityOf(object).namespace === namespace),
    keys: () => store.keys().filter((key) => key.startsWith(scope)),
    // They tell of objects of all namespaces.
    deferReleases: () => undefined,
  };
}
