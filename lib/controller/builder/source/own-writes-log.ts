import { LRUCache } from 'lru-cache';

/** Objects whose events may still come. A forgotten one costs one reconcile that changes nothing. */
const KEPT = 10_000;

/** Writes of one object that one run makes, such as those of finalizer, status and annotation. */
const OF_ONE_OBJECT = 8;

interface OwnWrite {
  readonly resourceVersion: string;
  readonly writer: string;
}

/** The versions that one controller has written, so that it can distinguish its own changes from those of others. */
export class OwnWritesLog {
  /** Made at the first write. Bounded by sizes of 1: `max` would reserve room for all. */
  #writes: LRUCache<string, readonly OwnWrite[]> | undefined;

  /** `writer`: the key that was reconciled. */
  written(
    resource: string,
    key: string,
    resourceVersion: string | undefined,
    writer: string,
  ): void {
    if (resourceVersion === undefined) return;
    const name = `${resource}/${key}`;
    this.#writes ??= new LRUCache({ maxSize: KEPT, sizeCalculation: () => 1 });
    const others = this.#writes.get(name) ?? [];
    this.#writes.set(name, [...others.slice(1 - OF_ONE_OBJECT), { resourceVersion, writer }]);
  }

  /** The key whose run has made exactly this state; undefined: no run of the controller has. */
  writerOf(resource: string, key: string, resourceVersion: string | undefined): string | undefined {
    if (this.#writes === undefined || resourceVersion === undefined) return undefined;
    const writes = this.#writes.get(`${resource}/${key}`);
    return writes?.find((one) => one.resourceVersion === resourceVersion)?.writer;
  }
}
