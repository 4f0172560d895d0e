import { deriveAbort, type DerivedAbort } from '../../../kernel/time/abort.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf } from '../../../meta/object-view.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import { isOlder } from '../../../meta/versions/version-order.ts';
import type { WatchReader } from './watch-reader.ts';

/** The most events during a list. */
export const OVERLAP_CAPACITY = 100_000;

export interface OverlapBufferOptions<V extends HasMetadata> {
  /** An open watch that has no other reader. */
  readonly reader: Pick<WatchReader<V>, 'read'>;
  /** Names the collection in messages. */
  readonly name: string;
  /** The most buffered events. @defaultValue 100 000 */
  readonly capacity?: number | undefined;
}

type Batch<V extends HasMetadata> = readonly WatchEvent<V>[];

/**
 * Reads a watch ahead during a list, so that no watch has to start at the version of the list: a server under load may have
 * compacted that version by the end of the list (kubernetes#102718, #129266).
 *
 * Guarantees:
 * - After `release` the batches continue after the version of the list: no event is missing, and no earlier event is repeated.
 * - It holds at most `capacity` events. One more event, or the end of the watch, makes it unusable, and `broken` aborts.
 */
export class OverlapBuffer<V extends HasMetadata> {
  readonly #options: OverlapBufferOptions<V>;
  readonly #broken: DerivedAbort = deriveAbort();
  #held: WatchEvent<V>[] = [];
  #next: Promise<Batch<V> | undefined> | undefined;
  /** The version of the list; undefined until the list is complete. */
  #listed: string | undefined;
  /** An event newer than the list has arrived, so all later events are newer too. */
  #passed = false;

  constructor(options: OverlapBufferOptions<V>) {
    this.#options = options;
    this.#fill();
  }

  /** Aborts when the watch cannot continue after the list; its reason is the error. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** The list is complete: from now on `read` returns the events after it. */
  release(listedVersion: string): void {
    this.#listed = listedVersion;
  }

  /** The next batch after the list; undefined when the server has ended the watch. Call it only after `release`. */
  async read(): Promise<Batch<V> | undefined> {
    for (;;) {
      const batch = await this.#take();
      if (batch === undefined || this.#passed) return batch;
      const rest = this.#behindList(batch);
      if (rest.length > 0) return rest;
    }
  }

  #take(): Batch<V> | undefined | Promise<Batch<V> | undefined> {
    if (this.#held.length > 0) {
      const held = this.#held;
      this.#held = [];
      return held;
    }
    const next = this.#next;
    this.#next = undefined;
    return next ?? this.#options.reader.read();
  }

  /** A read in progress at `release` is completed by `read`. */
  #fill(): void {
    const next = this.#options.reader.read();
    this.#next = next;
    next.then(
      (batch) => {
        if (this.#listed === undefined && this.#keep(batch)) this.#fill();
      },
      (error: unknown) => {
        if (this.#listed === undefined) this.#break(error);
      },
    );
  }

  #keep(batch: Batch<V> | undefined): boolean {
    const { name, capacity = OVERLAP_CAPACITY } = this.#options;
    if (batch === undefined) {
      const text = `the watch beside the list of ${name} ended before the list was complete`;
      this.#break(new ListwatchError('CONNECTION_FAILED', text));
      return false;
    }
    if (this.#held.length + batch.length > capacity) {
      const text = `more than ${capacity} changes came while ${name} was listed`;
      this.#break(new ListwatchError('BUFFER_FULL', text));
      return false;
    }
    for (const event of batch) this.#held.push(event);
    return true;
  }

  #break(error: unknown): void {
    this.#held = [];
    this.#broken.abort(error);
  }

  /** An event without a comparable version counts as newer: a missing event would make the cache wrong. */
  #behindList(batch: Batch<V>): Batch<V> {
    const listed = this.#listed ?? '';
    const first = batch.findIndex((event) => {
      const { resourceVersion: version } =
        event.type === 'BOOKMARK' ? event : identityOf(event.object);
      return version === undefined || (version !== listed && !isOlder(version, listed));
    });
    if (first < 0) return [];
    this.#passed = true;
    return first === 0 ? batch : batch.slice(first);
  }
}
