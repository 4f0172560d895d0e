import { LRUCache } from 'lru-cache';

/** Objects whose events may still come. A forgotten one costs one reconcile that changes nothing. */
const KEPT = 10_000;

/** Writes of one object that one run makes, such as those of finalizer, status and annotation. */
const OF_ONE_OBJECT = 8;

/** The versions that one controller has written, so that it can distinguish its own changes from those of others. */
export class OwnWritesLog {
  /** Made at the first write. Bounded by sizes of 1: `max` would reserve room for all. */
  #versions: LRUCache<string, readonly string[]> | undefined;

  written(resource: string, key: string, resourceVersion: string | undefined): void {
    if (resourceVersion === undefined) return;
    const name = `${resource}/${key}`;
    this.#versions ??= new LRUCache({ maxSize: KEPT, sizeCalculation: () => 1 });
    const others = this.#versions.get(name) ?? [];
    this.#versions.set(name, [...others.slice(1 - OF_ONE_OBJECT), resourceVersion]);
  }

  /** Whether this is exactly the state that an own write made. */
  wrote(resource: string, key: string, resourceVersion: string | undefined): boolean {
    if (this.#versions === undefined || resourceVersion === undefined) return false;
    return this.#versions.get(`${resource}/${key}`)?.includes(resourceVersion) === true;
  }
}
