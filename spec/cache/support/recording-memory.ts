import type { CacheMemory, ObjectMemory } from '../../../lib/cache/memory/object-memory.ts';
import type { HasMetadata } from '../../../lib/meta/object.ts';

/** Records its calls, and checks them: nothing is released that is not retained. */
export class RecordingMemory<V extends HasMetadata> implements ObjectMemory<V> {
  readonly retained: Set<V> = new Set();
  /** Objects in the order in which they were released. */
  readonly released: V[] = [];
  /** Calls of `retain`. */
  retains = 0;
  /** Pins that were not disposed of. */
  pins = 0;

  retain(object: V): V {
    this.retains += 1;
    this.retained.add(object);
    return object;
  }

  release(object: V): void {
    if (!this.retained.delete(object)) throw new Error('released what was not retained, or twice');
    this.released.push(object);
  }

  pin(): Disposable {
    this.pins += 1;
    return {
      [Symbol.dispose]: () => {
        this.pins -= 1;
      },
    };
  }

  inspect(): CacheMemory {
    const retention = this.pins > 0 ? 'body' : 'nothing';
    return { mode: 'bytes', liveBytes: 0, slabBytes: 0, decodedBytes: 0, retention };
  }

  destroy(): void {}
}

/** Does what is left to do after a relist. */
export function releaseDisplaced(objects: {
  readonly displaced: Iterator<void> | undefined;
}): void {
  const { displaced } = objects;
  while (displaced?.next().done === false);
}
