import { RingBuffer } from '../../kernel/ring-buffer.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { DeletedDelta, Delta, KeyedDelta, ReplacedAllDelta } from './delta.ts';
import type { DeltaQueue } from './delta-queue.ts';

/** What the consumer holds, by key; a store satisfies it by shape. */
export interface KnownObjects<V> {
  keys(): Iterable<string>;
  get(key: string): V | undefined;
}

/**
 * One item a key, in the order in which the keys came; an item holds all deltas of its key, oldest first. A key that is queued
 * already keeps its place.
 *
 * What a relist deletes is computed here, against the queue and the known objects, each with its last known state.
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
    // Nobody has seen the object: there is nothing to take back.
    if (delta.type === 'Deleted' && this.#knownObjects?.get(key) === undefined) return;
    this.#push(delta);
  }

  /** A relist comes apart into items of its keys. */
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

  /** A position in the stream means nothing once the stream has been reordered. */
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

  /** Two deletions in a row say the same; the one that saw the final state is kept. */
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
