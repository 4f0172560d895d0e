import { isStrayPromise } from '../../kernel/guarded-call.ts';
import { EventEmitter } from 'eventemitter3';
import { deriveAbort, onAbort, type DerivedAbort } from '../../kernel/abort.ts';
import { ListwatchError } from '../../kernel/errors.ts';
import { Latch } from '../../kernel/latch.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { withDeadline } from '../../kernel/wait.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { DecodedView, type ObjectView } from '../../meta/object-view.ts';
import { DeltaFIFO, type PopProcess } from '../delta/delta-fifo.ts';
import { Reflector } from '../reflector/reflector.ts';
import type { ReflectorErrorContext, ReflectorTransition } from '../reflector/reflector-report.ts';
import { StoreLister, type Lister } from '../store/lister.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { ThreadSafeStore } from '../store/thread-safe-store.ts';
import { DeltaProcessor } from './delta-processor.ts';
import { ErrorReporter } from './error-reporter.ts';
import type { ResourceEventHandler } from './event-handler.ts';
import type {
  AddHandlerOptions,
  HandlerRegistration,
  WaitOptions,
} from './handler-registration.ts';
import { HandlerRegistry } from './handler-registry.ts';
import type { InformerEvents } from './informer-events.ts';
import type { InformerInspection, InformerPhase } from './informer-inspection.ts';
import {
  resolveInformerOptions,
  type ResolvedInformerOptions,
  type SharedIndexInformerOptions,
} from './informer-options.ts';
import { indexersOfViews, ObjectReader, ViewOpener } from './object-reader.ts';

/** Deltas applied between two turns of the event loop (client-go the_real_fifo.go defaultBatchSize @ 32ce75a7). */
const BATCH_SIZE = 1000;

/**
 * Mirrors one collection into an indexed cache and tells any number of handlers what changes in it.
 *
 * Guarantees:
 * - The cache goes from one state of the server to a later one; a relist is one step.
 * - The cache changes first, then handlers are told, each in the order of the changes and one callback at a time.
 * - A handler that joins late is given what is there, and then every change since; none is lost, none comes twice.
 * - A handler that throws or is slow costs no other handler anything.
 * - An object that did not change is not reported as updated, whatever the connection went through.
 * - `synced` means that the cache has a whole list; it never turns back.
 *
 * Not guaranteed: that handlers see every state an object had; while the connection is down, and for a handler that is
 * thousands of events behind, changes collapse.
 * @see client-go tools/cache/shared_informer.go @ 32ce75a7
 */
export class SharedIndexInformer<T extends KubernetesObject> implements AsyncDisposable {
  /** Lifecycle events; what happens to objects goes to handlers. */
  readonly events: EventEmitter<InformerEvents> = new EventEmitter<InformerEvents>();
  /** Reads the cache by namespace, name and labels. */
  readonly lister: Lister<T>;
  /** Reads the cache by key and index. */
  readonly indexer: StoreReader<T>;

  readonly #options: ResolvedInformerOptions<T>;
  readonly #errors: ErrorReporter;
  readonly #store: ThreadSafeStore<ObjectView<T>>;
  readonly #fifo: DeltaFIFO<ObjectView<T>>;
  readonly #processor: DeltaProcessor<ObjectView<T>>;
  readonly #handlers: HandlerRegistry<T>;
  readonly #syncedLatch: Latch;
  readonly #stoppedLatch: Latch;
  readonly #abort: DerivedAbort = deriveAbort();
  #reflector: Reflector<ObjectView<T>>;
  #phase: InformerPhase = 'new';
  #running: Promise<void> | undefined;
  #listed = false;
  #lastError: string | undefined;

  constructor(options: SharedIndexInformerOptions<T>) {
    this.#options = resolveInformerOptions(options);
    const { name, order, subject, logger, onError } = this.#options;
    this.#errors = new ErrorReporter({ informer: name, logger, onError });
    this.#store = new ThreadSafeStore<ObjectView<T>>({
      indexers: indexersOfViews(this.#options.indexers),
      onError: (error) => {
        this.#errors.report(error, { source: 'object', key: error.key });
      },
    });
    this.#fifo = this.#makeFifo();
    this.#processor = new DeltaProcessor({ store: this.#store, ordered: order === 'arrival' });
    this.#handlers = this.#makeHandlers();
    this.#reflector = this.#makeReflector();
    this.#syncedLatch = new Latch(`first list of ${name}`);
    this.#stoppedLatch = new Latch(`end of ${name}`);
    const opener = new ViewOpener<T>();
    this.indexer = new ObjectReader(this.#store, opener);
    this.lister = new StoreLister({ store: this.#store, opener, subject });
  }

  get name(): string {
    return this.#options.name;
  }

  /** Whether the cache has a whole list. Never turns back. */
  get synced(): boolean {
    return this.#syncedLatch.isOpen;
  }

  /** `stopped` as soon as it has been told to stop. */
  get phase(): InformerPhase {
    return this.#abort.signal.aborted ? 'stopped' : this.#phase;
  }

  /** The newest resource version that came in; the one the cache shows is `indexer.resourceVersion`. */
  get lastSyncResourceVersion(): string {
    return this.#reflector.lastSyncResourceVersion;
  }

  /**
   * Registers a handler. If the informer runs already, it first gets what is there as initial additions.
   * @throws {ListwatchError} code CLOSED when the informer has stopped; INVALID_OPTION.
   */
  addHandler(
    handler: ResourceEventHandler<T>,
    options: AddHandlerOptions = {},
  ): HandlerRegistration {
    return this.#handlers.add(handler, options);
  }

  /**
   * Runs until the signal aborts or `close` is called, and then resolves, once the last callback of a handler has returned.
   * Events that were not delivered by then are dropped.
   * @throws {ListwatchError} code ALREADY_STARTED or CLOSED: an informer runs once.
   */
  async run({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.#phase === 'running') {
      throw new ListwatchError('ALREADY_STARTED', `the informer ${this.name} runs already`);
    }
    if (this.#phase === 'stopped') {
      throw new ListwatchError('CLOSED', `the informer ${this.name} has stopped; make a new one`);
    }
    this.#phase = 'running';
    const release = onAbort(signal, () => {
      this.#abort.abort(signal?.reason);
    });
    this.#running = this.#follow(this.#abort.signal).finally(release);
    await this.#running;
  }

  /**
   * Resolves when the cache has a whole list. That handlers have seen it is up to their registrations.
   * @throws {ListwatchError} code TIMEOUT saying what is missing and what went wrong last; CLOSED when the informer stops
   * first; the signal's reason when aborted.
   */
  async whenSynced({ timeoutMs, signal }: WaitOptions = {}): Promise<void> {
    await withDeadline(
      this.#options.runtime,
      Promise.race([this.#syncedLatch.opened, this.#stoppedLatch.opened]),
      { timeoutMs, signal, describe: () => this.#waitsFor() ?? this.name },
    );
    if (!this.synced) {
      throw new ListwatchError('CLOSED', `the informer ${this.name} stopped before it was synced`);
    }
  }

  /** Stops the informer and resolves when `run` has. The cache stays readable. Calling again is harmless. */
  async close(): Promise<void> {
    if (this.#phase === 'new') await this.#stop();
    this.#abort.abort();
    // What goes wrong is for the caller of `run`.
    await this.#running?.catch(() => {});
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  inspect(): InformerInspection {
    return {
      name: this.name,
      phase: this.phase,
      synced: this.synced,
      waitingFor: this.#waitsFor(),
      reflector: this.#reflector.state.name,
      lastSyncResourceVersion: this.lastSyncResourceVersion,
      storeResourceVersion: this.#store.resourceVersion,
      objects: this.#store.size,
      indexes: this.#store.indexNames,
      queued: this.#fifo.size,
      lastError: this.#lastError,
      handlers: this.#handlers.inspect(),
    };
  }

  async #follow(signal: AbortSignal): Promise<void> {
    this.#handlers.start();
    // Handlers have settled the interval of resyncs by now.
    this.#reflector = this.#makeReflector();
    const draining = this.#drain(signal);
    try {
      await this.#reflector.run({ signal });
    } finally {
      this.#fifo.close();
      await draining;
      await this.#stop();
    }
  }

  async #stop(): Promise<void> {
    this.#phase = 'stopped';
    this.#stoppedLatch.open();
    await this.#handlers.close();
    this.#emit(() => this.events.emit('stopped'));
  }

  /** Empties the queue into the store, batch by batch, until it is closed. */
  async #drain(signal: AbortSignal): Promise<void> {
    while (await this.#fifo.whenReady()) {
      if (signal.aborted) return;
      this.#errors.guard('internal', () => this.#fifo.popBatch(BATCH_SIZE, this.#apply));
      if (!this.synced && this.#fifo.synced) this.#markSynced();
      if (this.#fifo.size > 0) await nextTask(this.#options.runtime);
    }
  }

  /** Applies a batch to the store and queues what handlers have to be told, in one step. */
  readonly #apply: PopProcess<ObjectView<T>, void> = (deltas, info) => {
    this.#handlers.distribute(this.#processor.process(deltas, info));
    for (const delta of deltas) {
      if (delta.type === 'Bookmark') {
        this.#emit(() => this.events.emit('bookmark', delta.resourceVersion));
      }
    }
  };

  #markSynced(): void {
    this.#handlers.markSynced();
    this.#syncedLatch.open();
    this.#emit(() => this.events.emit('synced'));
  }

  #makeHandlers(): HandlerRegistry<T> {
    const { name, runtime, resyncIntervalMs, logger } = this.#options;
    return new HandlerRegistry<T>({
      informer: name,
      store: this.#store,
      runtime,
      resyncIntervalMs,
      waitsFor: () => this.#waitsFor(),
      onError: (error) => {
        this.#errors.report(error, { source: 'handler', key: error.key, handler: error.handler });
      },
      onWarning: (message) => {
        logger.warn(`informer ${name}: ${message}`);
      },
    });
  }

  #makeFifo(): DeltaFIFO<ObjectView<T>> {
    const { keyFunc, order, queueCapacity, transform } = this.#options;
    return new DeltaFIFO<ObjectView<T>>({
      keyFunc,
      order,
      capacity: queueCapacity,
      knownObjects: this.#store,
      transform: transform === undefined ? undefined : transformOfViews(transform),
      onError: (error) => {
        const key = 'key' in error ? error.key : undefined;
        this.#errors.report(error, { source: 'object', key });
      },
    });
  }

  #makeReflector(): Reflector<ObjectView<T>> {
    const { listerWatcher, name, keyFunc, reflector, runtime, logger, metrics } = this.#options;
    return new Reflector<ObjectView<T>>({
      ...reflector,
      listerWatcher,
      sink: this.#fifo,
      name,
      keyFunc,
      runtime,
      logger,
      metrics,
      resyncIntervalMs: this.#handlers.resyncIntervalMs,
      shouldResync: () => this.#handlers.resyncDue(),
      onError: (error, context) => {
        this.#onWatchError(error, context);
      },
      onTransition: (transition) => {
        this.#onTransition(transition);
      },
    });
  }

  #onWatchError(error: unknown, context: ReflectorErrorContext): void {
    this.#lastError = context.message;
    this.#emit(() => this.events.emit('watch-error', error, context));
    if (!context.expected) {
      this.#errors.report(error, { source: 'watch', message: context.message });
    }
  }

  #onTransition(transition: ReflectorTransition): void {
    const { from, to, items, resourceVersion } = transition;
    this.#emit(() => this.events.emit('transition', transition));
    if (to !== 'watching') return;
    this.#lastError = undefined;
    if (items === undefined || (from !== 'listing' && from !== 'streaming-list')) return;
    if (this.#listed) this.#emit(() => this.events.emit('relist', { resourceVersion, items }));
    this.#listed = true;
  }

  /** A listener that throws is reported; it must not disturb the pipeline. */
  #emit(emit: () => unknown): void {
    this.#errors.guard('listener', emit);
  }

  #waitsFor(): string | undefined {
    if (this.synced) return undefined;
    const what = `the first list of ${this.name}`;
    if (this.#phase === 'new') return `${what}, which has not been started`;
    if (this.#phase === 'stopped') return `${what}, which has stopped`;
    return this.#lastError === undefined
      ? `${what} (${this.#reflector.state.name})`
      : `${what}; the last error: ${this.#lastError}`;
  }
}

function transformOfViews<T extends KubernetesObject>(
  transform: (object: T) => T,
): (view: ObjectView<T>) => ObjectView<T> {
  return ({ object }) => {
    const transformed = transform(object);
    // The queue reports what is no object.
    return typeof transformed === 'object' && transformed !== null && !isStrayPromise(transformed)
      ? new DecodedView(transformed)
      : (transformed as never);
  };
}

function nextTask(runtime: Runtime): Promise<void> {
  return new Promise((resolve) => {
    runtime.queueTask(resolve);
  });
}
