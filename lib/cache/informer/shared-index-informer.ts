import type { EventEmitter } from 'eventemitter3';
import { deriveAbort, onAbort, type DerivedAbort } from '../../kernel/abort.ts';
import { ListwatchError } from '../../kernel/errors.ts';
import { Latch } from '../../kernel/latch.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { untilOpen } from '../../kernel/wait.ts';
import type { Projection } from '../../meta/json/field-path.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { listBudget } from '../memory/cache-options.ts';
import { ViewOpener } from '../memory/view-opener.ts';
import { StoreLister, type Lister } from '../store/lister.ts';
import type { Deletion } from '../store/write-overlay.ts';
import type { AuditOptions, AuditReport } from './audit/audit-report.ts';
import type { ChangesOptions } from './changes/changes-options.ts';
import type { ResourceEventHandler } from './handlers/event-handler.ts';
import type {
  AddHandlerOptions,
  HandlerRegistration,
  WaitOptions,
} from './handlers/handler-registration.ts';
import { StartCheck } from './handlers/start-check.ts';
import { auditOf } from './audit/informer-audit.ts';
import type { ChangeOf, ChangeView } from './changes/informer-change.ts';
import { changesOf } from './changes/informer-changes.ts';
import { InformerEngine } from './informer-engine.ts';
import type { InformerEvents } from './observe/informer-events.ts';
import type { InformerInspection, InformerPhase } from './observe/informer-inspection.ts';
import {
  resolveInformerOptions,
  type ProjectingInformerOptions,
  type ResolvedInformerOptions,
  type SharedIndexInformerOptions,
} from './options/informer-options.ts';
import { ObjectReader } from './apply/object-reader.ts';
import { unknownResource } from './options/start-failure.ts';

/**
 * Mirrors one collection into an indexed cache and tells any number of handlers what changes in it.
 *
 * Guarantees:
 * - The cache goes from one state of the server to a later one; a relist is one step.
 * - The cache changes first, then the handlers are called, each in the order of the changes and one callback at a time.
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
  /**
   * Lifecycle events; what happens to objects goes to handlers. A listener that throws or rejects is reported, and keeps
   * the event from no other handler.
   */
  readonly events: EventEmitter<InformerEvents>;
  /** Reads the cache by namespace, name and labels. Own writes that were handed to `written` are in it at once. */
  readonly lister: Lister<T>;
  /** Reads the cache by key and index, with own writes as in `lister`. */
  readonly indexer: ObjectReader<T>;

  readonly #options: ResolvedInformerOptions<T>;
  readonly #engine: InformerEngine<T>;
  readonly #syncedLatch: Latch;
  readonly #stoppedLatch: Latch;
  readonly #start: StartCheck;
  readonly #abort: DerivedAbort = deriveAbort();
  #phase: InformerPhase = 'new';
  #running: Promise<void> | undefined;
  #failure: ListwatchError | undefined;

  constructor(options: SharedIndexInformerOptions<T>) {
    this.#options = resolveInformerOptions(options);
    const { name, subject, runtime } = this.#options;
    const started = (): boolean => this.#phase !== 'new';
    this.#start = new StartCheck({ informer: name, runtime, started });
    this.#syncedLatch = new Latch(`first list of ${name}`);
    this.#stoppedLatch = new Latch(`end of ${name}`);
    this.#engine = new InformerEngine<T>({
      options: this.#options,
      onSynced: () => {
        this.#syncedLatch.open();
      },
      endsWith: (error) => this.#endsWith(error),
      waitsFor: () => this.waitingFor,
      inspect: () => this.inspect(),
    });
    this.events = this.#engine.events;
    const opener = new ViewOpener<T>(listBudget(this.#options.cache));
    const { memory, pipeline } = this.#engine;
    const { overlay } = pipeline;
    let pin: Disposable | undefined;
    this.indexer = new ObjectReader(overlay, opener, () => {
      pin ??= memory.pin('body');
    });
    this.lister = new StoreLister({ store: overlay, opener, subject });
  }

  /**
   * An informer that keeps some fields of its objects: type, metadata without `managedFields`, and what is named. They are
   * what handlers, listers and index functions get, and what the type of its objects has.
   * @example
   * const pods = SharedIndexInformer.projecting({ listerWatcher, fields: ['spec.nodeName', 'status.phase'] });
   */
  static projecting<Source extends KubernetesObject, const Paths extends readonly string[]>(
    options: ProjectingInformerOptions<Source, Paths>,
  ): SharedIndexInformer<Projection<Source, Paths[number]>> {
    type T = Projection<Source, Paths[number]>;
    // The objects of the source are projected on their way into the cache.
    return new SharedIndexInformer<T>(options as unknown as SharedIndexInformerOptions<T>);
  }

  get name(): string {
    return this.#options.name;
  }

  /** The runtime of its clock, timers and random numbers. */
  get runtime(): Runtime {
    return this.#options.runtime;
  }

  /** Whether the cache has a whole list. Never turns back. */
  get synced(): boolean {
    return this.#syncedLatch.isOpen;
  }

  /** The reason why it is not synced, in words; undefined once it is. */
  get waitingFor(): string | undefined {
    if (this.synced) return undefined;
    const what = `the first list of ${this.name}`;
    if (this.#phase === 'new') return `${what}, which has not been started`;
    if (this.#phase === 'stopped') return `${what}, which has stopped`;
    return what + this.#engine.situation;
  }

  /** The error that stopped it: code RESOURCE_UNKNOWN. `run` rejects with it. */
  get failure(): ListwatchError | undefined {
    return this.#failure;
  }

  /** `stopped` as soon as it has been told to stop. */
  get phase(): InformerPhase {
    return this.#abort.signal.aborted ? 'stopped' : this.#phase;
  }

  /** The newest resource version that came in; the one the cache shows is `indexer.resourceVersion`. */
  get lastSyncResourceVersion(): string {
    return this.#engine.lastSyncResourceVersion;
  }

  /**
   * Registers a handler. If the informer runs already, it first gets what is there as initial additions.
   * @throws {ListwatchError} code CLOSED when the informer has stopped; INVALID_OPTION.
   */
  addHandler(
    handler: ResourceEventHandler<T>,
    options: AddHandlerOptions = {},
  ): HandlerRegistration {
    return this.#engine.handlers.add(handler, options);
  }

  /**
   * The informer as a stream of changes, for `for await`: what is there, as initial additions, and then every change. Each loop
   * is a reader of its own, from its begin to its end.
   * @throws {ListwatchError} code INVALID_OPTION; when a loop begins, CLOSED once the informer has stopped.
   */
  changes<View extends ChangeView = 'object', Mark extends boolean = false>(
    options: ChangesOptions<View, Mark> = {},
  ): AsyncIterable<ChangeOf<T, View, Mark>> {
    return changesOf<T, View, Mark>(this, options);
  }

  /**
   * Compares the cache with the server, both at one and the same resource version, and says what is missing, extra or
   * different. It is correct under concurrent changes, and does not disturb the informer: it lists by itself, in pages. Namespace and
   * selectors of the informer apply.
   * @throws {ListwatchError} code TIMEOUT saying what it waited for; NOT_STARTED; CLOSED when the informer has stopped, or stops;
   * INVALID_OPTION; the signal's reason when aborted. {ApiError} what the server refuses the list with.
   */
  async audit(options: AuditOptions = {}): Promise<AuditReport> {
    const { pipeline, memory } = this.#engine;
    const stopped = this.#abort.signal;
    const pin = memory.pin('body');
    try {
      const source = { ...this.#options, informer: this, store: pipeline.store, stopped };
      return await auditOf<T>(source, options);
    } finally {
      pin[Symbol.dispose]();
    }
  }

  /**
   * Runs until the signal aborts or `close` is called, and then resolves, once the last callback of a handler has returned.
   * Events that were not delivered by then are dropped.
   * @throws {ListwatchError} code ALREADY_STARTED or CLOSED: an informer runs once; RESOURCE_UNKNOWN when the server does not
   * serve the resource and `missingResource` is `fail`.
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
   * @throws {ListwatchError} code TIMEOUT saying what is missing and what went wrong last; NOT_STARTED when the informer has
   * not been started by the next task; CLOSED when it stops first, RESOURCE_UNKNOWN when that is why; the signal's reason when
   * aborted.
   */
  async whenSynced({ timeoutMs, signal }: WaitOptions = {}): Promise<void> {
    const { name, runtime } = this.#options;
    await untilOpen(runtime, [this.#syncedLatch, this.#stoppedLatch, this.#start.latch()], {
      timeoutMs,
      signal,
      describe: () => this.waitingFor ?? name,
    });
    if (!this.synced) {
      this.#start.throwIfNotStarted();
      if (this.#failure !== undefined) throw this.#failure;
      throw new ListwatchError('CLOSED', `the informer ${name} stopped before it was synced`);
    }
  }

  /**
   * Shows the answer to a create, update or patch in `lister` and `indexer` at once, until the watch has caught up with it.
   * Handlers are told when the watch brings it, with `origin: 'self'`; `synced` does not depend on it. Answers may be handed
   * in late and in any order: what is older than the cache is ignored. What has no key is reported as an error of the object.
   *
   * Give it whole objects of this collection only, never the answer of a subresource of another kind, such as `scale`.
   */
  written(answer: T): void {
    this.#engine.pipeline.writes.written(answer);
  }

  /**
   * As `written`, for the answer to a deletion: the object, or what is known of it. An object that has to wait for its
   * finalizers is still there, and shown with its `deletionTimestamp`.
   */
  deleted(answer: T | Deletion): void {
    this.#engine.pipeline.writes.deleted(answer);
  }

  /**
   * Resolves when the cache itself has every change up to a resource version, for those who would rather wait.
   * @throws {ListwatchError} code TIMEOUT saying how far the cache is; INVALID_RESOURCE_VERSION; CLOSED when the informer
   * stops first; HISTORY_REPLACED when the server goes back to an older state; the signal's reason when aborted.
   */
  caughtUp(resourceVersion: string, options: WaitOptions = {}): Promise<void> {
    return this.#engine.pipeline.overlay.caughtUp(resourceVersion, options);
  }

  /**
   * Stops the informer and resolves when `run` has. The cache stays readable. Calling again is harmless. Called by a callback
   * of a handler, before its first `await`, it does not wait for that callback.
   */
  async close(): Promise<void> {
    if (this.#phase === 'new') await this.#stop();
    this.#engine.handlers.removeEntered();
    this.#abort.abort();
    // The caller of `run` gets the error.
    await this.#running?.catch(() => {});
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Everything about the informer at this moment, as plain data. */
  inspect(): InformerInspection {
    const { name, phase, synced, waitingFor } = this;
    return { name, phase, synced, waitingFor, ...this.#engine.inspect() };
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      await this.#engine.run(signal);
    } finally {
      await this.#stop();
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #stop(): Promise<void> {
    this.#phase = 'stopped';
    this.#stoppedLatch.open();
    await this.#engine.stop();
  }

  #endsWith(error: unknown): boolean {
    const { missingResource, subject } = this.#options;
    if (missingResource === 'fail') this.#failure ??= unknownResource(error, subject);
    if (this.#failure === undefined) return false;
    this.#abort.abort(this.#failure);
    return true;
  }
}
