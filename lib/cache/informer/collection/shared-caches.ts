import { metaNamespaceKeyFunc } from '../../../meta/key.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ResolvedInformerOptions } from '../options/informer-options.ts';
import type { CollectionCache } from './collection-cache.ts';

/** A cache of any type of objects: the source says which objects it has, and equal sources have equal ones. */
type AnyCache = CollectionCache<KubernetesObject>;

/** The caches that run, by what their informers ask for; of each client or server of its own. */
const running = new WeakMap<object, Map<string, AnyCache>>();
const numbers = new WeakMap<object, number>();
let numbered = 0;

/**
 * The cache of another informer that asks for the same, if there is one: the same source (one client with its credentials, resource,
 * namespace, selectors), the same form of the objects, runtime, log and metrics. Otherwise `own`, which others may join from now on.
 */
export function joinedCache<T extends KubernetesObject>(
  own: CollectionCache<T>,
): CollectionCache<T> {
  const { options } = own;
  const { sharing } = options.listerWatcher;
  const form = formOf(options);
  if (sharing === undefined || form === undefined) return own;
  const { firstList = 'any' } = options.reflector;
  const keyWith = (first: string): string => JSON.stringify([sharing.key, form, first]);
  const key = keyWith(firstList);
  const caches = running.get(sharing.scope) ?? new Map<string, AnyCache>();
  running.set(sharing.scope, caches);
  // A cache that began with the newest state serves those too that take any.
  for (const first of new Set([firstList, 'newest'])) {
    const present = caches.get(keyWith(first)) as CollectionCache<T> | undefined;
    if (present?.isOpen === true) return present.indexes.takeAll(own) ? present : own;
  }
  const untyped = own as unknown as AnyCache;
  caches.set(key, untyped);
  own.stopped.addEventListener(
    'abort',
    () => {
      if (caches.get(key) === untyped) caches.delete(key);
    },
    { once: true },
  );
  return own;
}

/** What has to be equal besides the source; undefined: the informer has something of its own, and shares with none. */
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
  const { projection, freeze, order, queueCapacity, runtime, logger, metrics, onError } = options;
  const { mode, decodedBytes } = cache;
  const references = [runtime, logger, metrics, onError].map(numberOf);
  return [
    projection?.paths,
    freeze,
    order,
    queueCapacity,
    mode,
    String(decodedBytes),
    reflector,
    references,
  ];
}

function numberOf(reference: object | undefined): number {
  if (reference === undefined) return 0;
  const known = numbers.get(reference);
  if (known !== undefined) return known;
  numbered += 1;
  numbers.set(reference, numbered);
  return numbered;
}
