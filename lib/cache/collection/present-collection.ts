import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { Indexers } from '../store/indexers.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { deriveAbort, onAbort } from '../../kernel/time/abort.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { isSameLogger } from '../../kernel/report/guarded-logger.ts';
import type { WaitOptions } from '../informer/handlers/handler-registration.ts';
import type { ListerWatcher } from '../reflector/contract/lister-watcher.ts';
import type { CollectionUser } from './collection-user.ts';
import type { Collection } from './collection.ts';
import { metaNamespaceKeyFunc } from '../../meta/key.ts';
import type { ResolvedInformerOptions } from '../informer/options/informer-options.ts';

/** The collection that an informer runs on: its own one until it runs, and then perhaps that of others. Reads follow it. */
export class PresentCollection<T extends KubernetesObject> implements StoreReader<ObjectView<T>> {
  #collection: Collection<T>;
  #intercepted = false;
  /** Views are returned that may be read after they have left the store. */
  #readsBodies = false;
  #bodies: Disposable | undefined;

  constructor(own: Collection<T>) {
    this.#collection = own;
  }

  get value(): Collection<T> {
    return this.#collection;
  }

  /** Before it runs: the informer reads through another source, and on a collection of its own. */
  intercept(wrap: (source: ListerWatcher<ObjectView<T>>) => ListerWatcher<ObjectView<T>>): void {
    this.#intercepted = true;
    this.#collection.feed.intercept(wrap);
  }

  keepBodies(): void {
    this.#readsBodies = true;
    this.#bodies ??= this.#collection.memory.pin('body');
  }

  /** From here to the first change that the informer gets, nothing is awaited. */
  join(): void {
    const own = this.#collection;
    // Own writes that the store has not caught up with are shown by the own collection alone.
    if (this.#intercepted || own.overlay.inspect().pending > 0) return;
    this.#collection = joinedCollection(own);
    if (this.#collection === own) return;
    own.release();
    this.#bodies?.[Symbol.dispose]();
    this.#bodies = this.#readsBodies ? this.#collection.memory.pin('body') : undefined;
  }

  /** The informer has ended. */
  release(): void {
    this.#collection.release();
    this.#bodies?.[Symbol.dispose]();
  }

  /** As `WriteOverlay.caughtUp`; CLOSED too when `user` stops, because another informer may keep the collection. */
  async caughtUp(
    resourceVersion: string,
    { signal, ...options }: WaitOptions,
    user: CollectionUser<T>,
    stopped: AbortSignal,
  ): Promise<void> {
    const abort = deriveAbort(signal);
    const release = onAbort(stopped, () => {
      if (this.#collection.others(user).length === 0) return;
      abort.abort(new ListwatchError('CLOSED', `the informer ${user.name} has stopped`));
    });
    try {
      const { overlay } = this.#collection;
      await overlay.caughtUp(resourceVersion, { ...options, signal: abort.signal });
    } finally {
      release();
      abort.destroy();
    }
  }

  get size(): number {
    return this.#collection.overlay.size;
  }

  get resourceVersion(): string {
    return this.#collection.overlay.resourceVersion;
  }

  get indexNames(): readonly string[] {
    return this.#collection.overlay.indexNames;
  }

  get(key: string): ObjectView<T> | undefined {
    return this.#collection.overlay.get(key);
  }

  has(key: string): boolean {
    return this.#collection.overlay.has(key);
  }

  list(): readonly ObjectView<T>[] {
    return this.#collection.overlay.list();
  }

  keys(): string[] {
    return this.#collection.overlay.keys();
  }

  byIndex(index: string, value: string): readonly ObjectView<T>[] {
    return this.#collection.overlay.byIndex(index, value);
  }

  index(index: string, probe: ObjectView<T>): readonly ObjectView<T>[] {
    return this.#collection.overlay.index(index, probe);
  }

  indexKeys(index: string, value: string): string[] {
    return this.#collection.overlay.indexKeys(index, value);
  }

  indexValues(index: string): string[] {
    return this.#collection.overlay.indexValues(index);
  }

  addIndexers(indexers: Indexers<ObjectView<T>>): void {
    this.#collection.indexes.add(indexers);
  }

  removeIndexers(names: readonly string[]): void {
    this.#collection.indexes.remove(names);
  }
}

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
    isSameLogger(logger, other.logger) &&
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
