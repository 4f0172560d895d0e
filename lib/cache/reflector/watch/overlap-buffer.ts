import { deriveAbort, type DerivedAbort } from '../../../kernel/abort.ts';
import { ListwatchError } from '../../../kernel/errors.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf } from '../../../meta/object-view.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import { isOlder } from '../../../meta/version-order.ts';
import type { WatchReader } from './watch-reader.ts';

/** Events that may come while a list is taken. */
export const OVERLAP_CAPACITY = 100_000;

export interface OverlapBufferOptions<V extends HasMetadata> {
  /** An open watch that has no other reader. */
  readonly reader: Pick<WatchReader<V>, 'read'>;
  /** Names the collection in messages. */
  readonly name: string;
  /** Most events held. @defaultValue 100 000 */
  readonly capacity?: number | undefined;
}

type Batch<V extends HasMetadata> = readonly WatchEvent<V>[];

/**
 * Reads a watch ahead while a list is taken, so that the watch need not start where the list ended: by then a server under
 * load may have forgotten that version (kubernetes#102718, #129266).
 *
 * Guarantees:
 * - After `release` the batches continue behind the list's version: nothing between is missing, nothing of before comes.
 * - It holds at most `capacity` events; one more breaks it, as the end of the watch does, and `broken` says so.
 */
export class OverlapBuffer<V extends HasMetadata> {
  readonly #options: OverlapBufferOptions<V>;
  readonly #broken: DerivedAbort = deriveAbort();
  #held: WatchEvent<V>[] = [];
  #next: Promise<Batch<V> | undefined> | undefined;
  /** The version of the list; undefined as long as it is not complete. */
  #listed: string | undefined;
  /** Something newer than the list has come, so everything that follows is, too. */
  #passed = false;

  constructor(options: OverlapBufferOptions<V>) {
    this.#options = options;
    this.#fill();
  }

  /** Aborts when the watch cannot be continued behind the list; its reason is the error. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** The list is complete: from now on `read` brings what came after it. */
  release(listedVersion: string): void {
    this.#listed = listedVersion;
  }

  /** The next batch behind the list; undefined when the server has ended the watch. Only after `release`. */
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

  /** A read that is under way at `release` is completed by `read`. */
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

  /** An event without a version, or with one that cannot be compared, counts as newer: one too few would do harm. */
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
