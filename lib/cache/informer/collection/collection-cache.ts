import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { silentMetrics, type Metrics } from '../../../kernel/report/metrics.ts';
import { deriveAbort, onAbort } from '../../../kernel/time/abort.ts';
import type { Latch } from '../../../kernel/time/latch.ts';
import { untilOpen } from '../../../kernel/time/wait.ts';
import { metaNamespaceKeyFunc } from '../../../meta/key.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { ObjectMemory } from '../../memory/object-memory.ts';
import { SlabMemory } from '../../memory/slab-memory.ts';
import type { ListerWatcher } from '../../reflector/contract/lister-watcher.ts';
import type { ReflectorSink } from '../../reflector/contract/reflector-sink.ts';
import { MIN_WATCH_TIMEOUT_MS } from '../../reflector/options/reflector-options.ts';
import type {
  ReflectorErrorContext,
  ReflectorTransition,
} from '../../reflector/options/reflector-report.ts';
import { Reflector } from '../../reflector/reflector.ts';
import { startResync } from '../../reflector/resync-timer.ts';
import type { ReflectorStateName } from '../../reflector/table/reflector-state.ts';
import { ObjectPipeline } from '../apply/object-pipeline.ts';
import type { WaitOptions } from '../handlers/handler-registration.ts';
import type { NotificationBatch } from '../handlers/notification.ts';
import { NamespaceReflectors } from '../namespaces/namespace-reflectors.ts';
import type { ErrorReporter } from '../observe/error-reporter.ts';
import type { CollectionInspection } from '../observe/informer-inspection.ts';
import type { ResolvedInformerOptions } from '../options/informer-options.ts';
import type { WarmStart } from '../warm/warm-start.ts';
import { WarmStarter } from '../warm/warm-starter.ts';
import { CacheIndexes } from './cache-indexes.ts';
import type { ReceivedObjects } from '../../reflector/contract/received-objects.ts';
import { askedBy, receivedOf } from './received-collection.ts';

const COLD = { resumeFrom: '', onMoved: (): void => {} };

/** An informer that runs on a cache. Everything is called in the step in which it happens. */
export interface CacheMember<T extends KubernetesObject> {
  readonly name: string;
  /** The store has changed. */
  changed(batches: readonly NotificationBatch<ObjectView<T>>[]): void;
  hasBacklog(count: number): boolean;
  /** The store has the whole state; called once. */
  synced(): void;
  /** The store has every change up to this resource version. */
  bookmark(resourceVersion: string): void;
  watchError(error: unknown, context: ReflectorErrorContext): void;
  /** Takes the transitions of one reflector. @param listed whether it has listed the collection before */
  transitions(listed: boolean): (transition: ReflectorTransition) => void;
  /** A batch was applied to the store. */
  applied(durationMs: number): void;
}

export interface CollectionCacheOptions<T extends KubernetesObject> {
  readonly options: ResolvedInformerOptions<T>;
  readonly errors: ErrorReporter;
  readonly metrics: Metrics;
  /** Of the handlers of its first informer: no other joins where there are resyncs. */
  readonly resync: { readonly intervalMs: () => number; readonly due: () => boolean };
}

/**
 * One collection in memory, kept up to date: reflector, queue, store. It belongs to one informer, or to several that ask for the same.
 *
 * Guarantees:
 * - It follows the collection from its first informer on, until the last one has left.
 * - An informer that joins gets every change after the state that the store has in that step.
 */
export class CollectionCache<T extends KubernetesObject> {
  readonly options: ResolvedInformerOptions<T>;
  readonly memory: ObjectMemory<ObjectView<T>>;
  readonly pipeline: ObjectPipeline<T>;
  readonly indexes: CacheIndexes<T>;
  readonly #given: CollectionCacheOptions<T>;
  readonly #members = new Set<CacheMember<T>>();
  readonly #stop = deriveAbort();
  /** Its objects as they were received. */
  readonly received: ReceivedObjects<ObjectView<T>>;
  #intercept = (source: ListerWatcher<ObjectView<T>>): ListerWatcher<ObjectView<T>> => source;
  /** With option `namespaces`, in place of the reflector. */
  readonly #namespaces: NamespaceReflectors<ObjectView<T>> | undefined;
  #reflector: Reflector<ObjectView<T>>;
  #running: Promise<void> | undefined;
  #synced = false;
  #wasShared = false;

  constructor(given: CollectionCacheOptions<T>) {
    const { cache } = given.options;
    this.options = given.options;
    this.#given = given;
    // The program says of what type its objects are, as with a source.
    this.memory = (cache.memory ?? new SlabMemory(cache)) as ObjectMemory<ObjectView<T>>;
    this.pipeline = this.#makePipeline();
    this.indexes = new CacheIndexes<T>(this.pipeline.overlay, given.options.indexers);
    this.received = this.#received();
    this.#reflector = this.#makeReflector(given.options.listerWatcher, this.pipeline.sink);
    this.#namespaces = this.#makeNamespaces();
  }

  /** Whether another informer may join: it runs, and will go on. */
  get isOpen(): boolean {
    return this.#running !== undefined && !this.#stop.signal.aborted;
  }

  /** The store has the whole state. */
  get isSynced(): boolean {
    return this.#synced;
  }

  /** Whether it has had more than one informer at a time. */
  get wasShared(): boolean {
    return this.#wasShared;
  }

  /** Before it runs: it reads through another source. */
  intercept(wrap: (source: ListerWatcher<ObjectView<T>>) => ListerWatcher<ObjectView<T>>): void {
    this.#intercept = wrap;
  }

  /** Of one namespace, if it follows several. */
  #received(namespace?: string): ReceivedObjects<ObjectView<T>> {
    const { store, fifo } = this.pipeline;
    const { memory } = this;
    const receivedVersion = (): string =>
      namespace === undefined
        ? this.lastSyncResourceVersion
        : (this.#namespaces?.versionOf(namespace) ?? '');
    const parts = { store, fifo, memory, receivedVersion, namespace, stopped: this.stopped };
    return receivedOf<T>(parts);
  }

  /** Aborts when its last informer has left. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** The informers that run on it, without one. */
  others(member: CacheMember<T>): readonly string[] {
    return [...this.#members].filter((other) => other !== member).map(({ name }) => name);
  }

  /** The newest resource version received. */
  get lastSyncResourceVersion(): string {
    return this.#followed.lastSyncResourceVersion;
  }

  get stateName(): ReflectorStateName {
    return this.#namespaces?.stateName ?? this.#reflector.state.name;
  }

  /** The reason why requests wait during an outage. */
  get waitingFor(): string | undefined {
    return this.#followed.waitingFor;
  }

  /** The namespaces without a first list, as text. */
  get missing(): string | undefined {
    return this.#namespaces?.missing;
  }

  /** Follows the collection for this informer until the signal aborts. The first one starts it, the last one ends it. */
  async run(member: CacheMember<T>, signal: AbortSignal): Promise<void> {
    this.#members.add(member);
    this.#wasShared ||= this.#members.size > 1;
    let leave = (): void => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const release = onAbort(signal, () => {
      // The last one is told of the end too.
      if (this.#members.size === 1) this.#stop.abort(signal.reason);
      else if (this.#members.delete(member)) leave();
    });
    if (this.#running === undefined) this.#running = this.#follow(this.#stop.signal);
    else if (this.#synced) member.synced();
    try {
      await Promise.race([this.#running, left]);
    } finally {
      release();
      this.#members.delete(member);
    }
  }

  /** An informer has ended: so does the cache, unless another one runs on it. */
  release(): void {
    if (this.#members.size > 0) return;
    this.pipeline.close();
    this.memory.destroy();
  }

  inspect(): CollectionInspection {
    const followed = this.#followed;
    return {
      reflector: this.stateName,
      connected: followed.connected,
      waitingForServer: followed.waitingFor,
      lastSyncResourceVersion: this.lastSyncResourceVersion,
      ...this.pipeline.inspect(),
      memory: this.memory.inspect(),
      staleEvents: followed.staleEvents,
      ...(this.#namespaces === undefined ? {} : { namespaces: this.#namespaces.inspect() }),
    };
  }

  /**
   * Follows the namespaces of the option from now on; resolves when the first lists of the new ones are in the cache.
   * @throws as `untilOpen`, and CLOSED when `stopped` opens first
   */
  async namespacesChanged(
    stopped: Latch,
    options: WaitOptions,
    situation: () => string,
  ): Promise<void> {
    this.#namespaces?.follow();
    const { runtime, name } = this.options;
    for (const latch of this.#namespaces?.synced ?? []) {
      await untilOpen(runtime, [latch, stopped], {
        ...options,
        describe: () => `${latch.name} of ${name}${situation()}`,
      });
      if (!latch.isOpen) {
        throw new ListwatchError(
          'CLOSED',
          `the informer ${name} stopped before it had the ${latch.name}`,
        );
      }
    }
  }

  get #followed(): NamespaceReflectors<ObjectView<T>> | Reflector<ObjectView<T>> {
    return this.#namespaces ?? this.#reflector;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { warmStart } = this.options;
    const warm = warmStart && this.#makeWarmStarter(warmStart);
    const draining = this.pipeline.drain(signal);
    let keeping: Promise<void> | undefined;
    try {
      const source = this.#sourceWith(warm);
      const from = (await warm?.begin(source, signal)) ?? '';
      keeping = warm?.keep(signal);
      // The handlers have determined the interval of resyncs by now.
      this.#reflector = this.#makeReflector(
        source,
        warm?.sink ?? this.pipeline.sink,
        this.options.name,
        { resumeFrom: from, onMoved: () => warm?.moved() },
      );
      await this.#followed.run({ signal });
    } finally {
      this.#stop.abort();
      this.pipeline.close();
      await draining;
      await keeping;
      await warm?.last();
    }
  }

  #makeWarmStarter(warmStart: WarmStart): WarmStarter<T> {
    const { options, memory, pipeline } = this;
    const { runtime, projection, reflector } = options;
    const { description } = options.listerWatcher;
    return new WarmStarter<T>({
      warmStart,
      collection: { description, fields: projection?.paths },
      cache: this.#asking(this.received),
      sink: pipeline.sink,
      memory,
      store: pipeline.store,
      runtime,
      minWatchTimeoutMs: reflector.minWatchTimeoutMs ?? MIN_WATCH_TIMEOUT_MS,
      report: (error) => this.#given.errors.report(error, { source: 'warm-start' }),
      hold: () => pipeline.hold(),
      confirm: () => pipeline.confirm(),
    });
  }

  #makePipeline(): ObjectPipeline<T> {
    const { options, errors, metrics } = this.#given;
    const applied = (durationMs: number): void => {
      for (const member of this.#members) member.applied(durationMs);
    };
    return new ObjectPipeline<T>({
      options,
      memory: this.memory,
      errors,
      meter: metrics === silentMetrics ? undefined : { applied },
      lastSyncResourceVersion: () => this.lastSyncResourceVersion,
      onChanges: (batches) => {
        for (const member of this.#members) member.changed(batches);
      },
      handlersHaveBacklog: (count) => {
        for (const member of this.#members) if (member.hasBacklog(count)) return true;
        return false;
      },
      onBookmark: (resourceVersion) => {
        for (const member of this.#members) member.bookmark(resourceVersion);
      },
      onScope: (scope) => this.#namespaces?.applied(scope),
      onSynced: () => {
        this.#synced = true;
        for (const member of this.#members) member.synced();
      },
    });
  }

  /** The cache as part of a request, if its keys are made of names. */
  #asking(cache: ReceivedObjects<ObjectView<T>>): ReceivedObjects<ObjectView<T>> | undefined {
    return this.options.keyFunc === metaNamespaceKeyFunc ? cache : undefined;
  }

  /** The chain that `ListerWatcher` documents. */
  #sourceWith(
    warm: WarmStarter<T> | undefined,
    given: ListerWatcher<ObjectView<T>> = this.options.listerWatcher,
    cache: ReceivedObjects<ObjectView<T>> = this.received,
  ): ListerWatcher<ObjectView<T>> {
    // The source that is decorated is that of this collection.
    const decorate = warm?.decorator;
    const decorated = decorate && (given.supports?.decorated?.(decorate) ?? decorate(given));
    const source = this.#intercept(decorated ?? given);
    const asking = this.#asking(cache);
    return asking === undefined ? source : askedBy<T>(asking, source);
  }

  #makeNamespaces(): NamespaceReflectors<ObjectView<T>> | undefined {
    const { namespaces, inNamespace, runtime, name } = this.options;
    if (namespaces === undefined) return undefined;
    const { pipeline } = this;
    const { resync, errors } = this.#given;
    return new NamespaceReflectors<ObjectView<T>>({
      namespaces,
      fifo: pipeline.fifo,
      reflectorOf: (namespace, sink) =>
        this.#makeReflector(
          this.#sourceWith(undefined, inNamespace?.(namespace), this.#received(namespace)),
          sink,
          `${name}/${namespace}`,
        ),
      onArrival: () => pipeline.noteProgress(),
      startResync: () =>
        startResync(
          {
            runtime,
            sink: pipeline.sink,
            resyncIntervalMs: resync.intervalMs(),
            shouldResync: resync.due,
          },
          (error) => {
            errors.report(error, { source: 'internal' });
          },
        ),
    });
  }

  #makeReflector(
    listerWatcher: ListerWatcher<ObjectView<T>>,
    sink: ReflectorSink<ObjectView<T>>,
    name: string = this.options.name,
    warm: { readonly resumeFrom: string; readonly onMoved: () => void } = COLD,
  ): Reflector<ObjectView<T>> {
    const { keyFunc, reflector, runtime, logger } = this.options;
    const { metrics, resync } = this.#given;
    const takers = new WeakMap<CacheMember<T>, (transition: ReflectorTransition) => void>();
    let listed = false;
    return new Reflector<ObjectView<T>>({
      ...reflector,
      listerWatcher,
      sink,
      name,
      keyFunc,
      runtime,
      logger,
      metrics,
      resyncIntervalMs: resync.intervalMs(),
      shouldResync: resync.due,
      resumeFrom: warm.resumeFrom,
      onError: (error, context) => {
        for (const member of this.#members) member.watchError(error, context);
      },
      onTransition: (transition) => {
        warm.onMoved();
        for (const member of this.#members) {
          const take = takers.get(member) ?? member.transitions(listed);
          takers.set(member, take);
          take(transition);
        }
        listed ||= transition.to === 'watching';
      },
    });
  }
}
