import { ListwatchError } from '../../kernel/errors.ts';
import { deferred, type Deferred } from '../../kernel/latch.ts';
import { numberOption, rejectUnknownOptions } from '../../kernel/options.ts';
import { metaNamespaceKeyFunc, type KeyError, type KeyFunc } from '../../meta/key.ts';
import type { HasMetadata } from '../../meta/object.ts';
import type { ObjectEvent } from '../../meta/watch-event.ts';
import type { ReflectorSink, Relist } from '../reflector/contract/reflector-sink.ts';
import { ArrivalQueue } from './arrival-queue.ts';
import type { Delta, ReplacedAllDelta } from './delta.ts';
import type { DeltaQueue } from './delta-queue.ts';
import { IncomingRelist, type RelistConsumer } from './incoming-relist.ts';
import { KeyQueue, type KnownObjects } from './key-queue.ts';
import { ObjectIntake, type ObjectIntakeOptions, type TransformError } from './object-intake.ts';

/**
 * `arrival`: strict order of arrival, a relist and a resync are one item each, bookmarks are carried.
 * `key`: one item a key with all its deltas; resyncs and what a relist deletes are computed from the known objects.
 */
export type DeltaOrder = 'arrival' | 'key';

export interface DeltaFIFOOptions<V extends HasMetadata> {
  /** @defaultValue 'arrival' */
  readonly order?: DeltaOrder | undefined;
  /** Computes the key of an object, before `transform` has seen it. @defaultValue `metaNamespaceKeyFunc` */
  readonly keyFunc?: KeyFunc | undefined;
  /**
   * Changes every object on its way in, once; not what comes out of the known objects. It must keep
   * `metadata.resourceVersion` and `metadata.uid`, by which unchanged and recreated objects are told.
   * @defaultValue none
   */
  readonly transform?: ((object: V) => V) | undefined;
  /** What the consumer holds. @defaultValue none: with `order: 'key'`, deletions of keys not queued are dropped */
  readonly knownObjects?: KnownObjects<V> | undefined;
  /** Stores what relists bring. An unchanged object is not looked for while an earlier relist is queued. @defaultValue none */
  readonly consumer?: RelistConsumer<V> | undefined;
  /**
   * Deltas from which on `waitForRoom` holds the producer back, at least 1.
   * @defaultValue 256: what waits here still lies in the pieces the network brought; client-go has no bound
   */
  readonly capacity?: number | undefined;
  /**
   * Takes objects that have no key or cannot be transformed. Without it a write throws the first of them, after everything
   * else has been queued.
   */
  readonly onError?: ((error: KeyError | TransformError) => void) | undefined;
}

const OPTIONS: readonly (keyof DeltaFIFOOptions<HasMetadata>)[] = [
  'order',
  'keyFunc',
  'transform',
  'knownObjects',
  'consumer',
  'capacity',
  'onError',
];

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

const BATCH_LIMIT = { min: 1, integer: true };
const INITIAL: PopInfo = Object.freeze({ initial: true });
const LATER: PopInfo = Object.freeze({ initial: false });

/**
 * The queue between a reflector, which fills it, and an informer, which drains it into a store.
 *
 * Guarantees:
 * - One bad object (no key, a transform that throws) is reported and costs nobody else a change: known state of it stays,
 *   and its deletion still arrives, with the final state unknown.
 * - What `synced` promises has been processed: it turns true after the last item of the first `replace` came back from the
 *   process function, thrown or not, and never turns back. A change before any `replace` makes it true at once.
 * - Items of the first `replace` and later ones never share a batch. A relist that is one item is a batch of its own.
 *
 * Not guaranteed: room. A producer that does not ask `waitForRoom` may exceed the capacity.
 * @see client-go tools/cache/the_real_fifo.go, delta_fifo.go @ 32ce75a7
 */
export class DeltaFIFO<V extends HasMetadata> implements ReflectorSink<V> {
  readonly #queue: DeltaQueue<V>;
  readonly #options: DeltaFIFOOptions<V>;
  readonly #intakeOptions: ObjectIntakeOptions<V>;
  readonly #intake: ObjectIntake<V>;
  readonly #capacity: number;
  /** The relist that is coming in. */
  #incoming: IncomingRelist<V> | undefined;
  #pin: Disposable | undefined;
  #populated = false;
  #initialItems = 0;
  #closed = false;
  #ready: Deferred<boolean> | undefined;
  #room: Deferred<void> | undefined;

  constructor(options: DeltaFIFOOptions<V> = {}) {
    rejectUnknownOptions('DeltaFIFO', options, OPTIONS);
    const { order = 'arrival', keyFunc = metaNamespaceKeyFunc, knownObjects } = options;
    if (order !== 'arrival' && order !== 'key') {
      throw new ListwatchError(
        'INVALID_OPTION',
        `DeltaFIFO: option "order" must be arrival or key, not ${String(order)}`,
      );
    }
    this.#queue = order === 'key' ? new KeyQueue(knownObjects) : new ArrivalQueue();
    const { transform, onError } = options;
    this.#options = options;
    this.#intakeOptions = { keyFunc, transform, onError };
    this.#intake = new ObjectIntake(this.#intakeOptions);
    this.#capacity = numberOption('DeltaFIFO', 'capacity', options.capacity, 256, { min: 1 });
  }

  /** Number of items queued: deltas, or with `order: 'key'` keys. */
  get size(): number {
    return this.#queue.size;
  }

  /** Whether the first `replace` has been processed. */
  get synced(): boolean {
    return this.#populated && this.#initialItems === 0;
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

  /**
   * Begins a relist, whose content comes piece by piece. One at a time: it takes the place of one that was not finished.
   * `onQueued` is called with its resource version once it is queued.
   */
  beginRelist(onQueued?: (resourceVersion: string) => void): Relist<V> {
    const { consumer } = this.#options;
    this.#incoming?.discard();
    // It may carry what is in the store now, and bring it back there after something older in the queue has replaced it.
    this.#pin ??= consumer?.pin();
    this.#incoming = new IncomingRelist<V>({
      intake: new ObjectIntake(this.#intakeOptions),
      consumer,
      // What an earlier relist makes of the stored objects must not be foreseen.
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
    return this.#incoming;
  }

  /** Every change up to `resourceVersion` was passed on. */
  bookmark(resourceVersion: string): void {
    this.#write(() => {
      this.#queue.bookmark(resourceVersion);
    });
  }

  /** Hands every known object to the consumer again. */
  resync(): void {
    this.#write(() => {
      this.#queue.resync();
    });
  }

  /** A promise of room when the queue is full, undefined when there is room. It resolves once half of the queue is free. */
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
   * Takes the oldest item and returns what `process` makes of it; undefined when there is none. With `order: 'arrival'` an
   * item is one delta, with `order: 'key'` all deltas of one key. What `process` throws is thrown; the item is gone.
   */
  pop<R>(process: PopProcess<V, R>): R | undefined {
    return this.popBatch(1, process);
  }

  /**
   * As `pop`, with the deltas of up to `limit` items in one call; `limit` is at least 1.
   * @throws {ListwatchError} code INVALID_OPTION for another limit.
   */
  popBatch<R>(limit: number, process: PopProcess<V, R>): R | undefined {
    numberOption('DeltaFIFO.popBatch', 'limit', limit, 1, BATCH_LIMIT);
    if (this.size === 0) return undefined;
    const { initial } = this.#info;
    const count = Math.min(limit, this.size, initial ? this.#initialItems : Infinity);
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
      if (initial) this.#initialItems -= taken;
      if (this.size === 0 && this.#incoming?.open !== true) this.#endPin();
      this.#signalRoom();
    }
  }

  /** The oldest item, if it is a relist. It stays where it is, for whoever wants to prepare for it. */
  peekRelist(): NextRelist<V> | undefined {
    const relist = this.#queue.peekRelist();
    return relist && { relist, info: this.#info };
  }

  /** Refuses further writes; what is queued can still be taken. Calling again is harmless. */
  close(): void {
    this.#closed = true;
    this.#signalReady();
    this.#signalRoom();
  }

  get #info(): PopInfo {
    return this.#initialItems > 0 ? INITIAL : LATER;
  }

  /** One step: everything is queued before anybody is woken or told of failures. */
  #write(enqueue: () => void): void {
    this.#checkOpen();
    enqueue();
    this.#signalReady();
    this.#intake.report();
  }

  #commit(relist: ReplacedAllDelta<V>): void {
    this.#incoming = undefined;
    const count = this.#queue.replace(relist);
    if (!this.#populated) this.#initialItems = count;
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
