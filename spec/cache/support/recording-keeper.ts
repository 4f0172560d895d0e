import type { ObjectKeeper } from '../../../lib/cache/memory/cache-keeper.ts';

/** Notes what it is told, and holds the caller to it: nothing is released that is not kept. */
export class RecordingKeeper<V> implements ObjectKeeper<V> {
  readonly kept: Set<V> = new Set();
  /** Objects in the order in which they were let go of. */
  readonly released: V[] = [];
  /** Calls of `keep`. */
  keeps = 0;

  keep(object: V): void {
    this.keeps += 1;
    this.kept.add(object);
  }

  release(object: V): void {
    if (!this.kept.delete(object)) throw new Error('released what was not kept, or twice');
    this.released.push(object);
  }
}

/** Does what is left to do after a relist. */
export function releaseDisplaced(objects: {
  readonly displaced: Iterator<void> | undefined;
}): void {
  const { displaced } = objects;
  while (displaced?.next().done === false);
}
