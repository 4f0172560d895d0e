import type { KubernetesObject } from '../../../meta/object.ts';
import type { AttributesFunc } from '../../storage/contract/selection-predicate.ts';
import type { CacheWatcher } from './cache-watcher.ts';
import type { StoreElement } from '../window/store-element.ts';
import type { WatchCacheEvent } from '../window/watch-cache-event.ts';

type Watchers<T extends KubernetesObject> = Set<CacheWatcher<T>>;
type Visitor<T extends KubernetesObject> = (watcher: CacheWatcher<T>) => void;

/** The field value that a watcher's selector requires. */
interface Trigger<T extends KubernetesObject> {
  readonly field: string;
  readonly value: string;
  readonly attributesOf: AttributesFunc<T>;
}

interface FieldIndex<T extends KubernetesObject>
  extends Pick<Trigger<T>, 'field' | 'attributesOf'> {
  readonly byValue: Map<string, Watchers<T>>;
}

/**
 * All watchers of a cacher, indexed so that a change visits only the watchers that it may concern: by key or key prefix (one
 * namespace, or all), then by the first field value that their selector requires.
 *
 * With a thousand watchers of `spec.nodeName=…`, each for another node, a change costs two look-ups instead of a thousand matches.
 */
export class IndexedWatchers<T extends KubernetesObject> {
  /** All watchers by id. */
  readonly #watchers: Map<number, CacheWatcher<T>> = new Map();
  readonly #byKey: Map<string, PathWatchers<T>> = new Map();
  readonly #byPrefix: Map<string, PathWatchers<T>> = new Map();

  get size(): number {
    return this.#watchers.size;
  }

  /** A copy, so that watchers may be added and removed while it is read. */
  all(): CacheWatcher<T>[] {
    return [...this.#watchers.values()];
  }

  add(watcher: CacheWatcher<T>): void {
    const { path, recursive } = watcher.scope;
    const byPath = recursive ? this.#byPrefix : this.#byKey;
    let watchers = byPath.get(path);
    if (watchers === undefined) byPath.set(path, (watchers = new PathWatchers()));
    watchers.add(watcher);
    this.#watchers.set(watcher.id, watcher);
  }

  remove(watcher: CacheWatcher<T>): void {
    if (!this.#watchers.delete(watcher.id)) return;
    const { path, recursive } = watcher.scope;
    const byPath = recursive ? this.#byPrefix : this.#byKey;
    const watchers = byPath.get(path);
    watchers?.remove(watcher);
    if (watchers?.empty === true) byPath.delete(path);
  }

  /** Calls `visitor` once for every watcher that the change may concern. Watchers may be removed during the call. */
  visitCandidates(event: WatchCacheEvent<T>, visitor: Visitor<T>): void {
    const { key } = event.change;
    if (this.#byKey.size > 0) this.#byKey.get(key)?.visit(event, visitor);
    if (this.#byPrefix.size === 0) return;
    for (let slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
      this.#byPrefix.get(key.slice(0, slash + 1))?.visit(event, visitor);
    }
  }
}

/** The watchers of one path. */
class PathWatchers<T extends KubernetesObject> {
  readonly #unindexed: Watchers<T> = new Set();
  readonly #indexes: Set<FieldIndex<T>> = new Set();

  get empty(): boolean {
    return this.#unindexed.size === 0 && this.#indexes.size === 0;
  }

  add(watcher: CacheWatcher<T>): void {
    const trigger = triggerOf(watcher);
    if (trigger === undefined) {
      this.#unindexed.add(watcher);
      return;
    }
    const { field, attributesOf, value } = trigger;
    let index = this.#indexOf(trigger);
    if (index === undefined) {
      index = { field, attributesOf, byValue: new Map() };
      this.#indexes.add(index);
    }
    const watchers = index.byValue.get(value);
    if (watchers === undefined) index.byValue.set(value, new Set([watcher]));
    else watchers.add(watcher);
  }

  remove(watcher: CacheWatcher<T>): void {
    const trigger = triggerOf(watcher);
    if (trigger === undefined) {
      this.#unindexed.delete(watcher);
      return;
    }
    const index = this.#indexOf(trigger);
    const watchers = index?.byValue.get(trigger.value);
    if (index === undefined || watchers === undefined) return;
    watchers.delete(watcher);
    if (watchers.size === 0) index.byValue.delete(trigger.value);
    if (index.byValue.size === 0) this.#indexes.delete(index);
  }

  visit(event: WatchCacheEvent<T>, visitor: Visitor<T>): void {
    for (const watcher of this.#unindexed) visitor(watcher);
    for (const index of this.#indexes) visitIndex(index, event, visitor);
  }

  #indexOf({ field, attributesOf }: Trigger<T>): FieldIndex<T> | undefined {
    for (const index of this.#indexes) {
      if (index.field === field && index.attributesOf === attributesOf) return index;
    }
    return undefined;
  }
}

function triggerOf<T extends KubernetesObject>({
  predicate,
}: CacheWatcher<T>): Trigger<T> | undefined {
  const requirement = predicate?.fields.requirements.find(({ operator }) => operator === '=');
  if (predicate === undefined || requirement === undefined) return undefined;
  const { field, value } = requirement;
  return { field, value, attributesOf: predicate.attributesOf };
}

/** Visits the watchers of the field value before and after the change. */
function visitIndex<T extends KubernetesObject>(
  { field, attributesOf, byValue }: FieldIndex<T>,
  { change }: WatchCacheEvent<T>,
  visitor: Visitor<T>,
): void {
  let values: (string | undefined)[];
  try {
    values = [change.current, change.previous].map((side) => valueOf(side, field, attributesOf));
  } catch {
    // Each watcher meets the same error when it matches the event, and fails with it.
    for (const watchers of byValue.values()) watchers.forEach(visitor);
    return;
  }
  const [after, before] = values;
  if (after !== undefined) byValue.get(after)?.forEach(visitor);
  if (before !== undefined && before !== after) byValue.get(before)?.forEach(visitor);
}

/** A missing field counts as the empty string, as in selectors. */
function valueOf<T extends KubernetesObject>(
  element: StoreElement<T> | undefined,
  field: string,
  attributesOf: AttributesFunc<T>,
): string | undefined {
  if (element === undefined) return undefined;
  const { fields } = element.attributes(attributesOf);
  return Object.hasOwn(fields, field) ? fields[field] : '';
}
