import type { EventEmitter } from 'eventemitter3';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { ResourceName } from '../../meta/collection-options.ts';
import type { Projection } from '../../meta/json/field-path.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { identityOf, type ObjectView } from '../../meta/object-view.ts';
import type { Stored } from '../../meta/stored.ts';
import { listBudget } from '../memory/cache-options.ts';
import { ViewOpener } from '../memory/view-opener.ts';
import type { ListerWatcher } from '../reflector/contract/lister-watcher.ts';
import { StoreLister, type Lister } from '../store/lister.ts';
import type { Deletion } from '../store/write-overlay.ts';
import type { AuditOptions, AuditReport } from './audit/audit-report.ts';
import type { ChangesOptions, ChangeOf, ChangeView } from './changes/changes-options.ts';
import type { ResourceEventHandler } from './handlers/event-handler.ts';
import type {
  AddHandlerOptions,
  HandlerRegistration,
  WaitOptions,
  SharedHandler,
} from './handlers/handler-registration.ts';
import { auditOf } from './audit/informer-audit.ts';
import { changesOf } from './changes/change-reader.ts';
import { dumpOf, type DumpOptions } from './dump/cache-dump.ts';
import { resourceOfSubject } from './options/start-failure.ts';
import { HandlerRegistry } from './handlers/handler-registry.ts';
import { InformerChecks } from './informer-checks.ts';
import { InformerLife } from './informer-life.ts';
import { InformerWrites } from './informer-writes.ts';
import { InformerJournal } from './observe/informer-journal.ts';
import type { ReceivedObjects } from '../reflector/contract/received-objects.ts';
import type { InformerEvents } from './observe/informer-event-emitter.ts';
import {
  InformerPart,
  type InformerInspection,
  type InformerPhase,
} from './observe/informer-inspection.ts';
import {
  resolveInformerOptions,
  type ProjectingInformerOptions,
  type ResolvedInformerOptions,
  type SharedIndexInformerOptions,
} from './options/informer-options.ts';
import { PresentCollection } from '../collection/present-collection.ts';
import type { CollectionUser } from '../collection/collection-user.ts';
import { Collection } from '../collection/collection.ts';
import { ObjectReader } from '../collection/object-reader.ts';

/**
 * Mirrors one collection into an indexed cache and calls any number of handlers for its changes.
 *
 * Guarantees:
 * - The cache goes from one state of the server to a later one; a relist is one step.
 * - The cache changes first, then the handlers are called, each in the order of the changes and one callback at a time.
 * - A handler that is added later gets the existing objects, and then every change; no change is lost or repeated.
 * - A handler that throws or is slow does not affect other handlers.
 * - An unchanged object is not reported as updated, even after reconnects and relists.
 * - `synced` means that the cache has a whole list; it never becomes false again.
 * - Where another informer of the process reads the same, both run on one watch and one cache; see option `share`.
 *
 * Not guaranteed: that handlers see every state of an object. Changes are merged while the connection is down, and for a
 * handler with a backlog of thousands of events.
 *
 * It gives the objects as `Stored<T>`. `Index` are the names of its own indexes, where the options say them.
 * @see client-go tools/cache/shared_informer.go @ 32ce75a7
 */
export class SharedIndexInformer<T extends KubernetesObject, Index extends string = string>
  implements AsyncDisposable
{
  /**
   * Lifecycle events; changes of objects go to handlers. When a listener throws or rejects, the error is reported, and the
   * other listeners are still called.
   */
  readonly events: EventEmitter<InformerEvents>;
  /** Reads the cache by namespace, name and labels. It shows own writes as soon as they are passed to `written`. */
  readonly lister: Lister<Stored<T>>;
  /** Reads the cache by key and index, with own writes as in `lister`. */
  readonly indexer: ObjectReader<T, Index>;

  /** The handler that controllers of this informer share; it belongs to them. @internal */
  sharedHandler: SharedHandler | undefined;

  readonly #options: ResolvedInformerOptions<Stored<T>>;
  readonly #journal: InformerJournal;
  readonly #handlers: HandlerRegistry<Stored<T>>;
  readonly #user: CollectionUser<Stored<T>>;
  readonly #writes = new InformerWrites<Stored<T>>();
  readonly #life: InformerLife;
  readonly #present: PresentCollection<Stored<T>>;
  readonly #checks: InformerChecks<Stored<T>>;
  #running: Promise<void> | undefined;

  constructor(options: SharedIndexInformerOptions<T, Index>) {
    this.#options = resolveInformerOptions(options);
    const { subject, runtime } = this.#options;
    this.#life = new InformerLife(this.#options);
    const inspect = (): InformerInspection => this.inspect();
    const handlers = (): HandlerRegistry<Stored<T>>['handlers'] => this.#handlers.handlers;
    this.#journal = new InformerJournal({ ...this.#options, inspect, handlers });
    this.events = this.#journal.events;
    const { errors, metrics } = this.#journal;
    const own = new Collection<Stored<T>>({ options: this.#options, errors, metrics });
    const present = new PresentCollection<Stored<T>>(own);
    this.#present = present;
    this.#handlers = this.#makeHandlers();
    this.#user = this.#makeUser();
    this.#checks = this.#makeChecks();
    const opener = new ViewOpener<Stored<T>>(listBudget(this.#options.cache));
    this.indexer = new ObjectReader(present, opener, () => present.keepBodies());
    this.lister = new StoreLister({ store: present, opener, subject });
    runtime.onPart?.(new InformerPart(this, options.listerWatcher));
  }

  /**
   * An informer that keeps some fields of its objects: type, metadata without `managedFields`, and the named fields. Handlers,
   * listers and index functions get only these fields, and the type of the objects has only these.
   * @example
   * const pods = SharedIndexInformer.projecting({ listerWatcher, fields: ['spec.nodeName', 'status.phase'] });
   */
  static projecting<Source extends KubernetesObject, const Paths extends readonly string[]>(
    options: ProjectingInformerOptions<Source, Paths>,
  ): SharedIndexInformer<Projection<Source, Paths[number]>> {
    type T = Projection<Source, Paths[number]>;
    // The objects of the source are projected before they are stored.
    return new SharedIndexInformer<T>(options as unknown as SharedIndexInformerOptions<T>);
  }

  get name(): string {
    return this.#options.name;
  }

  /** The resource that its source reads; undefined if the source does not say it. */
  get resource(): ResourceName | undefined {
    const { listerWatcher, subject } = this.#options;
    return listerWatcher.resource ?? resourceOfSubject(subject);
  }

  /** The runtime that provides clock, timers and random numbers. */
  get runtime(): Runtime {
    return this.#options.runtime;
  }

  /** Whether the cache has a whole list. It never becomes false again. */
  get synced(): boolean {
    return this.#life.synced.isOpen;
  }

  /** The reason why it is not synced, as text; undefined once it is. */
  get waitingFor(): string | undefined {
    return this.#life.waitingFor(() => this.#situation);
  }

  /**
   * The error that stopped it: code RESOURCE_UNKNOWN, or the refusal of a selector, verb or format that another attempt would
   * get too (BAD_REQUEST, INVALID, INVALID_SELECTOR, METHOD_NOT_ALLOWED, NOT_ACCEPTABLE, UNSUPPORTED_MEDIA_TYPE). `run` and
   * `whenSynced` reject with it.
   */
  get failure(): ListwatchError | undefined {
    return this.#life.failure;
  }

  /** `stopped` as soon as a stop was requested, `failed` if there is a `failure`. */
  get phase(): InformerPhase {
    return this.#life.phase;
  }

  /** The newest resource version received. The version of the cache is `indexer.resourceVersion`. */
  get lastSyncResourceVersion(): string {
    return this.#collection.feed.lastSyncResourceVersion;
  }

  /** The namespaces that it mirrors; undefined without option `namespaces`. */
  get namespaces(): readonly string[] | undefined {
    return this.#options.namespaces?.names;
  }

  /**
   * Changes the namespaces, also while it runs: objects of namespaces that are gone leave the cache, with `onDelete` for each; those of
   * new ones come with `onAdd`. Resolves when the lists of all namespaces are in the cache; before `run`, at once.
   * @throws {ListwatchError} code INVALID_OPTION without option `namespaces`, and for what is no list of names; TIMEOUT naming the
   * namespace and the last error; CLOSED once the informer has stopped; the signal's reason when aborted.
   */
  async setNamespaces(namespaces: readonly string[], options: WaitOptions = {}): Promise<void> {
    const { name, namespaces: present } = this.#options;
    if (present === undefined) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `the informer ${name} mirrors one namespace, or all; make it with option "namespaces"`,
      );
    }
    this.#life.refuseStopped();
    present.replace('setNamespaces', namespaces);
    const situation = (): string => this.#situation;
    await this.#collection.feed.namespacesChanged(this.#life.stopped, options, situation);
  }

  /**
   * Registers a handler. If the informer runs already, the handler first gets the existing objects as initial additions.
   * @throws {ListwatchError} code CLOSED when the informer has stopped; INVALID_OPTION.
   */
  addHandler(
    handler: ResourceEventHandler<Stored<T>>,
    options: AddHandlerOptions = {},
  ): HandlerRegistration {
    return this.#handlers.add(handler, options);
  }

  /**
   * The informer as a stream of changes, for `for await`: the existing objects as initial additions, and then every change.
   * Each loop is a reader of its own, from its beginning to its end.
   * @throws {ListwatchError} code INVALID_OPTION; when a loop begins, CLOSED once the informer has stopped.
   */
  changes<View extends ChangeView = 'object', Mark extends boolean = false>(
    options: ChangesOptions<View, Mark> = {},
  ): AsyncIterable<ChangeOf<Stored<T>, View, Mark>> {
    return changesOf<Stored<T>, View, Mark>(this, options);
  }

  /**
   * Compares the cache with the server, both at the same resource version, and reports missing, extra and different objects. It
   * is correct under concurrent changes and does not affect the informer: it sends list requests of its own, in pages.
   * Namespace and selectors of the informer apply.
   * @throws {ListwatchError} code TIMEOUT naming the step it waited for; NOT_STARTED; CLOSED when the informer has stopped, or
   * stops; INVALID_OPTION; the signal's reason when aborted. {ApiError} when the server refuses the list.
   */
  async audit(options: AuditOptions = {}): Promise<AuditReport> {
    if (this.namespaces !== undefined) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `audit of ${this.name}: its namespaces are at no common resource version; audit an informer of one namespace`,
      );
    }
    const { store, memory } = this.#collection;
    const stopped = this.#life.signal;
    const pin = memory.pin('body');
    try {
      const source = { ...this.#options, informer: this, store, stopped };
      return await auditOf<Stored<T>>(source, options);
    } finally {
      pin[Symbol.dispose]();
    }
  }

  /**
   * The content of the cache as text, chunk by chunk, for a file or an answer: a line of JSON about the informer, one for each object, and
   * a last one `{"end":true,…}`. The objects are those of one moment; values of Secrets are masked unless `mask` says otherwise. The
   * informer does not wait for the reader.
   * @throws {ListwatchError} code INVALID_OPTION; while it is read, TIMEOUT for a reader that is too slow; the signal's reason when aborted.
   */
  dump(options: DumpOptions = {}): AsyncIterable<string> {
    const { name, runtime } = this.#options;
    const { resource } = this;
    const inspect = (): InformerInspection => this.inspect();
    return dumpOf(() => {
      const { store, memory } = this.#collection;
      return { name, resource, runtime, memory, store, inspect };
    }, options);
  }

  /**
   * Reads through another source from the start on, such as a recorder: `wrap` gets the source, and what the cache stores at each moment,
   * as it was received. An informer that is intercepted has a watch and a cache of its own.
   * @throws {ListwatchError} code ALREADY_STARTED or CLOSED; INVALID_OPTION with option `namespaces`, which has several sources.
   */
  intercept(
    wrap: (
      source: ListerWatcher<ObjectView<Stored<T>>>,
      cache: ReceivedObjects<ObjectView<Stored<T>>>,
    ) => ListerWatcher<ObjectView<Stored<T>>>,
  ): void {
    const { name } = this;
    this.#life.requireNew(`intercept ${name}`);
    if (this.namespaces !== undefined) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `the informer ${name} has several sources: intercept one of one namespace, or of all`,
      );
    }
    this.#present.intercept((source) => wrap(source, this.#collection.received()));
  }

  /**
   * Runs until the signal aborts or `close` is called, and then resolves, once the last callback of a handler has returned.
   * Events that were not delivered by then are dropped.
   * @throws {ListwatchError} code ALREADY_STARTED or CLOSED: an informer runs once; RESOURCE_UNKNOWN when the server does not
   * serve the resource and `missingResource` is `fail`; `failure` when the server refuses selector, verb or format for good.
   */
  async run({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const release = this.#life.begin(signal);
    this.#running = this.#follow(this.#life.signal).finally(release);
    await this.#running;
  }

  /**
   * Resolves when the cache has a whole list. To wait until a handler has seen it, use the registration of the handler.
   * @throws {ListwatchError} code TIMEOUT with the missing list and the last error; NOT_STARTED when the informer has
   * not been started by the next task; CLOSED when it stops first, or the `failure` that stopped it; the signal's reason when
   * aborted.
   */
  async whenSynced(options: WaitOptions = {}): Promise<void> {
    await this.#life.whenSynced(options, () => this.waitingFor ?? this.name);
  }

  /**
   * Shows the answer to a create, update or patch in `lister` and `indexer` at once, until the watch has brought the change.
   * Handlers are called when the watch brings it, with `origin: 'self'`; `synced` does not depend on it. Answers may be passed
   * late and in any order: an answer older than the cache is ignored. An answer without a key is reported as an object error.
   *
   * Pass only whole objects of this collection, never the answer of a subresource of another kind, such as `scale`.
   * @param isOwn False if the answer may be the state that another program has written, as that of a write without effect is; its event
   * then has the origin `other`. A client whose observer of writes is this informer finds it out by itself. @defaultValue true
   */
  written(answer: T, isOwn: boolean = true): void {
    const stored = answer as Stored<T>;
    if (isOwn) this.#writes.written(stored);
    this.#collection.overlay.written(stored, isOwn);
  }

  /** The object of this key as the cache shows it, with own writes: with it a client distinguishes own changes from those of others. */
  known(key: string): T | undefined {
    return this.indexer.get(key);
  }

  /**
   * As `written`, for the answer to a deletion: the object, or its key and version. An object that waits for its finalizers
   * still exists, and is shown with its `deletionTimestamp`.
   */
  deleted(answer: T | Deletion): void {
    const stored = answer as Stored<T> | Deletion;
    const { key } = (answer ?? {}) as Partial<Deletion>;
    const present = typeof key === 'string' ? this.#present.get(key) : undefined;
    this.#writes.deleted(stored, present && identityOf(present).uid);
    this.#collection.overlay.deleted(stored);
  }

  /**
   * Resolves when the cache, without own writes, has every change up to a resource version.
   * @throws {ListwatchError} code TIMEOUT with the version of the cache; INVALID_RESOURCE_VERSION; CLOSED when the informer
   * stops first; HISTORY_REPLACED when the server goes back to an older state; the signal's reason when aborted.
   */
  caughtUp(resourceVersion: string, options?: WaitOptions): Promise<void>;
  /**
   * Resolves when the cache, without own writes, has every change that the server has at this moment: the server is asked for its version.
   * A quiet collection takes one or two seconds, in which a second watch shows that there is no change on its way; a busy one takes as long as
   * its next event. With option `namespaces` it takes up to a minute, the interval of bookmarks.
   * @throws {ListwatchError} as above; NOT_STARTED; INVALID_RESOURCE_VERSION where the server lists without a version. {ApiError} when
   * the server refuses the list.
   */
  caughtUp(options?: WaitOptions): Promise<void>;
  async caughtUp(first: string | WaitOptions = {}, options: WaitOptions = {}): Promise<void> {
    if (typeof first === 'string') await this.#reach(first, options);
    else await this.#checks.caughtUp(first);
  }

  /**
   * Stops the informer and resolves when `run` has. The cache stays readable, and goes on changing while other informers run on it. Calling
   * again has no effect. Called by a callback of a handler, before its first `await`, it does not wait for that callback.
   */
  async close(): Promise<void> {
    if (this.#life.isNew) await this.#stop();
    this.#handlers.removeEntered();
    this.#life.end();
    // The caller of `run` gets the error.
    await this.#running?.catch(() => {});
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The present state of the informer, as plain data. */
  inspect(): InformerInspection {
    const { name, phase, synced, waitingFor } = this;
    const { watchTime, relists, lastError } = this.#journal;
    const others = this.#collection.others(this.#user);
    const collection = this.#collection.inspect();
    return {
      name,
      phase,
      synced,
      waitingFor,
      ...collection,
      ...watchTime.inspect(this.runtime.monotonicMs(), collection.connected),
      relists,
      lastError,
      handlers: this.#handlers.inspect(),
      ...this.#checks.inspect(),
      ...(others.length === 0 ? {} : { sharedWith: others }),
    };
  }

  /** The present step, or the last error, as text. */
  get #situation(): string {
    const { lastError } = this.#journal;
    const { text, isOutage, isState } = this.#collection.feed.situation;
    if (isOutage || lastError === undefined) return text;
    return `${isState ? '' : text}; the last error: ${lastError.message}`;
  }

  get #collection(): Collection<Stored<T>> {
    return this.#present.value;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      this.#journal.meter?.start();
      this.#journal.watchTime.start(this.runtime.monotonicMs());
      if (this.#handlers.resyncIntervalMs === 0) this.#present.join();
      this.#handlers.start();
      this.#checks.start();
      await this.#collection.run(this.#user, signal);
    } finally {
      await this.#stop();
    }
    if (this.#life.failure !== undefined) throw this.#life.failure;
  }

  /** Resolves when the last callback has returned. */
  async #stop(): Promise<void> {
    this.#life.ended();
    if (this.#collection.others(this.#user).length === 0) this.#collection.end();
    await this.#handlers.close();
    this.#present.release();
    this.#journal.meter?.stop();
    this.events.emit('stopped');
  }

  #reach(resourceVersion: string, options: WaitOptions): Promise<void> {
    return this.#present.caughtUp(resourceVersion, options, this.#user, this.#life.signal);
  }

  #makeChecks(): InformerChecks<Stored<T>> {
    return new InformerChecks<Stored<T>>({
      options: this.#options,
      journal: this.#journal,
      collection: () => this.#collection,
      stopped: this.#life.signal,
      whenSynced: (options) => this.whenSynced(options),
      reach: (resourceVersion, options) => this.#reach(resourceVersion, options),
    });
  }

  #makeUser(): CollectionUser<Stored<T>> {
    const handlers = this.#handlers;
    return {
      name: this.name,
      get resyncIntervalMs(): number {
        return handlers.resyncIntervalMs;
      },
      resyncDue: () => handlers.resyncDue(),
      changed: (batches) =>
        handlers.distribute(this.#collection.wasShared ? this.#writes.asSeen(batches) : batches),
      hasBacklog: (count) => handlers.hasBacklog(count),
      bookmark: (resourceVersion) => this.events.emit('bookmark', resourceVersion),
      synced: () => {
        handlers.markSynced();
        this.#life.synced.open();
        this.#journal.meter?.synced();
        this.events.emit('synced');
      },
      watchError: (error, context) => {
        if (!this.#life.endsWith(error, context)) this.#journal.watchError(error, context);
      },
      transitions: (listed) => this.#journal.transitions(listed),
      applied: (durationMs) => this.#journal.meter?.applied(durationMs),
    };
  }

  #makeHandlers(): HandlerRegistry<Stored<T>> {
    const { name, runtime, resyncIntervalMs, logger } = this.#options;
    const { errors, meter } = this.#journal;
    return new HandlerRegistry<Stored<T>>({
      informer: name,
      store: () => this.#collection.store,
      memory: () => this.#collection.memory,
      runtime,
      resyncIntervalMs,
      waitsFor: () => this.waitingFor,
      onError: (error, about) => errors.report(error, { source: 'handler', ...about }),
      onRemoved: (handler) => meter?.handlerRemoved(handler),
      onWarning: (message, fields) => logger.warn(message, { informer: name, ...fields }),
    });
  }
}
