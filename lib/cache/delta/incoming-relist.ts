import { assert } from '../../kernel/failure/assert.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import type { Relist } from '../reflector/contract/reflector-sink.ts';
import type { ReplacedAllDelta } from './delta.ts';
import type { ObjectIntake } from './object-intake.ts';

/** Stores the objects of a relist, and is called for each object when it arrives. */
export interface RelistConsumer<V extends HasMetadata> {
  /** A relist begins. Until the pin is disposed, the relist may store an object again that has left the store. */
  pin(): Disposable | undefined;
  /** Returns the stored object if `object`, before the transform, is the same state; the relist then contains the stored one. */
  unchanged(key: string, object: V): V | undefined;
  /** The relist contains this object now. Returns the value to queue: the object, or a copy. */
  retain(object: V): V;
  /** The relist no longer contains this object. */
  release(key: string, object: V): void;
}

export interface IncomingRelistOptions<V extends HasMetadata> {
  readonly intake: ObjectIntake<V>;
  readonly consumer: RelistConsumer<V> | undefined;
  /** As `RelistConsumer.unchanged`; undefined if it cannot be known yet. */
  readonly unchanged: (key: string, object: V) => V | undefined;
  /** See `ReplacedAllDelta`. */
  readonly scope?: string | undefined;
  /** Throws when the queue is closed. */
  readonly check: () => void;
  readonly onCommit: (relist: ReplacedAllDelta<V>) => void;
}

/**
 * A relist while it arrives.
 *
 * Guarantees: objects get their keys, are transformed and retained when their piece arrives. An unchanged object is replaced by
 * the stored one and its bytes are released, so a relist without changes takes no memory.
 */
export class IncomingRelist<V extends HasMetadata> implements Relist<V> {
  readonly #options: IncomingRelistOptions<V>;
  readonly #contents = new Map<string, V>();
  readonly #unreadable = new Set<string>();
  #open = true;

  constructor(options: IncomingRelistOptions<V>) {
    this.#options = options;
  }

  /** Whether more content is expected. */
  get open(): boolean {
    return this.#open;
  }

  /** The objects that have arrived; 0 after its end. */
  get size(): number {
    return this.#open ? this.#contents.size : 0;
  }

  /** More of the content; of several objects with one key the last counts. */
  add(items: readonly V[]): void {
    this.#check();
    for (const item of items) this.#set(item);
  }

  /** Events of a streaming list before its end. Bookmarks are ignored. */
  apply(events: readonly WatchEvent<V>[]): void {
    this.#check();
    for (const event of events) {
      if (event.type === 'DELETED') this.#delete(event.object);
      else if (event.type !== 'BOOKMARK') this.#set(event.object);
    }
  }

  /**
   * The content is complete; returns the number of objects that have a key.
   * @throws {ListwatchError} code FIFO_CLOSED; as `DeltaFIFO.replace`, after the list is queued, the errors of bad objects.
   */
  commit(resourceVersion: string): number {
    this.#check();
    this.#open = false;
    const [contents, unreadable] = [this.#contents, this.#unreadable];
    const { onCommit, scope } = this.#options;
    onCommit({ type: 'ReplacedAll', contents, unreadable, resourceVersion, scope });
    this.#options.intake.report();
    return contents.size + unreadable.size;
  }

  /** Drops the content. It has no effect after `commit`, and when called again. */
  discard(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const [key, object] of this.#contents) this.#options.consumer?.release(key, object);
    this.#contents.clear();
    this.#unreadable.clear();
  }

  #check(): void {
    this.#options.check();
    assert(this.#open, 'a relist was added to after its end');
  }

  #set(item: V): void {
    const { intake, consumer, unchanged } = this.#options;
    const key = intake.keyOf(item);
    if (key === undefined) return;
    const stored = unchanged(key, item);
    const object = stored ?? this.#retained(intake.transformed(key, item));
    const before = this.#contents.get(key);
    if (before !== undefined && before !== object) consumer?.release(key, before);
    if (object === undefined) {
      this.#contents.delete(key);
      this.#unreadable.add(key);
      return;
    }
    this.#contents.set(key, object);
    if (this.#unreadable.size > 0) this.#unreadable.delete(key);
  }

  #retained(object: V | undefined): V | undefined {
    return object && (this.#options.consumer?.retain(object) ?? object);
  }

  #delete(item: V): void {
    const { intake, consumer } = this.#options;
    const key = intake.keyOf(item);
    if (key === undefined) return;
    const before = this.#contents.get(key);
    if (before !== undefined) consumer?.release(key, before);
    this.#contents.delete(key);
    this.#unreadable.delete(key);
  }
}
