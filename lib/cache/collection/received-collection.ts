import type { KnownValue } from '../../meta/json/known-values.ts';
import { objectKey } from '../../meta/key.ts';
import { identityOf, type ObjectView } from '../../meta/object-view.ts';
import { isNewer } from '../../meta/versions/version-order.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectMemory } from '../memory/object-memory.ts';
import { longestMemberOf } from '../memory/views/kept-view.ts';
import type { ListerWatcher } from '../reflector/contract/lister-watcher.ts';
import type { ReceivedObjects } from '../reflector/contract/received-objects.ts';
import type { ThreadSafeStore } from '../store/thread-safe-store.ts';
import { scopeOf } from './namespaces/namespace-sink.ts';

export interface ReceivedParts<T extends KubernetesObject> {
  readonly store: ThreadSafeStore<ObjectView<T>>;
  readonly fifo: { readonly size: number };
  readonly memory: ObjectMemory<ObjectView<T>>;
  readonly stopped: AbortSignal;
  /** The newest version that was received. */
  readonly receivedVersion: () => string;
  /** One of several that the cache has. */
  readonly namespace?: string | undefined;
}

/** The objects of a collection as they were received. */
export function receivedOf<T extends KubernetesObject>(
  parts: ReceivedParts<T>,
): ReceivedObjects<ObjectView<T>> {
  const { store, fifo, memory, stopped, receivedVersion, namespace: only } = parts;
  const knownValueOf = (name: string, namespace: string = ''): KnownValue | undefined => {
    if (store.size === 0) return undefined;
    const stored = store.get(objectKey({ namespace, name }));
    return stored && longestMemberOf(stored);
  };
  const all: ReceivedObjects<ObjectView<T>> = {
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
    knownValueOf,
  };
  if (only === undefined) return all;
  const scope = scopeOf(only);
  return {
    ...all,
    get resourceVersion(): string {
      return fifo.size === 0 ? receivedVersion() : '';
    },
    get backlog(): number {
      return fifo.size;
    },
    get: (key) => (key.startsWith(scope) ? store.get(key) : undefined),
    list: () => store.list().filter((object) => identityOf(object).namespace === only),
    keys: () => store.keys().filter((key) => key.startsWith(scope)),
    // The memory reports objects of all namespaces.
    deferReleases: () => undefined,
  };
}

/** The source with the cache that asks in each request. */
export function askedBy<T extends KubernetesObject>(
  cache: ReceivedObjects<ObjectView<T>>,
  source: ListerWatcher<ObjectView<T>>,
): ListerWatcher<ObjectView<T>> {
  const { description, resource, supports } = source;
  return {
    description,
    resource,
    supports,
    list: (request, onItems) => source.list({ ...request, cache }, onItems),
    watch: (request) => source.watch({ ...request, cache }),
  };
}
