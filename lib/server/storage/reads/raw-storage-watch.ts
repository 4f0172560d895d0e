import { onAbort } from '../../../kernel/time/abort.ts';
import { errorMessage, isListwatchError } from '../../../kernel/failure/errors.ts';
import { failure, ApiError } from '../../../meta/failure/api-error.ts';
import { expired, internalError, tooLargeResourceVersion } from '../../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectEvent, WatchEvent } from '../../../meta/watch-event.ts';
import {
  prefixEnd,
  type KeyValue,
  type KeyValueEvent,
  type KeyValueWatch,
  type KeyValueWatchMessage,
  type Revision,
} from '../../mvcc/contract/key-value-store.ts';
import type { JsonStoredObject } from '../value/json-stored-object.ts';
import type { ObjectAccess } from './object-access.ts';
import { ReadAhead, type PendingRead } from './read-ahead.ts';
import {
  predicateIsEmpty,
  predicateMatches,
  type SelectionPredicate,
} from '../contract/selection-predicate.ts';
import { isStorageError } from '../contract/storage-error.ts';
import type { StorageWatch, StorageWatchOptions } from '../contract/storage-interface.ts';
import type { StoredObject } from '../contract/stored-object.ts';

type Batch<T extends KubernetesObject> = readonly WatchEvent<StoredObject<T>>[];

/** Number of initial objects in one batch. */
const INITIAL_BATCH = 500;

export interface WatchRequest<T extends KubernetesObject> {
  /** The prepared key: a prefix with a trailing slash if the watch is recursive. */
  readonly key: string;
  readonly options: StorageWatchOptions<T>;
}

/** The start of a watch. */
interface Start {
  /** The state to send first; undefined for none. */
  readonly initial:
    | { readonly items: readonly KeyValue[]; readonly revision: Revision }
    | undefined;
  /** Whether to send a bookmark after the initial state. */
  readonly endBookmark: boolean;
  readonly changes: KeyValueWatch;
}

/**
 * A watch over the raw engine. `open` reads the initial state and registers the watch for later changes. Objects are decoded
 * only when a selector or the reader reads them.
 */
export class RawStorageWatch<T extends KubernetesObject> implements StorageWatch<T> {
  readonly #access: ObjectAccess<T>;
  readonly #request: WatchRequest<T>;
  readonly #predicate: SelectionPredicate<T> | undefined;
  readonly #onEnd: (watch: RawStorageWatch<T>) => void;
  #start: Start | undefined;
  #failure: { readonly error: unknown } | undefined;
  #closed = false;
  #release = (): void => {};

  constructor(
    access: ObjectAccess<T>,
    request: WatchRequest<T>,
    onEnd: (watch: RawStorageWatch<T>) => void,
  ) {
    const { predicate } = request.options;
    this.#access = access;
    this.#request = request;
    this.#onEnd = onEnd;
    this.#predicate = predicateIsEmpty(predicate as SelectionPredicate | undefined)
      ? undefined
      : predicate;
  }

  /** Registers the watch. The reader gets any error. Awaits between reading the state and registering. */
  async open(): Promise<void> {
    this.#release = onAbort(this.#request.options.signal, () => {
      this.destroy();
    });
    if (this.#closed) return;
    try {
      this.#start = await this.#begin();
    } catch (error) {
      this.#failure = { error: this.#asApiError(error) };
      this.#onEnd(this);
    }
    if (this.#closed) this.#start?.changes.destroy();
  }

  async requestProgress(): Promise<void> {
    await this.#start?.changes.requestProgress();
  }

  destroy(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#release();
    this.#start?.changes.destroy();
    this.#onEnd(this);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Batch<T>, undefined> {
    try {
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#start === undefined) return;
      yield* this.#initialEvents(this.#start);
      yield* this.#changeEvents(this.#start.changes);
    } catch (error) {
      if (!this.#closed) throw this.#asApiError(error);
    } finally {
      this.destroy();
    }
  }

  async #begin(): Promise<Start> {
    const { key, options } = this.#request;
    const { store, versioner } = this.#access;
    const { sendInitialEvents, recursive = true, progressNotify = false, signal } = options;
    const rangeEnd = recursive ? prefixEnd(key) : undefined;
    const after = versioner.parseResourceVersion(options.resourceVersion);
    const watch = (startRevision: Revision | undefined): Promise<KeyValueWatch> =>
      store.watch({ key, rangeEnd, startRevision, previous: true, progressNotify, signal });
    if (!(sendInitialEvents ?? after === 0n)) {
      const changes = await watch(after === 0n ? undefined : after + 1n);
      return { initial: undefined, endBookmark: false, changes };
    }
    const { items, revision } = await store.range({ key, rangeEnd });
    if (after > revision) {
      throw tooLargeResourceVersion(
        versioner.resourceVersionOf(after),
        versioner.resourceVersionOf(revision),
      );
    }
    const endBookmark = sendInitialEvents === true && progressNotify;
    return { initial: { items, revision }, endBookmark, changes: await watch(revision + 1n) };
  }

  async *#initialEvents({ initial, endBookmark }: Start): AsyncGenerator<Batch<T>, undefined> {
    if (initial === undefined) return;
    let batch: WatchEvent<StoredObject<T>>[] = [];
    const reader = new ReadAhead(
      this.#access,
      initial.items.map((kv) => ({ kv })),
    );
    for (let index = 0; index < initial.items.length; index += 1) {
      if (this.#closed) return;
      const object = await next(reader);
      if (!this.#matches(object)) continue;
      batch.push({ type: 'ADDED', object });
      if (batch.length < INITIAL_BATCH) continue;
      yield batch;
      batch = [];
    }
    if (endBookmark) batch.push(this.#bookmark(initial.revision, true));
    if (batch.length > 0) yield batch;
  }

  async *#changeEvents(changes: KeyValueWatch): AsyncGenerator<Batch<T>, undefined> {
    const bookmarks = this.#request.options.progressNotify ?? false;
    for await (const messages of changes) {
      const batch: WatchEvent<StoredObject<T>>[] = [];
      let failed: { readonly error: unknown } | undefined;
      const reader = this.#readerOf(messages);
      for (const message of messages) {
        if (message.type === 'progress') {
          if (bookmarks) batch.push(this.#bookmark(message.revision, false));
          continue;
        }
        try {
          const event = await this.#derive(message.event, reader);
          if (event !== undefined) batch.push(event);
        } catch (error) {
          failed = { error };
          break;
        } finally {
          const { type, kv } = message.event;
          if (type === 'delete') this.#access.sizes?.forget(kv.key, kv.modRevision);
        }
      }
      if (batch.length > 0) yield batch;
      if (failed !== undefined) throw failed.error;
    }
  }

  /** Reads, in order, the states that `#derive` needs. */
  #readerOf(messages: readonly KeyValueWatchMessage[]): ReadAhead<T> {
    const reads: PendingRead[] = [];
    for (const message of messages) {
      if (message.type !== 'event') continue;
      const { type, kv, previous } = message.event;
      if (type === 'put') reads.push({ kv });
      if (previous !== undefined && this.#looksBack(message.event)) {
        reads.push({ kv: previous, revision: kv.modRevision });
      }
    }
    return new ReadAhead(this.#access, reads);
  }

  /** Whether the type of the event depends on the state before the change. */
  #looksBack({ type, kv }: KeyValueEvent): boolean {
    if (type === 'delete') return true;
    return this.#predicate !== undefined && kv.createRevision !== kv.modRevision;
  }

  /** The event of a change for this watch: ADDED if the object starts to match, DELETED if it no longer matches. */
  async #derive(
    event: KeyValueEvent,
    reader: ReadAhead<T>,
  ): Promise<ObjectEvent<StoredObject<T>> | undefined> {
    const { type, kv, previous } = event;
    const object = type === 'put' ? await next(reader) : undefined;
    const matches = object !== undefined && this.#matches(object);
    if (!this.#looksBack(event)) {
      const created = kv.createRevision === kv.modRevision;
      return matches ? { type: created ? 'ADDED' : 'MODIFIED', object } : undefined;
    }
    if (previous === undefined) {
      throw expired(
        `the state of ${kv.key} before revision ${kv.modRevision} was compacted away, so the change cannot be sent`,
      );
    }
    const before = await this.#readBefore(reader, event);
    const matched = this.#matches(before);
    if (matches) return { type: matched ? 'MODIFIED' : 'ADDED', object };
    return matched ? { type: 'DELETED', object: before } : undefined;
  }

  /** The content before a change, with the resource version of the change. */
  async #readBefore(
    reader: ReadAhead<T>,
    { type, kv: { key } }: KeyValueEvent,
  ): Promise<JsonStoredObject<T>> {
    try {
      return await next(reader);
    } catch (error) {
      if (type === 'put' || !isStorageError(error, 'CORRUPT_OBJECT')) throw error;
      const message = `saw a DELETED event, but object data is corrupt: ${key} could not be read before it was deleted`;
      throw failure('StorageReadError', message, { cause: error });
    }
  }

  #matches(stored: StoredObject<T>): boolean {
    return this.#predicate === undefined || predicateMatches(this.#predicate, stored.object);
  }

  #bookmark(revision: Revision, initialEventsEnd: boolean): WatchEvent<StoredObject<T>> {
    const resourceVersion = this.#access.versioner.resourceVersionOf(revision);
    return { type: 'BOOKMARK', resourceVersion, initialEventsEnd };
  }

  /** The error that the reader gets in place of an ERROR event. */
  #asApiError(error: unknown): unknown {
    if (error instanceof ApiError) return error;
    if (isListwatchError(error, 'COMPACTED')) {
      return expired(`too old resource version: ${error.message}`);
    }
    return internalError(errorMessage(error), error);
  }
}

async function next<T extends KubernetesObject>(
  reader: ReadAhead<T>,
): Promise<JsonStoredObject<T>> {
  const reading = reader.read();
  return (reading instanceof Promise ? await reading : reading).stored;
}
