import { RingBuffer } from '../../kernel/data/ring-buffer.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { Delta, KeyedDelta, ReplacedAllDelta, DeltaQueue } from './delta.ts';

const SYNC_ALL = { type: 'SyncAll' } as const;

/**
 * Strict order of arrival; nothing is merged or dropped. A relist and a resync are one item each, so that the consumer can
 * apply them in one step. The owner of the store determines which objects a relist deletes.
 * @see client-go tools/cache/the_real_fifo.go, atomic mode @ 32ce75a7
 */
export class ArrivalQueue<V extends HasMetadata> implements DeltaQueue<V> {
  readonly #items = new RingBuffer<Delta<V>>();
  #relists = 0;

  get size(): number {
    return this.#items.size;
  }

  get deltas(): number {
    return this.#items.size;
  }

  get relists(): number {
    return this.#relists;
  }

  enqueue(delta: KeyedDelta<V>): void {
    this.#items.push(delta);
  }

  replace(relist: ReplacedAllDelta<V>): number {
    this.#items.push(relist);
    this.#relists += 1;
    return this.#items.size;
  }

  resync(): void {
    this.#items.push(SYNC_ALL);
  }

  bookmark(resourceVersion: string): void {
    this.#items.push({ type: 'Bookmark', resourceVersion });
  }

  peekRelist(): ReplacedAllDelta<V> | undefined {
    if (this.#relists === 0) return undefined;
    const oldest = this.#items.peek();
    return oldest?.type === 'ReplacedAll' ? oldest : undefined;
  }

  shift(into: Delta<V>[]): void {
    const delta = this.#items.shift();
    if (delta === undefined) return;
    if (delta.type === 'ReplacedAll') this.#relists -= 1;
    into.push(delta);
  }
}
