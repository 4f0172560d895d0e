import type { ReceivedObjects } from '../../cache/reflector/contract/received-objects.ts';
import type { DeferredReleases } from '../../cache/memory/object-memory.ts';
import { RingBuffer } from '../../kernel/data/ring-buffer.ts';
import type { ObjectView } from '../../meta/object-view.ts';

/**
 * Objects that have left a cache while records may refer to them: nothing is copied, they stay where the cache had them.
 *
 * A record that has come after an object left does not refer to it, so an object is released when all records before that are dropped.
 */
export class EarlierStates {
  readonly #releases: DeferredReleases | undefined;
  readonly #left = new RingBuffer<ObjectView>();
  /** The number of records that had come when it left, for each. */
  readonly #cameBefore = new RingBuffer<number>();
  readonly #onBytes: (change: number) => void;
  #came = 0;
  #dropped = 0;

  /** `onBytes`: what they take has changed by so much. */
  constructor(cache: Pick<ReceivedObjects, 'deferReleases'>, onBytes: (change: number) => void) {
    this.#onBytes = onBytes;
    this.#releases = cache.deferReleases((object) => this.#add(object));
  }

  /** Whether the cache can do that. */
  get kept(): boolean {
    return this.#releases !== undefined;
  }

  /** A record has come. */
  came(): void {
    this.#came += 1;
  }

  /** The oldest record was dropped. */
  dropped(): void {
    this.#dropped += 1;
    for (;;) {
      const before = this.#cameBefore.peek();
      if (before === undefined || before > this.#dropped) return;
      this.#cameBefore.shift();
      const object = this.#left.shift() as ObjectView;
      this.#onBytes(-(object.sizeBytes ?? 0));
      this.#releases?.release(object);
    }
  }

  /** All are released, and what leaves from now on is released at once. */
  close(): void {
    this.#releases?.[Symbol.dispose]();
    for (const object of this.#left.drain()) {
      this.#onBytes(-(object.sizeBytes ?? 0));
      this.#releases?.release(object);
    }
    this.#cameBefore.clear();
  }

  #add(object: ObjectView): void {
    if (this.#came === this.#dropped) {
      this.#releases?.release(object);
      return;
    }
    this.#left.push(object);
    this.#cameBefore.push(this.#came);
    this.#onBytes(object.sizeBytes ?? 0);
  }
}
