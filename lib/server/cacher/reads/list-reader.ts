import { nextTask } from '../../../kernel/time/wait.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';
import { encodeContinue, keyAfter } from '../../storage/reads/continue-token.ts';
import {
  predicateIsEmpty,
  type SelectionPredicate,
} from '../../storage/contract/selection-predicate.ts';
import type { StorageList, StorageScan } from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import { scopeEnd, type KeyScope } from '../window/key-scope.ts';
import type { OrderedStore } from '../window/ordered-store.ts';
import type { StoreElement } from '../window/store-element.ts';

/** Number of items processed in one task. */
const PIECE = 5000;

export interface ReadListOptions<T extends KubernetesObject> {
  readonly state: OrderedStore<StoreElement<T>>;
  /** The revision of `state`; the list and its pages have it as resource version. */
  readonly revision: Revision;
  readonly scope: KeyScope;
  readonly startKey?: string | undefined;
  readonly predicate?: SelectionPredicate<T> | undefined;
  /** 0: no limit. */
  readonly limit: number;
  readonly runtime: Runtime;
  readonly signal?: AbortSignal | undefined;
}

/** As `readList`; a complete list without selectors is read from the state while its reader goes through it. */
export async function scanList<T extends KubernetesObject>(
  options: ReadListOptions<T>,
): Promise<StorageScan<T>> {
  const { state, revision, scope, startKey = scope.path, limit, predicate } = options;
  if (limit > 0 || !predicateIsEmpty(predicate as SelectionPredicate)) {
    return await readList(options);
  }
  const items = new StoredItems(state, startKey, scopeEnd(scope));
  return { items, resourceVersion: revision.toString() };
}

/** The objects of a range of a state, which does not change. */
class StoredItems<T extends KubernetesObject> implements Iterable<StoredObject<T>> {
  readonly #state: OrderedStore<StoreElement<T>>;
  readonly #from: string;
  readonly #to: string | undefined;

  constructor(state: OrderedStore<StoreElement<T>>, from: string, to: string | undefined) {
    this.#state = state;
    this.#from = from;
    this.#to = to;
  }

  *[Symbol.iterator](): Iterator<StoredObject<T>> {
    const cursor = this.#state.range(this.#from, this.#to);
    for (let one = cursor.next(); one !== undefined; one = cursor.next()) yield one.stored;
  }
}

/** One page of a state. Awaits between pieces of a long page; the state is immutable, so that does no harm. */
export async function readList<T extends KubernetesObject>(
  options: ReadListOptions<T>,
): Promise<StorageList<T>> {
  const { state, revision, scope, startKey = scope.path, limit, runtime, signal } = options;
  const unfiltered = predicateIsEmpty(options.predicate as SelectionPredicate);
  const predicate = unfiltered ? undefined : options.predicate;
  const end = scopeEnd(scope);
  const cursor = state.range(startKey, end);
  const resourceVersion = revision.toString();
  const items: StoredObject<T>[] = [];
  let seen = 0;
  for (let element = cursor.next(); element !== undefined; element = cursor.next()) {
    if (limit > 0 && items.length === limit) {
      const last = (items.at(-1) as StoredObject<T>).key;
      const continueToken = encodeContinue({ startKey: keyAfter(last), revision }, scope.path);
      const page = { items, resourceVersion, continueToken };
      return unfiltered ? { ...page, remainingItemCount: state.count(element.key, end) } : page;
    }
    if (element.matches(predicate)) items.push(element.stored);
    seen += 1;
    if (seen % PIECE === 0) {
      await nextTask(runtime);
      signal?.throwIfAborted();
    }
  }
  return { items, resourceVersion };
}
