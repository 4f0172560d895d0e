import { metaNamespaceKeyFunc } from '../../meta/key.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ResolvedInformerOptions } from '../informer/options/informer-options.ts';
import type { Collection } from './collection.ts';

/**
 * The collection of another informer that asks for the same, if there is one: the same source (one client with its credentials, resource,
 * namespace, selectors), the same form of the objects, runtime, log and metrics. Otherwise `own`, which others may join from now on.
 */
export function joinedCollection<T extends KubernetesObject>(own: Collection<T>): Collection<T> {
  const { options } = own;
  const { sharing } = options.listerWatcher.supports ?? {};
  const form = formOf(options);
  if (sharing === undefined || form === undefined) return own;
  const { collections, key: source } = sharing;
  const { firstList = 'any' } = options.reflector;
  const keyWith = (first: string): string => JSON.stringify([source, form, first]);
  // A collection that began with the newest state serves those too that take any.
  for (const first of new Set([firstList, 'newest'])) {
    for (const present of collections.of<Collection<T>>(keyWith(first))) {
      if (!present.isOpen || !reportAlike(present.options, options)) continue;
      return present.indexes.takeAll(own) ? present : own;
    }
  }
  const shared = collections.add(keyWith(firstList), own);
  own.stopped.addEventListener('abort', () => shared[Symbol.dispose](), { once: true });
  return own;
}

function reportAlike<T extends KubernetesObject>(
  one: ResolvedInformerOptions<T>,
  other: ResolvedInformerOptions<T>,
): boolean {
  const { runtime, logger, metrics, onError } = one;
  return (
    runtime === other.runtime &&
    logger === other.logger &&
    metrics === other.metrics &&
    onError === other.onError
  );
}

/** The parts of the options that have to be equal; undefined: the informer has something of its own, and shares with none. */
function formOf<T extends KubernetesObject>(
  options: ResolvedInformerOptions<T>,
): readonly unknown[] | undefined {
  const { keyFunc, transform, matches, namespaces, resyncIntervalMs, cache, share } = options;
  const { warmStart } = options;
  const own = [transform, matches, namespaces, cache.memory, warmStart].some(
    (one) => one !== undefined,
  );
  if (!share || own || keyFunc !== metaNamespaceKeyFunc || resyncIntervalMs > 0) return undefined;
  const { firstList: _, ...others } = options.reflector;
  const reflector = Object.entries(others);
  if (reflector.some(([, value]) => typeof value === 'object' || typeof value === 'function')) {
    return undefined;
  }
  const { projection, freeze, order, queueCapacity } = options;
  const { mode, decodedBytes } = cache;
  return [projection?.paths, freeze, order, queueCapacity, mode, String(decodedBytes), reflector];
}
