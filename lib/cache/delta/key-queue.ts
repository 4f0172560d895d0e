import { RingBuffer } from '../../kernel/data/ring-buffer.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { DeletedDelta, Delta, KeyedDelta, ReplacedAllDelta, DeltaQueue } from './delta.ts';

/** The known objects of the consumer, by key; for example a store. */
export interface KnownObjects<V> {
  keys(): Iterable<string>;
  get(key: string): V | undefined;
}

/**
 * One item for each key, in the order of the first delta of each key; an item has all deltas of its key, oldest first. A key
 * that is queued already keeps its place.
 *
 * The deletions of a relist are computed here, from the queue and the known objects, each with its last known state.
 * @see client-go tools/cache/delta_fifo.go @ 32ce75a7
 */
export class KeyQueue<V extends HasMetadata> implements DeltaQueue<V> {
  readonly #knownObjects: KnownObjects<V> | undefined;
  readonly #deltas = new Map<string, KeyedDelta<V>[]>();
  readonly #keys = new RingBuffer<string>();
  #count = 0;

  constructor(knownObjects?: KnownObjects<V>) {
    this.#knownObjects = knownObjects;
  }

  get size(): number {
    return this.#keys.size;
  }

  get deltas(): number {
    return this.#count;
  }

  enqueue(delta: KeyedDelta<V>): void {
    const { key } = delta;
    const queued = this.#deltas.get(key);
    if (queued !== undefined) {
      this.#append(queued, delta);
      return;
    }
    // No handler has seen the object, so there is no deletion to report.
    if (delta.type === 'Deleted' && this.#knownObjects?.get(key) === undefined) return;
    this.#push(delta);
  }

  /** A relist is split into items of its keys. */
  get relists(): number {
    return 0;
  }

  peekRelist(): undefined {
    return undefined;
  }

  replace({ contents, unreadable }: ReplacedAllDelta<V>): number {
    const isGone = (key: string): boolean => !contents.has(key) && !unreadable.has(key);
    for (const [key, object] of contents) this.enqueue({ type: 'Replaced', key, object });
    for (const [key, queued] of this.#deltas) {
      if (isGone(key)) this.#append(queued, tombstone(key, queued.at(-1)?.object));
    }
    for (const key of this.#knownObjects?.keys() ?? []) {
      if (!isGone(key) || this.#deltas.has(key)) continue;
      this.#push(tombstone(key, this.#knownObjects?.get(key)));
    }
    return this.size;
  }

  resync(): void {
    for (const key of this.#knownObjects?.keys() ?? []) {
      const object = this.#knownObjects?.get(key);
      if (object === undefined || this.#deltas.has(key)) continue;
      this.#push({ type: 'Sync', key, object });
    }
  }

  /** Bookmarks are dropped: a position in the stream has no meaning after reordering. */
  bookmark(): void {}

  shift(into: Delta<V>[]): void {
    const key = this.#keys.shift();
    if (key === undefined) return;
    for (const delta of this.#deltas.get(key) ?? []) {
      into.push(delta);
      this.#count -= 1;
    }
    this.#deltas.delete(key);
  }

  #push(delta: KeyedDelta<V>): void {
    this.#deltas.set(delta.key, [delta]);
    this.#count += 1;
    this.#keys.push(delta.key);
  }

  /** Of two deletions in a row, the one with the final state is kept. */
  #append(queued: KeyedDelta<V>[], delta: KeyedDelta<V>): void {
    const last = queued.at(-1);
    if (last?.type !== 'Deleted' || delta.type !== 'Deleted') {
      queued.push(delta);
      this.#count += 1;
    } else if (last.finalStateUnknown) {
      queued[queued.length - 1] = delta;
    }
  }
}

function tombstone<V extends HasMetadata>(key: string, object: V | undefined): DeletedDelta<V> {
  return { type: 'Deleted', key, object, finalStateUnknown: true };
}
