import type { Revision } from '../../mvcc/contract/key-value-store.ts';

interface SizeOf {
  readonly revision: Revision;
  readonly bytes: number;
}

/**
 * The sizes of the stored values of a resource, as far as they are known. They are recorded with every read, write and watch
 * event; an older value never replaces a newer one.
 *
 * It has at most one entry for each object: `retain` drops objects that other clients deleted without an event here.
 * @see apiserver pkg/storage/etcd3/stats.go @ 24a394e
 */
export class ObjectSizes {
  readonly #sizes: Map<string, SizeOf> = new Map();
  #totalBytes = 0;

  /** The number of objects whose size is known. */
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

  /** Drops an object that was deleted at `revision`. */
  forget(key: string, revision: Revision): void {
    const known = this.#sizes.get(key);
    if (known === undefined || known.revision > revision) return;
    this.#totalBytes -= known.bytes;
    this.#sizes.delete(key);
  }

  /** Drops all objects except those that existed at `revision` and those that are newer. */
  retain(keys: Iterable<string>, revision: Revision): void {
    const existing = new Set(keys);
    for (const key of this.#sizes.keys()) if (!existing.has(key)) this.forget(key, revision);
  }
}
