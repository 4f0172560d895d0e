import { ListwatchError } from '../../kernel/failure/errors.ts';
import { deferred, type Deferred } from '../../kernel/time/latch.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { metaNamespaceKeyFunc, type KeyError, type KeyFunc } from '../../meta/key.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { ObjectEvent } from '../../meta/watch-event.ts';
import type { ReflectorSink, Relist } from '../reflector/contract/reflector-sink.ts';
import { ArrivalQueue } from './arrival-queue.ts';
import type { Delta, ReplacedAllDelta, DeltaQueue } from './delta.ts';
import { IncomingRelist, type RelistConsumer } from './incoming-relist.ts';
import { KeyQueue, type KnownObjects } from './key-queue.ts';
import { ObjectIntake, type ObjectIntakeOptions, type TransformError } from './object-intake.ts';

/**
 * `arrival`: strict order of arrival; a relist and a resync are one item each; bookmarks are queued.
 * `key`: one item for each key with all its deltas; resyncs and the deletions of a relist are computed from the known objects.
 */
export type DeltaOrder = 'arrival' | 'key';

export interface DeltaFIFOOptions<V extends HasMetadata> {
  /** @defaultValue 'arrival' */
  readonly order?: DeltaOrder | undefined;
  /** Computes the key of an object, before `transform` is called. @defaultValue `metaNamespaceKeyFunc` */
  readonly keyFunc?: KeyFunc | undefined;
  /**
   * Changes every object once, before it is queued; known objects are not transformed again. It must keep
   * `metadata.resourceVersion` and `metadata.uid`, by which unchanged and recreated objects are recognised.
   * @defaultValue none
   */
  readonly transform?: ((object: V) => V) | undefined;
  /** The known objects of the consumer. @defaultValue none: with `order: 'key'`, deletions of keys not queued are dropped */
  readonly knownObjects?: KnownObjects<V> | undefined;
  /** Stores the objects of relists. While an earlier relist is queued, unchanged objects are not recognised. @defaultValue none */
  readonly consumer?: RelistConsumer<V> | undefined;
  /**
   * The high-water mark: with this many deltas `waitForRoom` makes the producer wait; at least 1.
   * @defaultValue 256: queued objects still hold the buffers in which they arrived; client-go has no bound
   */
  readonly capacity?: number | undefined;
  /**
   * Gets the errors of objects that have no key or cannot be transformed. Without it a write throws the first error, after all
   * other objects have been queued.
   */
  readonly onError?: ((error: KeyError | TransformError) => void) | undefined;
}

const OPTIONS = optionsOf<DeltaFIFOOptions<HasMetadata>>()('DeltaFIFO', {
  order: is.oneOf('arrival', 'key').default('arrival'),
  keyFunc: is.callback().default(metaNamespaceKeyFunc),
  transform: is.callback(),
  knownObjects: is.object(),
  consumer: is.object(),
  capacity: is.number({ min: 1 }).default(256),
  onError: is.callback(),
});

export interface PopInfo {
  /** Whether the deltas belong to the first `replace`. */
  readonly initial: boolean;
}

/** A relist that waits to be processed. */
export interface NextRelist<V extends HasMetadata> {
  readonly relist: ReplacedAllDelta<V>;
  readonly info: PopInfo;
}

/** Applies deltas, oldest first. It must be synchronous. */
export type PopProcess<V extends HasMetadata, R> = (
  deltas: readonly Delta<V>[],
  info: PopInfo,
) => R;

const NO_SCOPES: ReadonlySet<string> = new Set();
const BATCH_LIMIT = is.integer({ min: 1 });
const INITIAL: PopInfo = Object.freeze({ initial: true });
const LATER: PopInfo = Object.freeze({ initial: false });

/**
 * The queue between a reflector, which fills it, and an informer, which drains it into a store.
 *
 * Guarantees:
 * - A bad object (no key, a transform that throws) is reported and does not affect other objects: its known state stays, and
 *   its deletion still arrives, with the final state unknown.
 * - `synced` becomes true after the process function has returned or thrown for the last item of the first `replace`. It never
 *   becomes false again. A change before any `replace` makes it true at once.
 * - Items of the first `replace` and later ones never share a batch. A relist that is one item is a batch of its own.
 *
 * Not guaranteed: the capacity. A producer that does not call `waitForRoom` may exceed it.
 * @see client-go tools/cache/the_real_fifo.go, delta_fifo.go @ 32ce75a7
 */
export class DeltaFIFO<V extends HasMetadata> implements ReflectorSink<V> {
  readonly #queue: DeltaQueue<V>;
  readonly #options: DeltaFIFOOptions<V>;
  readonly #intakeOptions: ObjectIntakeOptions<V>;
  readonly #intake: ObjectIntake<V>;
  readonly #capacity: number;
  /** The relists that are being received, by scope; `''` for all keys. */
  readonly #incoming = new Map<string, IncomingRelist<V>>();
  /** Scopes whose first relist has not been queued. */
  #awaited: ReadonlySet<string> = NO_SCOPES;
  #pin: Disposable | undefined;
  #populated = false;
  #initialItems = 0;
  #closed = false;
  #ready: Deferred<boolean> | undefined;
  #room: Deferred<void> | undefined;

  constructor(options: DeltaFIFOOptions<V> = {}) {
    const read = OPTIONS.read<DeltaFIFOOptions<V>>(options);
    const { order, keyFunc, knownObjects, transform, onError, capacity } = read;
    this.#queue = order === 'key' ? new KeyQueue(knownObjects) : new ArrivalQueue();
    this.#options = options;
    this.#intakeOptions = { keyFunc, transform, onError };
    this.#intake = new ObjectIntake(this.#intakeOptions);
    this.#capacity = capacity;
  }

  /** The objects of relists that are still coming in. */
  get incoming(): number {
    let sum = 0;
    for (const relist of this.#incoming.values()) sum += relist.size;
    return sum;
  }

  /** Number of items queued: deltas, or with `order: 'key'` keys. */
  get size(): number {
    return this.#queue.size;
  }

  /** Whether the first `replace` has been processed. */
  get synced(): boolean {
    return this.#populated && this.#initialItems === 0 && this.#awaited.size === 0;
  }

  get closed(): boolean {
    return this.#closed;
  }

  add(object: V): void {
    this.#write(() => {
      this.#enqueue('Added', object);
    });
  }

  update(object: V): void {
    this.#write(() => {
      this.#enqueue('Updated', object);
    });
  }

  /** `object` is the last state of the deleted object. */
  delete(object: V): void {
    this.#write(() => {
      this.#enqueueDeletion(object);
    });
  }

  /** Changes in order. */
  apply(events: readonly ObjectEvent<V>[]): void {
    this.#write(() => {
      for (const { type, object } of events) {
        if (type === 'DELETED') this.#enqueueDeletion(object);
        else this.#enqueue(type === 'ADDED' ? 'Added' : 'Updated', object);
      }
    });
  }

  /** The whole content as of `resourceVersion`; of several objects with one key the last counts. */
  replace(items: readonly V[], resourceVersion: string): void {
    const relist = this.beginRelist();
    relist.add(items);
    relist.commit(resourceVersion);
  }

  /** The queue is synced when each of these scopes has had a relist. Only with `order: 'arrival'`. */
  awaitScopes(scopes: Iterable<string>): void {
    this.#awaited = new Set(scopes);
    if (this.#awaited.size === 0) this.#populated = true;
  }

  /**
   * Begins a relist, whose content arrives piece by piece. There is one at a time in a scope: a new one replaces an unfinished one.
   * `onQueued` is called with its resource version when it is queued. `scope`: see `ReplacedAllDelta`.
   */
  beginRelist(onQueued?: (resourceVersion: string) => void, scope?: string): Relist<V> {
    const { consumer } = this.#options;
    this.#incoming.get(scope ?? '')?.discard();
    // A relist may contain a stored object, and store it again after an older queued delta has replaced it.
    this.#pin ??= consumer?.pin();
    const incoming = new IncomingRelist<V>({
      scope,
      intake: new ObjectIntake(this.#intakeOptions),
      consumer,
      // The result of an earlier relist that is still queued is not known yet.
      unchanged: (key, object) =>
        this.#queue.relists > 0 ? undefined : consumer?.unchanged(key, object),
      check: () => {
        this.#checkOpen();
      },
      onCommit: (relist) => {
        this.#commit(relist);
        onQueued?.(relist.resourceVersion);
      },
    });
    this.#incoming.set(scope ?? '', incoming);
    return incoming;
  }

  /** Every change up to `resourceVersion` was passed on. */
  bookmark(resourceVersion: string): void {
    this.#write(() => {
      this.#queue.bookmark(resourceVersion);
    });
  }

  /** Passes every known object to the consumer again. */
  resync(): void {
    this.#write(() => {
      this.#queue.resync();
    });
  }

  /** Undefined if the queue is not full; otherwise a promise that resolves when half of the queue is free. */
  waitForRoom(): Promise<void> | undefined {
    if (this.#queue.deltas < this.#capacity || this.#closed) return undefined;
    this.#room ??= deferred<void>();
    return this.#room.promise;
  }

  /** Resolves with true as soon as there is an item, with false once the queue is closed and empty. */
  whenReady(): Promise<boolean> {
    if (this.size > 0) return Promise.resolve(true);
    if (this.#closed) return Promise.resolve(false);
    this.#ready ??= deferred<boolean>();
    return this.#ready.promise;
  }

  /**
   * Takes the oldest item and returns the result of `process` for it; undefined when there is none. With `order: 'arrival'` an
   * item is one delta, with `order: 'key'` all deltas of one key. An error of `process` is thrown; the item is removed.
   */
  pop<R>(process: PopProcess<V, R>): R | undefined {
    return this.popBatch(1, process);
  }

  /**
   * As `pop`, with the deltas of up to `limit` items in one call; `limit` is at least 1.
   * @throws {ListwatchError} code INVALID_OPTION for another limit.
   */
  popBatch<R>(limit: number, process: PopProcess<V, R>): R | undefined {
    BATCH_LIMIT.read('DeltaFIFO.popBatch', 'limit', limit);
    if (this.size === 0) return undefined;
    const { initial } = this.#info;
    const count = Math.min(limit, this.size, this.#initialItems || Infinity);
    const deltas: Delta<V>[] = [];
    const alone = this.#queue.peekRelist() !== undefined;
    let taken = 0;
    do {
      this.#queue.shift(deltas);
      taken += 1;
    } while (!alone && taken < count && this.#queue.peekRelist() === undefined);
    try {
      return process(deltas, initial ? INITIAL : LATER);
    } finally {
      if (this.#initialItems > 0) this.#initialItems -= taken;
      if (this.size === 0 && !this.#receives) this.#endPin();
      this.#signalRoom();
    }
  }

  /** The oldest item, if it is a relist. It stays in the queue; the consumer may prepare it. */
  peekRelist(): NextRelist<V> | undefined {
    const relist = this.#queue.peekRelist();
    return relist && { relist, info: this.#info };
  }

  /** Refuses further writes; queued items can still be taken. Calling again has no effect. */
  end(): void {
    this.#closed = true;
    this.#signalReady();
    this.#signalRoom();
  }

  get #info(): PopInfo {
    return this.#initialItems > 0 || this.#awaited.size > 0 ? INITIAL : LATER;
  }

  get #receives(): boolean {
    for (const relist of this.#incoming.values()) if (relist.open) return true;
    return false;
  }

  /** One step: all deltas are queued before waits resolve and errors are reported. */
  #write(enqueue: () => void): void {
    this.#checkOpen();
    enqueue();
    this.#signalReady();
    this.#intake.report();
  }

  #commit(relist: ReplacedAllDelta<V>): void {
    const { scope = '' } = relist;
    this.#incoming.delete(scope);
    const count = this.#queue.replace(relist);
    const wasAwaited = this.#awaited.has(scope);
    if (wasAwaited) this.#awaited = new Set([...this.#awaited].filter((one) => one !== scope));
    if (wasAwaited ? this.#awaited.size === 0 : !this.#populated) this.#initialItems = count;
    this.#populated = true;
    this.#signalReady();
  }

  #endPin(): void {
    this.#pin?.[Symbol.dispose]();
    this.#pin = undefined;
  }

  #checkOpen(): void {
    if (this.#closed) throw new ListwatchError('FIFO_CLOSED', 'the DeltaFIFO is closed');
  }

  #enqueue(type: 'Added' | 'Updated', raw: V): void {
    this.#populated = true;
    const key = this.#intake.keyOf(raw);
    if (key === undefined) return;
    const object = this.#intake.transformed(key, raw);
    if (object !== undefined) this.#queue.enqueue({ type, key, object });
  }

  #enqueueDeletion(raw: V): void {
    this.#populated = true;
    const key = this.#intake.keyOf(raw);
    if (key === undefined) return;
    const object = this.#intake.transformed(key, raw);
    const finalStateUnknown = object === undefined;
    this.#queue.enqueue({ type: 'Deleted', key, object, finalStateUnknown });
  }

  #signalReady(): void {
    if (this.#ready === undefined || (this.size === 0 && !this.#closed)) return;
    this.#ready.resolve(this.size > 0);
    this.#ready = undefined;
  }

  #signalRoom(): void {
    if (this.#room === undefined) return;
    if (!this.#closed && this.#queue.deltas > this.#capacity / 2) return;
    this.#room.resolve();
    this.#room = undefined;
  }
}
