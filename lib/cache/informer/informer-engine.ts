import type { EventEmitter } from 'eventemitter3';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Latch } from '../../kernel/time/latch.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import { silentMetrics, type Metrics } from '../../kernel/report/metrics.ts';
import { withKnownValues } from '../../meta/json/known-values.ts';
import { metaNamespaceKeyFunc, objectKey } from '../../meta/key.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { ReflectorErrorContext } from '../reflector/options/reflector-report.ts';
import { longestMemberOf } from '../memory/kept-view.ts';
import type { ObjectMemory } from '../memory/object-memory.ts';
import { SlabMemory } from '../memory/slab-memory.ts';
import type { ListerWatcher } from '../reflector/contract/lister-watcher.ts';
import type { ReflectorSink } from '../reflector/contract/reflector-sink.ts';
import { startResync } from '../reflector/resync-timer.ts';
import type { ReflectorStateName } from '../reflector/table/reflector-state.ts';
import { Reflector } from '../reflector/reflector.ts';
import { ErrorReporter } from './observe/error-reporter.ts';
import { guardedMetrics } from '../../kernel/report/guarded-metrics.ts';
import type { WaitOptions } from './handlers/handler-registration.ts';
import { HandlerRegistry } from './handlers/handler-registry.ts';
import type { InformerEvents } from './observe/informer-events.ts';
import type { EngineInspection, InformerInspection } from './observe/informer-inspection.ts';
import { InformerJournal } from './observe/informer-journal.ts';
import { InformerMeter } from './observe/informer-meter.ts';
import type { ResolvedInformerOptions } from './options/informer-options.ts';
import { NamespaceReflectors } from './namespaces/namespace-reflectors.ts';
import { ObjectPipeline } from './apply/object-pipeline.ts';

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

/** The parts of an informer, put together: reflector, pipeline and handlers. */
export class InformerEngine<T extends KubernetesObject> {
  readonly handlers: HandlerRegistry<T>;
  readonly memory: ObjectMemory<ObjectView<T>>;
  readonly pipeline: ObjectPipeline<T>;
  readonly #given: InformerEngineOptions<T>;
  readonly #errors: ErrorReporter;
  readonly #metrics: Metrics;
  readonly #journal: InformerJournal;
  readonly #meter: InformerMeter | undefined;
  readonly #listerWatcher: ListerWatcher<ObjectView<T>>;
  #reflector: Reflector<ObjectView<T>>;
  /** With option `namespaces`, in place of the reflector. */
  readonly #namespaces: NamespaceReflectors<ObjectView<T>> | undefined;

  constructor(given: InformerEngineOptions<T>) {
    const { name, runtime, logger, onError, metrics, cache } = given.options;
    this.#given = given;
    // The program says of what type its objects are, as with a source.
    this.memory = (cache.memory ?? new SlabMemory(cache)) as ObjectMemory<ObjectView<T>>;
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
    this.pipeline = this.#makePipeline();
    this.handlers = this.#makeHandlers();
    this.#listerWatcher = this.#makeListerWatcher();
    this.#reflector = this.#makeReflector(this.#listerWatcher, this.pipeline.sink);
    this.#namespaces = this.#makeNamespaces();
  }

  get events(): EventEmitter<InformerEvents> {
    return this.#journal.events;
  }

  /** The newest resource version received. */
  get lastSyncResourceVersion(): string {
    return (this.#namespaces ?? this.#reflector).lastSyncResourceVersion;
  }

  /** The present step, or the last error, as text. */
  get situation(): string {
    const { lastError } = this.#journal;
    const { waitingFor } = this.#namespaces ?? this.#reflector;
    if (waitingFor !== undefined) return `; ${waitingFor}`;
    const missing = this.#namespaces?.missing;
    const step = missing === undefined ? ` (${this.#stateName})` : `; ${missing}`;
    if (lastError === undefined) return step;
    const error = `; the last error: ${lastError.message}`;
    return missing === undefined ? error : step + error;
  }

  /**
   * Follows the namespaces of the option from now on; resolves when the first lists of the new ones are in the cache.
   * @throws as `untilOpen`, and CLOSED when `stopped` opens first
   */
  async namespacesChanged(stopped: Latch, options: WaitOptions): Promise<void> {
    this.#namespaces?.follow();
    const { runtime, name } = this.#given.options;
    for (const latch of this.#namespaces?.synced ?? []) {
      await untilOpen(runtime, [latch, stopped], {
        ...options,
        describe: () => `${latch.name} of ${name}${this.situation}`,
      });
      if (!latch.isOpen) {
        throw new ListwatchError(
          'CLOSED',
          `the informer ${name} stopped before it had the ${latch.name}`,
        );
      }
    }
  }

  /** Follows the collection until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#meter?.start();
    this.handlers.start();
    // The handlers have determined the interval of resyncs by now.
    this.#reflector = this.#makeReflector(this.#listerWatcher, this.pipeline.sink);
    const draining = this.pipeline.drain(signal);
    try {
      await (this.#namespaces ?? this.#reflector).run({ signal });
    } finally {
      this.pipeline.close();
      await draining;
    }
  }

  /** Resolves when the last callback has returned. */
  async stop(): Promise<void> {
    this.pipeline.close();
    await this.handlers.close();
    this.memory.close();
    this.#meter?.stop();
    this.events.emit('stopped');
  }

  inspect(): EngineInspection {
    const followed = this.#namespaces ?? this.#reflector;
    return {
      reflector: this.#stateName,
      connected: followed.connected,
      waitingForServer: followed.waitingFor,
      lastSyncResourceVersion: this.lastSyncResourceVersion,
      ...this.pipeline.inspect(),
      memory: this.memory.inspect(),
      relists: this.#journal.relists,
      staleEvents: followed.staleEvents,
      lastError: this.#journal.lastError,
      handlers: this.handlers.inspect(),
      ...(this.#namespaces === undefined ? {} : { namespaces: this.#namespaces.inspect() }),
    };
  }

  get #stateName(): ReflectorStateName {
    return this.#namespaces?.stateName ?? this.#reflector.state.name;
  }

  #makePipeline(): ObjectPipeline<T> {
    const { options, onSynced } = this.#given;
    return new ObjectPipeline<T>({
      options,
      memory: this.memory,
      errors: this.#errors,
      meter: this.#meter,
      lastSyncResourceVersion: () => this.lastSyncResourceVersion,
      onChanges: (batches) => {
        this.handlers.distribute(batches);
      },
      handlersHaveBacklog: (count) => this.handlers.hasBacklog(count),
      onBookmark: (resourceVersion) => {
        this.events.emit('bookmark', resourceVersion);
      },
      onScope: (scope) => this.#namespaces?.applied(scope),
      onSynced: () => {
        this.handlers.markSynced();
        onSynced();
        this.#meter?.synced();
        this.events.emit('synced');
      },
    });
  }

  #makeHandlers(): HandlerRegistry<T> {
    const { options, waitsFor } = this.#given;
    const { name, runtime, resyncIntervalMs, logger } = options;
    return new HandlerRegistry<T>({
      informer: name,
      store: this.pipeline.store,
      runtime,
      resyncIntervalMs,
      waitsFor,
      memory: this.memory,
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

  /** Passes the stored objects to the source as known values. It finds them by name, so only if keys are made of names. */
  #makeListerWatcher(namespace?: string): ListerWatcher<ObjectView<T>> {
    const { listerWatcher: all, keyFunc } = this.#given.options;
    const listerWatcher = (namespace === undefined ? all : all.inNamespace?.(namespace)) ?? all;
    if (keyFunc !== metaNamespaceKeyFunc) return listerWatcher;
    const { store } = this.pipeline;
    return withKnownValues(listerWatcher, (name, namespace = '') => {
      if (store.size === 0) return undefined;
      const stored = store.get(objectKey({ namespace, name }));
      return stored && longestMemberOf(stored);
    });
  }

  #makeNamespaces(): NamespaceReflectors<ObjectView<T>> | undefined {
    const { namespaces, runtime, name } = this.#given.options;
    if (namespaces === undefined) return undefined;
    const { pipeline, handlers } = this;
    return new NamespaceReflectors<ObjectView<T>>({
      namespaces,
      fifo: pipeline.fifo,
      reflectorOf: (namespace, sink) =>
        this.#makeReflector(this.#makeListerWatcher(namespace), sink, `${name}/${namespace}`),
      onArrival: () => pipeline.noteProgress(),
      startResync: () => {
        const { resyncIntervalMs } = handlers;
        const shouldResync = (): boolean => handlers.resyncDue();
        return startResync(
          { runtime, sink: pipeline.sink, resyncIntervalMs, shouldResync },
          (error) => {
            this.#errors.report(error, { source: 'internal' });
          },
        );
      },
    });
  }

  #makeReflector(
    listerWatcher: ListerWatcher<ObjectView<T>>,
    sink: ReflectorSink<ObjectView<T>>,
    name: string = this.#given.options.name,
  ): Reflector<ObjectView<T>> {
    const { keyFunc, reflector, runtime, logger } = this.#given.options;
    return new Reflector<ObjectView<T>>({
      ...reflector,
      listerWatcher,
      sink,
      name,
      keyFunc,
      runtime,
      logger,
      metrics: this.#metrics,
      resyncIntervalMs: this.handlers.resyncIntervalMs,
      shouldResync: () => this.handlers.resyncDue(),
      onError: (error, context) => {
        this.#onWatchError(error, context);
      },
      onTransition: this.#journal.transitions(),
    });
  }

  #onWatchError(error: unknown, context: ReflectorErrorContext): void {
    if (!this.#given.endsWith(error, context)) this.#journal.watchError(error, context);
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
