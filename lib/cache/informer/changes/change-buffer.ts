import { RingBuffer } from '../../../kernel/data/ring-buffer.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import { coalesce } from '../handlers/coalesce.ts';
import type { Notification } from '../handlers/notification.ts';

/** Separates the state at the start from later changes. */
export const SYNCED: unique symbol = Symbol('synced');

/**
 * The changes that a reader has not read yet: first the state at the start, then, when that is complete, a mark, then every
 * change.
 *
 * With `coalesceAbove` memory is bounded: above that many changes, the changes of each key are merged until at most two a key
 * remain. The state at the start is not counted.
 */
export class ChangeBuffer<V extends HasMetadata> {
  readonly #coalesceAbove: number;
  readonly #initial: RingBuffer<Notification<V>> = new RingBuffer();
  #later: RingBuffer<Notification<V>> = new RingBuffer();
  #marked = false;
  #markRead = false;
  /** The size at which the next merge happens. The distance between merges keeps their cost proportional to the pushes. */
  #coalesceAt: number;

  constructor(coalesceAbove: number) {
    this.#coalesceAbove = coalesceAbove;
    this.#coalesceAt = coalesceAbove;
  }

  /** Changes that wait, without the state at the start. */
  get waiting(): number {
    return this.#later.size;
  }

  push(notification: Notification<V>): void {
    if (notification.type === 'add' && notification.initial) {
      this.#initial.push(notification);
      return;
    }
    this.#later.push(notification);
    if (this.#later.size > this.#coalesceAt) this.#coalesce();
  }

  /** The state at the start is complete. Calling again has no effect. */
  mark(): void {
    this.#marked = true;
  }

  /** The next one to read; undefined when there is none. */
  shift(): Notification<V> | typeof SYNCED | undefined {
    const initial = this.#initial.shift();
    if (initial !== undefined) return initial;
    if (this.#marked && !this.#markRead) {
      this.#markRead = true;
      return SYNCED;
    }
    return this.#later.shift();
  }

  clear(): void {
    this.#initial.clear();
    this.#later.clear();
    this.#markRead = true;
  }

  #coalesce(): void {
    const merged = coalesce(this.#later);
    this.#later = new RingBuffer(merged.length);
    for (const notification of merged) this.#later.push(notification);
    this.#coalesceAt = Math.max(this.#coalesceAbove, 2 * merged.length);
  }
}
