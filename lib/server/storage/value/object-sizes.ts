import type { Revision } from '../../mvcc/key-value-store.ts';

interface SizeOf {
  readonly revision: Revision;
  readonly bytes: number;
}

/**
 * How much the values of a resource take in the storage, as far as they passed by: noted with every read, write and watch event,
 * an older value never replacing a newer one.
 *
 * Its size follows the number of objects: `retain` drops what others have deleted unseen.
 * @see apiserver pkg/storage/etcd3/stats.go @ 24a394e
 */
export class ObjectSizes {
  readonly #sizes: Map<string, SizeOf> = new Map();
  #totalBytes = 0;

  /** Objects whose size is known. */
  get count(): number {
    return this.#sizes.size;
  }

  /** The average of the known sizes; 0 when none is known. */
  get averageBytes(): number {
    return this.#sizes.size === 0 ? 0 : this.#totalBytes / this.#sizes.size;
  }

  note(key: string, revision: Revision, bytes: number): void {
    const known = this.#sizes.get(key);
    if (known !== undefined && known.revision >= revision) return;
    this.#totalBytes += bytes - (known?.bytes ?? 0);
    this.#sizes.set(key, { revision, bytes });
  }

  /** Forgets an object that was deleted at `revision`. */
  forget(key: string, revision: Revision): void {
    const known = this.#sizes.get(key);
    if (known === undefined || known.revision > revision) return;
    this.#totalBytes -= known.bytes;
    this.#sizes.delete(key);
  }

  /** Forgets all objects but those that existed at `revision`, and what came later. */
  retain(keys: Iterable<string>, revision: Revision): void {
    const existing = new Set(keys);
    for (const key of this.#sizes.keys()) if (!existing.has(key)) this.forget(key, revision);
  }
}
