import type { ObjectKeeper } from '../../../lib/cache/memory/cache-keeper.ts';

/** Notes what it is told, and holds the caller to it: nothing is released that is not kept. */
export class RecordingKeeper<V> implements ObjectKeeper<V> {
  readonly kept: Set<V> = new Set();
  /** Objects in the order in which they were let go of. */
  readonly released: V[] = [];
  /** Calls of `keep`. */
  keeps = 0;
  room: Promise<void> | undefined;

  keep(object: V): void {
    this.keeps += 1;
    this.kept.add(object);
  }

  release(object: V): void {
    if (!this.kept.delete(object)) throw new Error('released what was not kept, or twice');
    this.released.push(object);
  }

  waitForRoom(): Promise<void> | undefined {
    return this.room;
  }
}
