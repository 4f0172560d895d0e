import type { EventEmitter } from 'eventemitter3';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { deriveAbort, onAbort } from '../../kernel/time/abort.ts';
import type { Latch } from '../../kernel/time/latch.ts';
import { guardedMetrics } from '../../kernel/report/guarded-metrics.ts';
import { silentMetrics, type Metrics } from '../../kernel/report/metrics.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { identityOf, type ObjectView } from '../../meta/object-view.ts';
import type { ObjectMemory } from '../memory/object-memory.ts';
import type { Deletion } from '../store/write-overlay.ts';
import type { ListerWatcher } from '../reflector/contract/lister-watcher.ts';
import type { ReflectorErrorContext } from '../reflector/options/reflector-report.ts';
import type { ObjectPipeline } from './apply/object-pipeline.ts';
import { CacheReader } from './collection/cache-reader.ts';
import { CollectionCache, type CacheMember } from './collection/collection-cache.ts';
import { MemberWrites } from './collection/member-writes.ts';
import type { ReceivedObjects } from '../reflector/contract/received-objects.ts';
import { joinedCache } from './collection/shared-caches.ts';
import type { WaitOptions } from './handlers/handler-registration.ts';
import { HandlerRegistry } from './handlers/handler-registry.ts';
import { ErrorReporter } from './observe/error-reporter.ts';
import type { InformerEvents } from './observe/informer-events.ts';
import type { EngineInspection, InformerInspection } from './observe/informer-inspection.ts';
import { InformerJournal } from './observe/informer-journal.ts';
import { InformerMeter } from './observe/informer-meter.ts';
import type { ResolvedInformerOptions } from './options/informer-options.ts';

export interface InformerEngineOptions<T extends KubernetesObject> {
  readonly options: ResolvedInformerOptions<T>;
  /** The store has the whole state for the first time. */
  readonly onSynced: () => void;
  /** Whether an error of a list or a watch stops the informer. */
  readonly endsWith: (error: unknown, context: ReflectorErrorContext) => boolean;
  /** The reason why the informer is not synced, as text. */
  readonly waitsFor: () => string | undefined;
  readonly inspect: () => InformerInspection;
}

/** The parts of an informer, put together: the cache, which it may share with others, and its own handlers. */
export class InformerEngine<T extends KubernetesObject> {
  readonly handlers: HandlerRegistry<T>;
  /** Reads the cache, also after it has become a shared one. */
  readonly reader: CacheReader<T>;
  readonly #given: InformerEngineOptions<T>;
  readonly #errors: ErrorReporter;
  readonly #metrics: Metrics;
  readonly #journal: InformerJournal;
  readonly #meter: InformerMeter | undefined;
  readonly #member: CacheMember<T>;
  readonly #writes = new MemberWrites<T>();
  /** Its own one until it runs. */
  #cache: CollectionCache<T>;
  #readsBodies = false;
  #intercepted = false;
  #bodies: Disposable | undefined;

  constructor(given: InformerEngineOptions<T>) {
    const { name, runtime, logger, onError, metrics } = given.options;
    this.#given = given;
    this.#errors = new ErrorReporter({ informer: name, logger, onError });
    this.#metrics = guardedMetrics(metrics, (error) => {
      this.#errors.report(error, { source: 'metrics' });
    });
    this.#meter = this.#makeMeter();
    this.#journal = new InformerJournal({
      runtime,
      errors: this.#errors,
      onRelist: () => this.#meter?.relisted(),
    });
    this.#cache = new CollectionCache<T>({
      options: given.options,
      errors: this.#errors,
      metrics: this.#metrics,
      resync: {
        intervalMs: () => this.handlers?.resyncIntervalMs ?? 0,
        due: () => this.handlers.resyncDue(),
      },
    });
    this.reader = new CacheReader<T>(() => this.#cache);
    this.handlers = this.#makeHandlers();
    this.#member = this.#makeMember();
  }

  get memory(): ObjectMemory<ObjectView<T>> {
    return this.#cache.memory;
  }

  get pipeline(): ObjectPipeline<T> {
    return this.#cache.pipeline;
  }

  /** What the cache stores. */
  get received(): ReceivedObjects<ObjectView<T>> {
    return this.#cache.received;
  }

  get events(): EventEmitter<InformerEvents> {
    return this.#journal.events;
  }

  /** The newest resource version received. */
  get lastSyncResourceVersion(): string {
    return this.#cache.lastSyncResourceVersion;
  }

  /** The present step, or the last error, as text. */
  get situation(): string {
    const { lastError } = this.#journal;
    const { waitingFor, missing, stateName } = this.#cache;
    if (waitingFor !== undefined) return `; ${waitingFor}`;
    const step = missing === undefined ? ` (${stateName})` : `; ${missing}`;
    if (lastError === undefined) return step;
    const error = `; the last error: ${lastError.message}`;
    return missing === undefined ? error : step + error;
  }

  /** Before it runs: it reads through another source, and on a cache of its own. */
  intercept(wrap: (source: ListerWatcher<ObjectView<T>>) => ListerWatcher<ObjectView<T>>): void {
    this.#intercepted = true;
    this.#cache.intercept(wrap);
  }

  /** Views are returned that may be read after they have left the store. */
  keepBodies(): void {
    this.#readsBodies = true;
    this.#bodies ??= this.memory.pin('body');
  }

  /**
   * Follows the namespaces of the option from now on; resolves when the first lists of the new ones are in the cache.
   * @throws as `untilOpen`, and CLOSED when `stopped` opens first
   */
  async namespacesChanged(stopped: Latch, options: WaitOptions): Promise<void> {
    await this.#cache.namespacesChanged(stopped, options, () => this.situation);
  }

  /** As `WriteOverlay.caughtUp`; CLOSED too when `stopped` aborts, because another informer may keep the cache. */
  async caughtUp(
    resourceVersion: string,
    { signal, ...options }: WaitOptions,
    stopped: AbortSignal,
  ): Promise<void> {
    const abort = deriveAbort(signal);
    const release = onAbort(stopped, () => {
      if (!this.#isShared) return;
      const text = `the informer ${this.#given.options.name} has stopped`;
      abort.abort(new ListwatchError('CLOSED', text));
    });
    try {
      await this.pipeline.overlay.caughtUp(resourceVersion, { ...options, signal: abort.signal });
    } finally {
      release();
      abort.destroy();
    }
  }

  /** The answer to an own write. With `isOwn` false it may be that of a write that changed nothing: a change of another. */
  written(answer: T, isOwn: boolean): void {
    if (isOwn) this.#writes.written(answer);
    this.pipeline.writes.written(answer, isOwn);
  }

  /** The answer to an own deletion. */
  deleted(answer: T | Deletion): void {
    const { key } = (answer ?? {}) as Partial<Deletion>;
    const present = typeof key === 'string' ? this.reader.get(key) : undefined;
    this.#writes.deleted(answer, present && identityOf(present).uid);
    this.pipeline.writes.deleted(answer);
  }

  /** Follows the collection until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#meter?.start();
    this.#journal.watchTime.start(this.#given.options.runtime.monotonicMs());
    this.#join();
    this.handlers.start();
    await this.#cache.run(this.#member, signal);
  }

  /** Resolves when the last callback has returned. */
  async stop(): Promise<void> {
    if (!this.#isShared) this.pipeline.close();
    await this.handlers.close();
    this.#cache.release();
    this.#bodies?.[Symbol.dispose]();
    this.#meter?.stop();
    this.events.emit('stopped');
  }

  inspect(): EngineInspection {
    const others = this.#cache.others(this.#member);
    const cache = this.#cache.inspect();
    const nowMs = this.#given.options.runtime.monotonicMs();
    return {
      ...cache,
      ...this.#journal.watchTime.inspect(nowMs, cache.connected),
      relists: this.#journal.relists,
      lastError: this.#journal.lastError,
      handlers: this.handlers.inspect(),
      ...(others.length === 0 ? {} : { sharedWith: others }),
    };
  }

  /** Other informers run on the cache. */
  get #isShared(): boolean {
    return this.#cache.others(this.#member).length > 0;
  }

  /** From here to the first change that it gets, nothing is awaited. */
  #join(): void {
    const own = this.#cache;
    // Own writes that the cache has not caught up with are shown by the own cache alone.
    if (this.#intercepted) return;
    if (this.handlers.resyncIntervalMs > 0 || own.pipeline.overlay.inspect().pending > 0) return;
    this.#cache = joinedCache(own);
    if (this.#cache === own) return;
    own.release();
    this.#bodies?.[Symbol.dispose]();
    this.#bodies = this.#readsBodies ? this.memory.pin('body') : undefined;
  }

  #makeMember(): CacheMember<T> {
    const { name } = this.#given.options;
    const { handlers } = this;
    return {
      name,
      changed: (batches) => {
        const { wasShared } = this.#cache;
        handlers.distribute(wasShared ? this.#writes.asSeen(batches) : batches);
      },
      hasBacklog: (count) => handlers.hasBacklog(count),
      bookmark: (resourceVersion) => {
        this.events.emit('bookmark', resourceVersion);
      },
      synced: () => {
        handlers.markSynced();
        this.#given.onSynced();
        this.#meter?.synced();
        this.events.emit('synced');
      },
      watchError: (error, context) => {
        if (!this.#given.endsWith(error, context)) this.#journal.watchError(error, context);
      },
      transitions: (listed) => this.#journal.transitions(listed),
      applied: (durationMs) => this.#meter?.applied(durationMs),
    };
  }

  #makeHandlers(): HandlerRegistry<T> {
    const { options, waitsFor } = this.#given;
    const { name, runtime, resyncIntervalMs, logger } = options;
    return new HandlerRegistry<T>({
      informer: name,
      store: () => this.pipeline.store,
      runtime,
      resyncIntervalMs,
      waitsFor,
      memory: () => this.memory,
      onError: (error, about) => {
        this.#errors.report(error, { source: 'handler', ...about });
      },
      onRemoved: (handler) => {
        this.#meter?.handlerRemoved(handler);
      },
      onWarning: (message) => {
        logger.warn(`informer ${name}: ${message}`);
      },
    });
  }

  /** Metering costs nothing without metrics. */
  #makeMeter(): InformerMeter | undefined {
    const { options, inspect } = this.#given;
    if (this.#metrics === silentMetrics) return undefined;
    const { name, runtime } = options;
    const handlers = (): HandlerRegistry<T>['handlers'] => this.handlers.handlers;
    return new InformerMeter({ name, runtime, metrics: this.#metrics, inspect, handlers });
  }
}
