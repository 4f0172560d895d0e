import { RingBuffer } from '../../../kernel/ring-buffer.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import { coalesce } from '../handlers/coalesce.ts';
import type { Notification } from '../handlers/notification.ts';

/** Stands between the state at the start and what came after it. */
export const SYNCED: unique symbol = Symbol('synced');

/**
 * The changes that a reader has not read yet: first the state at the start, then, once that is complete, the mark of it, then
 * every change.
 *
 * With `coalesceAbove` memory is bounded: beyond that many changes those of one key are merged, so that no more than two a key
 * remain. The state at the start comes on top.
 */
export class ChangeBuffer<V extends HasMetadata> {
  readonly #coalesceAbove: number;
  readonly #initial: RingBuffer<Notification<V>> = new RingBuffer();
  #later: RingBuffer<Notification<V>> = new RingBuffer();
  #marked = false;
  #markRead = false;
  /** The next merge; far enough from the last one that merging costs a constant share of what is pushed. */
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

  /** The state at the start is complete. Calling again is harmless. */
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
