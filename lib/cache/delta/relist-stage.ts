import { assert } from '../../kernel/assert.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import type { ObjectKeeper } from '../memory/cache-keeper.ts';
import type { Replacement } from './delta-queue.ts';
import type { ObjectIntake } from './object-intake.ts';

export interface RelistStageOptions<V extends HasMetadata> {
  readonly intake: ObjectIntake<V>;
  readonly keeper: ObjectKeeper<V> | undefined;
  /** What the consumer holds under a key. */
  readonly known: (key: string) => V | undefined;
  /** What the consumer holds and `object`, as it came in, is the same as. */
  readonly twinOf: (key: string, object: V) => V | undefined;
  /** Throws when nothing more is taken. */
  readonly check: () => void;
  readonly onCommit: (replacement: Replacement<V>) => void;
}

/**
 * The content of a relist while it comes in.
 *
 * Guarantees: keys, transforms and keeping are done with as the pieces come. An object that the consumer holds already, in
 * this very state, is replaced by that one, so that its bytes can go: listing again what did not change takes no memory.
 */
export class RelistStage<V extends HasMetadata> {
  readonly #options: RelistStageOptions<V>;
  readonly #contents = new Map<string, V>();
  readonly #unreadable = new Set<string>();
  #open = true;

  constructor(options: RelistStageOptions<V>) {
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

  /** A promise while the keeper has no room. */
  waitForRoom(): Promise<void> | undefined {
    return this.#options.keeper?.waitForRoom?.();
  }

  /**
   * The content is complete; returns the number of objects that have a key.
   * @throws {ListwatchError} code FIFO_CLOSED; as `DeltaFIFO.replace` what could not be read, once the list is queued.
   */
  commit(resourceVersion: string): number {
    this.#check();
    this.#open = false;
    const contents = this.#contents;
    const unreadable = this.#unreadable;
    this.#options.onCommit({ contents, unreadable, resourceVersion });
    this.#options.intake.report();
    return contents.size + unreadable.size;
  }

  /** The content will never be complete. Harmless after `commit`, and again. */
  discard(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const [key, object] of this.#contents) this.#release(key, object);
    this.#contents.clear();
    this.#unreadable.clear();
  }

  #check(): void {
    this.#options.check();
    assert(this.#open, 'a relist was added to after its end');
  }

  #set(item: V): void {
    const { intake, keeper, twinOf } = this.#options;
    const key = intake.keyOf(item);
    if (key === undefined) return;
    const twin = twinOf(key, item);
    const object = twin ?? intake.transformed(key, item);
    const before = this.#contents.get(key);
    if (before !== undefined && before !== object) this.#release(key, before);
    if (object === undefined) {
      this.#contents.delete(key);
      this.#unreadable.add(key);
      return;
    }
    if (twin === undefined) keeper?.keep(object);
    this.#contents.set(key, object);
    if (this.#unreadable.size > 0) this.#unreadable.delete(key);
  }

  #delete(item: V): void {
    const key = this.#options.intake.keyOf(item);
    if (key === undefined) return;
    const before = this.#contents.get(key);
    if (before !== undefined) this.#release(key, before);
    this.#contents.delete(key);
    this.#unreadable.delete(key);
  }

  /** A twin that has left the store meanwhile was released there; once more is harmless. */
  #release(key: string, object: V): void {
    const { keeper, known } = this.#options;
    if (keeper !== undefined && known(key) !== object) keeper.release(object, 'unused');
  }
}
