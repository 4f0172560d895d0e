import { deriveAbort, onAbort } from '../../kernel/time/abort.ts';
import { isListwatchError } from '../../kernel/failure/errors.ts';
import { silentMetrics, type Metrics } from '../../kernel/report/metrics.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { nextTask } from '../../kernel/time/wait.ts';
import { metaNamespaceKeyFunc } from '../../meta/key.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { DecodedView, type ObjectView } from '../../meta/object-view.ts';
import { DeltaFIFO, type NextRelist, type PopProcess } from '../delta/delta-fifo.ts';
import { transformedBy } from '../delta/object-intake.ts';
import type { DeleteNotification, NotificationBatch } from '../informer/handlers/notification.ts';
import type { ErrorReporter } from '../informer/observe/error-reporter.ts';
import type { CollectionInspection } from '../informer/observe/informer-inspection.ts';
import type { ResolvedInformerOptions } from '../informer/options/informer-options.ts';
import type { ObjectMemory } from '../memory/object-memory.ts';
import { SlabMemory } from '../memory/slab-memory.ts';
import type { ReceivedObjects } from '../reflector/contract/received-objects.ts';
import type { ReflectorSink } from '../reflector/contract/reflector-sink.ts';
import { keyNamespaceIndexFunc, NAMESPACE_INDEX, type Indexers } from '../store/indexers.ts';
import { ThreadSafeStore } from '../store/thread-safe-store.ts';
import { WriteOverlay } from '../store/write-overlay.ts';
import { CollectionFeed, type FedCollection } from './collection-feed.ts';
import { CollectionIndexes } from './collection-indexes.ts';
import type { CollectionUser } from './collection-user.ts';
import { DeltaProcessor } from './delta-processor.ts';
import { indexersOfViews } from './object-reader.ts';
import { prepareObject, type PrepareObject } from './prepare-object.ts';
import { QueueClock } from '../../kernel/data/queue-clock.ts';
import { receivedOf } from './received-collection.ts';
import { lastSeen } from './relist-changes.ts';
import { runInSlices } from '../../kernel/time/sliced-steps.ts';
import { StoredObjects } from './stored-objects.ts';

/** Deltas applied between two turns of the event loop (client-go the_real_fifo.go defaultBatchSize @ 32ce75a7). */
const BATCH_SIZE = 1000;

/**
 * With a larger backlog, handlers run before the next changes are applied: a notification that is delivered soon is still in
 * the caches of the processor, and is collected as a young object.
 */
const LARGEST_BACKLOG = 256;
/** A slow handler must not delay the store: after this time, milliseconds, the next deltas are applied in any case. */
const CATCH_UP_MS = 20;
const BATCH_WITH_BACKLOG = 64;

type Batches<T extends KubernetesObject> = readonly NotificationBatch<ObjectView<T>>[];

export interface CollectionParts<T extends KubernetesObject> {
  /** Of its first informer. */
  readonly options: ResolvedInformerOptions<T>;
  readonly errors: ErrorReporter;
  readonly metrics: Metrics;
}

/**
 * One collection in memory, kept up to date: it owns the reflectors, the queue, the store and the memory of the objects, and applies the
 * queue to the store batch by batch. One informer runs on it, or several that ask for the same.
 *
 * Guarantees:
 * - It follows the collection from its first informer on, until the last one has left.
 * - An informer that joins gets every change after the state that the store has in that step.
 * - A relist of any size blocks the event loop only for a few milliseconds at a time, and becomes visible in one step.
 */
export class Collection<T extends KubernetesObject> implements FedCollection<T> {
  readonly options: ResolvedInformerOptions<T>;
  readonly errors: ErrorReporter;
  readonly metrics: Metrics;
  readonly memory: ObjectMemory<ObjectView<T>>;
  /** The received state of the server. */
  readonly store: ThreadSafeStore<ObjectView<T>>;
  /** For reflectors that have sinks of their own; they call `noteProgress`. */
  readonly fifo: DeltaFIFO<ObjectView<T>>;
  /** The store with own writes, as readers see it. Answers are prepared as the objects of the watch are. */
  readonly overlay: WriteOverlay<ObjectView<T>, T>;
  readonly indexes: CollectionIndexes<T>;
  /** The sink of the reflector. */
  readonly sink: ReflectorSink<ObjectView<T>>;
  readonly feed: CollectionFeed<T>;
  readonly users: Set<CollectionUser<T>> = new Set();
  readonly #runtime: Runtime;
  readonly #objects: StoredObjects<ObjectView<T>>;
  readonly #processor: DeltaProcessor<ObjectView<T>>;
  readonly #prepare: PrepareObject<T> | undefined;
  readonly #received: ReceivedObjects<ObjectView<T>>;
  readonly #clock = new QueueClock();
  readonly #stop = deriveAbort();
  /** Objects that readers saw by own writes alone, and that the present step has found deleted. */
  #vanished: DeleteNotification<ObjectView<T>>[] = [];
  #lastEventAtMs: number | undefined;
  #running: Promise<void> | undefined;
  /** Changes that were applied since the handlers were last asked whether they have fallen behind. */
  #unasked = 0;
  #synced = false;
  /** Its content came from an earlier run, and the server has not confirmed it. */
  #unconfirmed = false;
  #wasShared = false;

  constructor({ options, errors, metrics }: CollectionParts<T>) {
    const { order, runtime, cache, indexers, namespaces } = options;
    this.options = options;
    this.errors = errors;
    this.metrics = metrics;
    this.#runtime = runtime;
    // The program says of what type its objects are, as with a source.
    const memory = (cache.memory ?? new SlabMemory(cache)) as ObjectMemory<ObjectView<T>>;
    this.memory = memory;
    this.#prepare = prepareObject(options);
    const store = new ThreadSafeStore<ObjectView<T>>({
      indexers: storeIndexers(options),
      onError: this.#objectError,
    });
    this.store = store;
    this.overlay = this.#makeOverlay();
    const { overlay } = this;
    this.indexes = new CollectionIndexes<T>(overlay, indexers);
    const objects = new StoredObjects({ store, memory });
    this.#objects = objects;
    // Versions of several watches have no order among each other.
    const ordered = order === 'arrival' && namespaces === undefined;
    this.#processor = new DeltaProcessor({ objects, overlay, ordered });
    this.fifo = this.#makeFifo();
    this.sink = this.#makeSink();
    this.#received = this.#receivedIn(undefined);
    this.feed = new CollectionFeed<T>(this);
  }

  /** Whether another informer may join: it runs, and will go on. */
  get isOpen(): boolean {
    return this.#running !== undefined && !this.stopped.aborted;
  }

  /** Whether it has had more than one informer at a time. */
  get wasShared(): boolean {
    return this.#wasShared;
  }

  /** Aborts when its last informer has left. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** The informers that run on it, without one. */
  others(user: CollectionUser<T>): readonly string[] {
    return [...this.users].filter((other) => other !== user).map(({ name }) => name);
  }

  received(namespace?: string): ReceivedObjects<ObjectView<T>> {
    return namespace === undefined ? this.#received : this.#receivedIn(namespace);
  }

  /** Follows the collection for this informer until the signal aborts. The first one starts it, the last one ends it. */
  async run(user: CollectionUser<T>, signal: AbortSignal): Promise<void> {
    this.users.add(user);
    this.#wasShared ||= this.users.size > 1;
    let leave = (): void => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const release = onAbort(signal, () => {
      // The last one is notified of the end too.
      if (this.users.size === 1) this.#stop.abort(signal.reason);
      else if (this.users.delete(user)) leave();
    });
    if (this.#running === undefined) this.#running = this.#follow(user, this.stopped);
    else if (this.#synced) user.synced();
    try {
      await Promise.race([this.#running, left]);
    } finally {
      release();
      this.users.delete(user);
    }
  }

  /** Accepts no more changes, and ends all waits. Calling again has no effect. */
  end(): void {
    this.fifo.end();
    this.overlay.destroy();
  }

  /** An informer has ended: so does the collection, unless another one runs on it. */
  release(): void {
    if (this.users.size > 0) return;
    this.end();
    this.memory.destroy();
  }

  inspect(): CollectionInspection {
    const nowMs = this.#runtime.monotonicMs();
    const lastMs = this.#lastEventAtMs;
    return {
      ...this.feed.inspect(),
      storeResourceVersion: this.store.resourceVersion,
      objects: this.store.size,
      bytes: this.store.bytes,
      indexes: this.store.indexNames,
      queued: this.fifo.size,
      listed: this.fifo.incoming,
      lagMs: this.#clock.waitedMs(nowMs),
      lastEventAgeMs: lastMs === undefined ? undefined : nowMs - lastMs,
      eventsApplied: this.#processor.eventsApplied,
      ownWrites: this.overlay.inspect().pending,
      memory: this.memory.inspect(),
    };
  }

  hold(): void {
    this.#unconfirmed = true;
  }

  confirm(): void {
    this.#unconfirmed = false;
    this.#checkSynced();
  }

  noteProgress(): void {
    this.#noteArrival();
    this.#checkSynced();
  }

  async #follow(first: CollectionUser<T>, signal: AbortSignal): Promise<void> {
    const draining = this.#drain(signal);
    try {
      await this.feed.run(first, signal);
    } finally {
      this.#stop.abort();
      this.end();
      await draining;
      await this.feed.finish();
    }
  }

  /** Empties the queue into the store until `end` or the signal. */
  async #drain(signal: AbortSignal): Promise<void> {
    while (await this.fifo.whenReady()) {
      const relist = this.fifo.peekRelist();
      if (relist !== undefined) await this.#prepareRelist(relist, signal);
      if (signal.aborted) return;
      this.#applyBatch();
      const { displaced } = this.#objects;
      if (displaced !== undefined) await runInSlices(displaced, this.#runtime);
      if (this.fifo.size > 0) await nextTask(this.#runtime);
      if (this.#fallenBehind()) await this.#letHandlersCatchUp(signal);
    }
  }

  /** Asks the handlers after each `BATCH_WITH_BACKLOG` changes: with a hundred informers, the question costs as much as an event. */
  #fallenBehind(): boolean {
    if (this.#unasked < BATCH_WITH_BACKLOG) return false;
    this.#unasked = 0;
    return this.#handlersHaveBacklog();
  }

  #handlersHaveBacklog(): boolean {
    for (const user of this.users) if (user.hasBacklog(LARGEST_BACKLOG)) return true;
    return false;
  }

  async #letHandlersCatchUp(signal: AbortSignal): Promise<void> {
    const endMs = this.#runtime.monotonicMs() + CATCH_UP_MS;
    do await nextTask(this.#runtime);
    while (this.#handlersHaveBacklog() && !signal.aborted && this.#runtime.monotonicMs() < endMs);
  }

  /** Computes the changes of a relist, in slices. Errors are thrown when it is applied. */
  async #prepareRelist(relist: NextRelist<ObjectView<T>>, signal: AbortSignal): Promise<void> {
    try {
      await runInSlices(this.#processor.prepare(relist), this.#runtime, signal);
    } catch {
      this.#processor.dropPrepared();
    }
  }

  #applyBatch(): void {
    const sizeBefore = this.fifo.size;
    const isMetered = this.metrics !== silentMetrics;
    const startedAtMs = isMetered ? this.#runtime.monotonicMs() : 0;
    const isLarge = sizeBefore > BATCH_WITH_BACKLOG;
    const limit = isLarge && this.#handlersHaveBacklog() ? BATCH_WITH_BACKLOG : BATCH_SIZE;
    this.errors.guard('internal', () => this.fifo.popBatch(limit, this.#apply));
    if (isMetered) {
      const durationMs = this.#runtime.monotonicMs() - startedAtMs;
      for (const user of this.users) user.applied(durationMs);
    }
    const taken = sizeBefore - this.fifo.size;
    this.#unasked += taken;
    this.#clock.taken(taken);
    this.#checkSynced();
  }

  #checkSynced(): void {
    if (this.#synced || this.#unconfirmed || !this.fifo.synced) return;
    this.#synced = true;
    for (const user of this.users) user.synced();
  }

  /** Applies a batch to the store and queues its notifications, in one step. */
  readonly #apply: PopProcess<ObjectView<T>, void> = (deltas, info) => {
    const batches = this.#processor.process(deltas, info);
    this.overlay.processed(this.#processedVersion());
    this.#notify(this.#withVanished(batches));
    for (const delta of deltas) {
      if (delta.type === 'Bookmark') {
        for (const user of this.users) user.bookmark(delta.resourceVersion);
      } else if (delta.type === 'ReplacedAll' && delta.scope !== undefined) {
        this.feed.applied(delta.scope);
      }
    }
  };

  #notify(batches: Batches<T>): void {
    for (const user of this.users) user.changed(batches);
  }

  /** Readers may have decided by the objects of own writes, so handlers are notified of their end, unless a relist does so. */
  #withVanished(batches: Batches<T>): Batches<T> {
    if (this.#vanished.length === 0) return batches;
    const notified = new Set(
      batches.flatMap(({ notifications }) => notifications.map(({ key }) => key)),
    );
    const notifications = this.#vanished.filter(({ key }) => !notified.has(key));
    this.#vanished = [];
    if (notifications.length === 0) return batches;
    return [...batches, { notifications, initial: false, audience: 'all' }];
  }

  /**
   * The version up to which all changes are in the store. With `order: 'key'` changes are reordered, so the version is known
   * only when the queue is empty.
   */
  #processedVersion(): string {
    if (this.options.order === 'arrival') return this.store.resourceVersion;
    return this.fifo.size === 0 ? this.feed.lastSyncResourceVersion : '';
  }

  #receivedIn(namespace: string | undefined): ReceivedObjects<ObjectView<T>> {
    const { store, fifo, memory, stopped } = this;
    const receivedVersion = (): string =>
      namespace === undefined ? this.feed.lastSyncResourceVersion : this.feed.versionOf(namespace);
    return receivedOf<T>({ store, fifo, memory, stopped, receivedVersion, namespace });
  }

  #noteArrival(): void {
    const nowMs = this.#runtime.monotonicMs();
    this.#lastEventAtMs = nowMs;
    this.#clock.queued(this.fifo.size, nowMs);
  }

  /** With `order: 'key'`, a bookmark or an empty list may add nothing to the queue. */
  #noteNothingLeft(resourceVersion: string): void {
    if (this.fifo.size > 0) return;
    this.overlay.processed(resourceVersion);
    if (this.#vanished.length > 0) this.#notify(this.#withVanished([]));
  }

  #makeSink(): ReflectorSink<ObjectView<T>> {
    const { fifo } = this;
    return {
      beginRelist: () =>
        fifo.beginRelist((resourceVersion) => {
          this.#noteArrival();
          this.#noteNothingLeft(resourceVersion);
          this.#checkSynced();
        }),
      apply: (events) => {
        fifo.apply(events);
        this.#noteArrival();
      },
      bookmark: (resourceVersion) => {
        fifo.bookmark(resourceVersion);
        this.#noteArrival();
        this.#noteNothingLeft(resourceVersion);
      },
      resync: () => fifo.resync(),
      waitForRoom: () => fifo.waitForRoom(),
    };
  }

  #makeFifo(): DeltaFIFO<ObjectView<T>> {
    const { keyFunc, order, queueCapacity } = this.options;
    return new DeltaFIFO<ObjectView<T>>({
      keyFunc,
      order,
      capacity: queueCapacity,
      knownObjects: this.store,
      consumer: this.#objects,
      transform: this.#prepare,
      onError: this.#objectError,
    });
  }

  #makeOverlay(): WriteOverlay<ObjectView<T>, T> {
    const { keyFunc, matches, runtime } = this.options;
    const prepare = this.#prepare;
    return new WriteOverlay<ObjectView<T>, T>({
      store: this.store,
      keyFunc,
      matches,
      prepare: (key, answer) => {
        const view = new DecodedView(answer);
        return prepare === undefined ? view : transformedBy<ObjectView<T>>(prepare, key, view);
      },
      runtime,
      onVanished: (key, object) => this.#vanished.push(lastSeen(key, object)),
      onError: this.#objectError,
    });
  }

  /** An object has no key, or a function of the user failed on it. */
  readonly #objectError = (error: unknown): void => {
    const key = isListwatchError(error) && 'key' in error ? String(error.key) : undefined;
    this.errors.report(error, { source: 'object', key });
  };
}

/** Index functions over the stored views. */
function storeIndexers<T extends KubernetesObject>({
  indexers,
  keyFunc,
  transform,
}: ResolvedInformerOptions<T>): Indexers<ObjectView<T>> {
  const overViews = indexersOfViews(indexers);
  // After a transform, the namespace of an object may differ from the namespace in its key.
  if (keyFunc !== metaNamespaceKeyFunc || transform !== undefined) return overViews;
  return { ...overViews, [NAMESPACE_INDEX]: keyNamespaceIndexFunc };
}
