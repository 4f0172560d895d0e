import type { Runtime } from '../../../kernel/time/runtime.ts';
import { nextTask } from '../../../kernel/time/wait.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import { metaNamespaceKeyFunc } from '../../../meta/key.ts';
import type { ObjectMemory } from '../../memory/object-memory.ts';
import { DeltaFIFO, type NextRelist, type PopProcess } from '../../delta/delta-fifo.ts';
import type { ReflectorSink } from '../../reflector/contract/reflector-sink.ts';
import { keyNamespaceIndexFunc, NAMESPACE_INDEX, type Indexers } from '../../store/indexers.ts';
import { ThreadSafeStore } from '../../store/thread-safe-store.ts';
import type { WriteOverlay } from '../../store/write-overlay.ts';
import { DeltaProcessor } from './delta-processor.ts';
import type { ErrorReporter } from '../observe/error-reporter.ts';
import type { PipelineInspection } from '../observe/informer-inspection.ts';
import type { InformerMeter } from '../observe/informer-meter.ts';
import type { ResolvedInformerOptions } from '../options/informer-options.ts';
import type { DeleteNotification, NotificationBatch } from '../handlers/notification.ts';
import { indexersOfViews } from './object-reader.ts';
import { OwnWrites } from './own-writes.ts';
import { lastSeen } from './relist-changes.ts';
import { prepareObject, type PrepareObject } from './prepare-object.ts';
import { QueueClock } from './queue-clock.ts';
import { runInSlices } from './sliced-steps.ts';
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

export interface ObjectPipelineOptions<T extends KubernetesObject> {
  readonly options: ResolvedInformerOptions<T>;
  /** The memory of the objects in the store. @defaultValue none */
  readonly memory?: ObjectMemory<ObjectView<T>> | undefined;
  readonly errors: ErrorReporter;
  readonly meter: Pick<InformerMeter, 'applied'> | undefined;
  /** Queues notifications for the handlers; called in the same step in which the store changed. */
  readonly onChanges: (batches: readonly NotificationBatch<ObjectView<T>>[]) => void;
  /** Whether a handler that does not wait for a promise has a backlog of more than `count` notifications. @defaultValue false */
  readonly handlersHaveBacklog?: ((count: number) => boolean) | undefined;
  /** The newest resource version received. */
  readonly lastSyncResourceVersion: () => string;
  /** The store has every change up to this resource version. */
  readonly onBookmark: (resourceVersion: string) => void;
  /** The store has a list of this scope; see `ReplacedAllDelta`. */
  readonly onScope?: ((scope: string) => void) | undefined;
  /** The store has the whole state for the first time. */
  readonly onSynced: () => void;
}

/**
 * The path from the reflector to the store: the queue, and the loop that empties it batch by batch.
 *
 * Guarantees: a relist of any size blocks the event loop only for a few milliseconds at a time, and becomes visible in one step.
 */
export class ObjectPipeline<T extends KubernetesObject> {
  /** The received state of the server. */
  readonly store: ThreadSafeStore<ObjectView<T>>;
  /** The queue, for reflectors that have sinks of their own; they call `noteProgress`. */
  readonly fifo: DeltaFIFO<ObjectView<T>>;
  /** The overlay with the answers to own writes. */
  readonly writes: OwnWrites<T>;
  /** The sink of the reflector. */
  readonly sink: ReflectorSink<ObjectView<T>>;
  readonly #options: ObjectPipelineOptions<T>;
  readonly #runtime: Runtime;
  readonly #objects: StoredObjects<ObjectView<T>>;
  readonly #processor: DeltaProcessor<ObjectView<T>>;
  readonly #prepare: PrepareObject<T> | undefined;
  readonly #clock = new QueueClock();
  /** Objects that readers saw by own writes alone, and that the present step has found deleted. */
  #vanished: DeleteNotification<ObjectView<T>>[] = [];
  #lastEventAtMs: number | undefined;
  #synced = false;
  /** Its content came from an earlier run, and the server has not confirmed it. */
  #unconfirmed = false;

  constructor(options: ObjectPipelineOptions<T>) {
    const { order, runtime, projection, transform, freeze } = options.options;
    const { errors, memory } = options;
    this.#options = options;
    this.#runtime = runtime;
    this.#prepare = prepareObject({ projection, transform, freeze });
    this.store = new ThreadSafeStore<ObjectView<T>>({
      indexers: storeIndexers(options.options),
      onError: (error) => {
        errors.report(error, { source: 'object', key: error.key });
      },
    });
    this.writes = new OwnWrites({
      ...options.options,
      store: this.store,
      prepare: this.#prepare,
      errors,
      onVanished: (key, object) => this.#vanished.push(lastSeen(key, object)),
    });
    const { store, overlay } = this;
    const objects = new StoredObjects({ store, memory });
    this.#objects = objects;
    // Versions of several watches have no order among each other.
    const ordered = order === 'arrival' && options.options.namespaces === undefined;
    this.#processor = new DeltaProcessor({ objects, overlay, ordered });
    this.fifo = this.#makeFifo();
    this.sink = this.#makeSink();
  }

  /** The store with own writes, as readers see it. */
  get overlay(): WriteOverlay<ObjectView<T>> {
    return this.writes.overlay;
  }

  /** Empties the queue into the store until `close` or the signal. */
  async drain(signal: AbortSignal): Promise<void> {
    while (await this.fifo.whenReady()) {
      const relist = this.fifo.peekRelist();
      if (relist !== undefined) await this.#prepareRelist(relist, signal);
      if (signal.aborted) return;
      this.#applyBatch();
      const { displaced } = this.#objects;
      if (displaced !== undefined) await runInSlices(displaced, this.#runtime);
      if (this.fifo.size > 0) await nextTask(this.#runtime);
      if (this.#handlersHaveBacklog()) await this.#letHandlersCatchUp(signal);
    }
  }

  /** Accepts no more changes, and ends all waits. Calling again has no effect. */
  close(): void {
    this.fifo.end();
    this.overlay.destroy();
  }

  inspect(): PipelineInspection {
    const nowMs = this.#runtime.monotonicMs();
    const lastMs = this.#lastEventAtMs;
    return {
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
    };
  }

  #handlersHaveBacklog(): boolean {
    return this.#options.handlersHaveBacklog?.(LARGEST_BACKLOG) === true;
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
    const { errors, meter } = this.#options;
    const sizeBefore = this.fifo.size;
    const startedAtMs = meter === undefined ? 0 : this.#runtime.monotonicMs();
    const limit = this.#handlersHaveBacklog() ? BATCH_WITH_BACKLOG : BATCH_SIZE;
    errors.guard('internal', () => this.fifo.popBatch(limit, this.#apply));
    meter?.applied(this.#runtime.monotonicMs() - startedAtMs);
    this.#clock.taken(sizeBefore - this.fifo.size);
    this.#checkSynced();
  }

  #checkSynced(): void {
    if (this.#synced || this.#unconfirmed || !this.fifo.synced) return;
    this.#synced = true;
    this.#options.onSynced();
  }

  /** Applies a batch to the store and queues its notifications, in one step. */
  readonly #apply: PopProcess<ObjectView<T>, void> = (deltas, info) => {
    const { onChanges, onBookmark, onScope } = this.#options;
    const batches = this.#processor.process(deltas, info);
    this.overlay.processed(this.#processedVersion());
    onChanges(this.#withVanished(batches));
    for (const delta of deltas) {
      if (delta.type === 'Bookmark') onBookmark(delta.resourceVersion);
      if (delta.type === 'ReplacedAll' && delta.scope !== undefined) onScope?.(delta.scope);
    }
  };

  /** Readers may have decided by the objects of own writes, so their end is told, unless a relist has told it. */
  #withVanished(
    batches: readonly NotificationBatch<ObjectView<T>>[],
  ): readonly NotificationBatch<ObjectView<T>>[] {
    if (this.#vanished.length === 0) return batches;
    const told = new Set(
      batches.flatMap(({ notifications }) => notifications.map(({ key }) => key)),
    );
    const notifications = this.#vanished.filter(({ key }) => !told.has(key));
    this.#vanished = [];
    if (notifications.length === 0) return batches;
    return [...batches, { notifications, initial: false, audience: 'all' }];
  }

  /**
   * The version up to which all changes are in the store. With `order: 'key'` changes are reordered, so the version is known
   * only when the queue is empty.
   */
  #processedVersion(): string {
    const { options, lastSyncResourceVersion } = this.#options;
    if (options.order === 'arrival') return this.store.resourceVersion;
    return this.fifo.size === 0 ? lastSyncResourceVersion() : '';
  }

  #makeSink(): ReflectorSink<ObjectView<T>> {
    const fifo = this.fifo;
    return {
      beginRelist: () =>
        fifo.beginRelist((resourceVersion) => {
          this.#noteRelist(resourceVersion);
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
      resync: () => {
        fifo.resync();
      },
      waitForRoom: () => fifo.waitForRoom(),
    };
  }

  #noteRelist(resourceVersion: string): void {
    this.#noteArrival();
    this.#noteNothingLeft(resourceVersion);
    this.#checkSynced();
  }

  /** What comes next is of an earlier run: the pipeline does not count as synced until `confirm`. */
  hold(): void {
    this.#unconfirmed = true;
  }

  confirm(): void {
    this.#unconfirmed = false;
    this.#checkSynced();
  }

  /** A namespace has got something, or has gone. */
  noteProgress(): void {
    this.#noteArrival();
    this.#checkSynced();
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
    if (this.#vanished.length > 0) this.#options.onChanges(this.#withVanished([]));
  }

  #makeFifo(): DeltaFIFO<ObjectView<T>> {
    const { options, errors } = this.#options;
    const { keyFunc, order, queueCapacity } = options;
    return new DeltaFIFO<ObjectView<T>>({
      keyFunc,
      order,
      capacity: queueCapacity,
      knownObjects: this.store,
      consumer: this.#objects,
      transform: this.#prepare,
      onError: (error) => {
        const key = 'key' in error ? error.key : undefined;
        errors.report(error, { source: 'object', key });
      },
    });
  }
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
