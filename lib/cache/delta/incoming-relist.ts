import { assert } from '../../kernel/assert.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import type { Relist } from '../reflector/contract/reflector-sink.ts';
import type { ReplacedAllDelta } from './delta.ts';
import type { ObjectIntake } from './object-intake.ts';

/** Who stores what a relist brings, and sees its objects as they come in. */
export interface RelistConsumer<V extends HasMetadata> {
  /** A relist begins. What leaves the store may come back with it, until the pin is disposed of. */
  pin(): Disposable | undefined;
  /** The stored object that `object`, as it came in, is the same as, if it is; the relist carries that one then. */
  unchanged(key: string, object: V): V | undefined;
  /** The relist has this object now. Returns what it is to carry: the object, or a copy. */
  retain(object: V): V;
  /** The relist does not have this object any more. */
  release(key: string, object: V): void;
}

export interface IncomingRelistOptions<V extends HasMetadata> {
  readonly intake: ObjectIntake<V>;
  readonly consumer: RelistConsumer<V> | undefined;
  /** As `RelistConsumer.unchanged`, as far as it can be known by now. */
  readonly unchanged: (key: string, object: V) => V | undefined;
  /** Throws when nothing more is taken. */
  readonly check: () => void;
  readonly onCommit: (relist: ReplacedAllDelta<V>) => void;
}

/**
 * A relist while it comes in.
 *
 * Guarantees: objects get their keys, are transformed and retained as the pieces come. An unchanged object is replaced by the
 * stored one, so that its bytes can go: listing again what did not change takes no memory.
 */
export class IncomingRelist<V extends HasMetadata> implements Relist<V> {
  readonly #options: IncomingRelistOptions<V>;
  readonly #contents = new Map<string, V>();
  readonly #unreadable = new Set<string>();
  #open = true;

  constructor(options: IncomingRelistOptions<V>) {
    this.#options = options;
  }

  /** Whether the content is still coming in. */
  get open(): boolean {
    return this.#open;
  }

  /** More of the content; of several objects with one key the last counts. */
  add(items: readonly V[]): void {
    this.#check();
    for (const item of items) this.#set(item);
  }

  /** Events of a streaming list before its end. Bookmarks mean nothing here. */
  apply(events: readonly WatchEvent<V>[]): void {
    this.#check();
    for (const event of events) {
      if (event.type === 'DELETED') this.#delete(event.object);
      else if (event.type !== 'BOOKMARK') this.#set(event.object);
    }
  }

  /**
   * The content is complete; returns the number of objects that have a key.
   * @throws {ListwatchError} code FIFO_CLOSED; as `DeltaFIFO.replace` what could not be read, once the list is queued.
   */
  commit(resourceVersion: string): number {
    this.#check();
    this.#open = false;
    const [contents, unreadable] = [this.#contents, this.#unreadable];
    this.#options.onCommit({ type: 'ReplacedAll', contents, unreadable, resourceVersion });
    this.#options.intake.report();
    return contents.size + unreadable.size;
  }

  /** The content will never be complete. Harmless after `commit`, and again. */
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
