import type { WaitOptions } from '../../cache/informer/handlers/handler-registration.ts';
import type { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import type { Client } from '../../client/rest/client.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { deriveAbort, onAbort, type DerivedAbort } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import { isConflict } from '../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectChange } from '../change/object-change.ts';
import { ReasonWriter, reasonOf, type ReconcileReason } from '../change/reconcile-reasons.ts';
import { EventRecorder } from '../events/event-recorder.ts';
import type { EventSink } from '../events/event-sink.ts';
import { ReconcileLoop } from '../runtime/reconcile-loop.ts';
import type {
  DrainQueueOptions,
  DrainReport,
  InspectQueueOptions,
} from '../workqueue/queue-inspection.ts';
import { RateLimitingQueue } from '../workqueue/rate-limiting-queue.ts';
import { priorityOf, type AddOptions } from '../workqueue/work-queue-options.ts';
import type { AuthorFunctions } from './run/author-functions.ts';
import { takeName } from './controller-names.ts';
import type { ControllerInspection } from './controller-inspection.ts';
import { syncTimeoutOf, type FilledControllerOptions } from './controller-options.ts';
import { ControllerSources } from './source/controller-sources.ts';
import { ExternalSource, type EventSource } from './source/external-source.ts';
import { GoneObjects } from './run/gone-objects.ts';
import { ObjectTasks, type TaskDeclarations } from './object-tasks.ts';
import { HandledStates, type HandledOptions } from '../helpers/handled-state.ts';
import { ObjectRuns } from './run/object-runs.ts';
import { OwnWritesLog } from './source/own-writes-log.ts';
import { SharedKeys } from './shared-keys.ts';
import type { WorkShare } from '../sharding/contract/work-share.ts';
import { RunCauses } from './run/run-causes.ts';
import { NotedRuns } from './run/noted-runs.ts';
import { SelfTriggers } from './run/self-triggers.ts';
import type { SourceDeclaration } from './source/source-declaration.ts';
import { keysOf, type Target } from './source/targets.ts';

export interface ControllerParts<T extends KubernetesObject, Types extends object> {
  readonly client: Client<Types>;
  readonly apiVersion: string;
  readonly resource: string;
  readonly declarations: readonly SourceDeclaration[];
  /** External sources by name. */
  readonly external: readonly (readonly [string, EventSource])[];
  readonly tasks: TaskDeclarations<T, Types>;
  /** Keeps the last handled states. */
  readonly remembers: HandledOptions | undefined;
  readonly functions: AuthorFunctions<T, Types>;
  readonly options: FilledControllerOptions;
}

/**
 * Reconciles the objects of one resource: it watches them and what they depend on, and runs the function of the author for each
 * object that may need it. Made by `controller(…)`.
 *
 * | outcome of a run | what follows |
 * |---|---|
 * | returns | its failures are forgotten; a returned status is written if it differs |
 * | returns `requeueAfterMs` | the same, and it runs again after that time |
 * | throws CONFLICT | it runs again after a back-off; nothing is logged: the object had changed, and the cache learns of it |
 * | throws | it runs again after a back-off that grows; the error is logged |
 * | throws `TerminalError` | the error is logged; it runs again only after the next change |
 *
 * Guarantees:
 * - No two runs of one object overlap, and no run begins before the first lists of all resources are read.
 * - A run sees at least the state that caused it, and the answers of all earlier writes with `context.resource`.
 * - After `run` has ended, no handler, timer or watch of it is left; shared informers that others use go on.
 *
 * Not guaranteed: a run for each change. Changes of one object that come before its run lead to one run.
 */
export class Controller<T extends KubernetesObject, Types extends object = object>
  implements AsyncDisposable
{
  readonly name: string;
  readonly #parts: ControllerParts<T, Types>;
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #syncTimeoutMs: number;
  readonly #queue: RateLimitingQueue;
  readonly #loop: ReconcileLoop;
  readonly #ownWrites = new OwnWritesLog();
  readonly #shared: SharedKeys;
  readonly #noted: NotedRuns;
  readonly #gone = new GoneObjects<T>();
  readonly #handled: HandledStates | undefined;
  readonly #runs: ObjectRuns<T, Types>;
  readonly #sources: ControllerSources;
  readonly #external: readonly ExternalSource[];
  readonly #tasks: ObjectTasks<T, Types>;
  readonly #stop: DerivedAbort = deriveAbort();
  readonly #ready: Latch;
  readonly #ended: Latch;
  #phase: ControllerInspection['phase'] = 'new';
  #running: Promise<void> | undefined;
  #metrics: Metrics | undefined;
  #failure: Error | undefined;
  #ownEvents: EventRecorder | undefined;

  /** Use `controller(…)`. @throws {ListwatchError} code INVALID_OPTION. */
  constructor(parts: ControllerParts<T, Types>) {
    const { options, resource } = parts;
    const { runtime, logger, metrics, rateLimiter } = options;
    const { concurrency, timeoutMs, shutdownTimeoutMs, maxRetries, onError } = options;
    this.name = options.name ?? resource;
    this.#metrics = metrics;
    this.#parts = parts;
    this.#runtime = runtime;
    this.#logger = logger;
    this.#syncTimeoutMs = syncTimeoutOf(options);
    this.#ready = new Latch(`first lists of the controller ${this.name}`);
    this.#ended = new Latch(`end of the controller ${this.name}`);
    const common = { name: this.name, runtime, logger, metrics };
    this.#queue = new RateLimitingQueue({ ...options.queue, ...common, rateLimiter });
    this.#shared = new SharedKeys({
      name: this.name,
      runtime,
      replay: () => this.#sources.replay(),
      leave: (covers) => {
        this.#gone.leave(covers);
        return this.#tasks.leave(covers);
      },
      cutShort: (covers, reason) => this.#loop.cutShort(covers, reason),
    });
    this.#sources = this.#sourcesOf(parts.client);
    this.#external = this.#externalSources();
    this.#handled = parts.remembers && new HandledStates(parts.remembers);
    this.#runs = this.#objectRuns();
    this.#tasks = new ObjectTasks({
      controller: this.name,
      declarations: parts.tasks,
      runs: this.#runs,
      shared: this.#shared,
      runtime,
      logger,
      metrics,
    });
    this.#noted = new NotedRuns({
      controller: this.name,
      historySize: options.historySize,
      runtime,
      logger,
      run: (request, context) => this.#runs.run(request, context),
      takeNote: (key) => this.#queue.takeNote(key),
      add: (key, reason, priority) => this.#add(key, reason, priority),
      relists: () => this.#sources.relists,
      causes: new RunCauses(parts.client.causes, (name) => this.#sources.clientOf(name).causes),
      tracing: parts.client.tracing,
      isOwnWrite: (key, reason) => this.#isOwnWrite(key, reason),
      selfTriggers: new SelfTriggers({
        controller: this.name,
        logger,
        writes: () => this.#sources.writes,
        writeOf: (reason) => this.#sources.writeOf(reason),
      }),
    });
    this.#loop = new ReconcileLoop({
      queue: this.#queue,
      reconcile: (request, context) =>
        this.#shared.run(request.key, () => this.#noted.reconcile(request, context), {}),
      isExpected: isConflict,
      ...common,
      concurrency,
      timeoutMs,
      shutdownTimeoutMs,
      maxRetries,
      onError,
    });
  }

  /** Reports to these metrics, unless it got others as an option. Before `run`. */
  reportTo(metrics: Metrics): void {
    if (this.#parts.options.metrics !== undefined) return;
    this.#metrics = metrics;
    this.#loop.reportTo(metrics);
    this.#tasks.reportTo(metrics);
  }

  /**
   * Works only on the keys of a share from now on, such as none while another replica leads; its writes need the lease of the share. A
   * `Manager` calls it. Before `run`.
   * @internal
   */
  shareWork(share: WorkShare): void {
    this.#shared.join(share);
  }

  /**
   * Runs until the signal aborts or `close` is called. Running reconciles then have `shutdownTimeoutMs` to end.
   * @throws {CacheSyncError} code TIMEOUT naming the resource whose first list is missing, and why; or the error that ended its informer.
   * {ListwatchError} code ALREADY_STARTED; NAME_TAKEN when a controller of this name runs with the same client; TIMEOUT naming the runs that did not end in time.
   */
  async run({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.#running !== undefined || this.#phase !== 'new') {
      throw new ListwatchError(
        'ALREADY_STARTED',
        `${this.name}: a controller runs once; make a new one`,
      );
    }
    const giveBack = takeName(this.#parts.client, this.name);
    const release = onAbort(signal, () => {
      this.#stop.abort(signal?.reason);
    });
    this.#running = this.#work(this.#stop.signal).finally(() => {
      release();
      giveBack();
    });
    await this.#running;
  }

  /**
   * Resolves when the first lists of all resources are read and reconciles begin.
   * @throws {ListwatchError} code TIMEOUT; CLOSED when the controller ends before.
   */
  async whenReady({ timeoutMs, signal }: WaitOptions = {}): Promise<void> {
    await untilOpen(this.#runtime, [this.#ready, this.#ended], {
      timeoutMs,
      signal,
      describe: () => this.#waitingFor(),
    });
    if (!this.#ready.isOpen) {
      throw new ListwatchError('CLOSED', `the controller ${this.name} ended before it was ready`);
    }
  }

  /** Reconciles an object for a reason of the program, such as an event of another system. */
  enqueue(target: Target, options: AddOptions = {}): void {
    const priority = priorityOf(options);
    for (const key of keysOf(target))
      this.#add(key, new ReasonWriter(reasonOf('enqueued')), priority);
  }

  /**
   * Changes the namespaces, also while it runs. Objects of namespaces that are left out are no longer reconciled; they are not taken as
   * deleted. Informers that are shared with others change for those too.
   * @throws {ListwatchError} code INVALID_OPTION without option `namespaces`; TIMEOUT naming the namespace and the last error.
   */
  async setNamespaces(namespaces: readonly string[], options: WaitOptions = {}): Promise<void> {
    await this.#sources.setNamespaces(namespaces, options);
  }

  /** No further reconcile or timer begins until `resume`. Changes are taken on; running functions and daemons go on. */
  pause(): void {
    this.#loop.pause();
    this.#tasks.pause();
  }

  /** Reconciles what has changed since `pause`, and goes on. */
  resume(): void {
    this.#loop.resume();
    this.#tasks.resume();
  }

  /** The resources that it reads, in the order of its declarations. */
  get informers(): readonly SharedIndexInformer<KubernetesObject>[] {
    return [...new Set(this.#sources.all.map(({ lease }) => lease.informer))];
  }

  /**
   * The state at this moment, and the last runs.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  inspect(options: InspectQueueOptions = {}): ControllerInspection {
    const sources = this.#sources.all.map((source) => {
      const { registration, resource, role, name, counts } = source;
      const { synced, waitingFor } = registration;
      const named = name === undefined ? {} : { name };
      return { resource, role, ...named, synced, waitingFor, ...counts };
    });
    return {
      name: this.name,
      phase: this.#phase === 'running' ? this.#runningPhase() : this.#phase,
      sources,
      external: this.#external.map((source) => source.inspect()),
      tasks: this.#tasks.inspect(),
      queue: this.#queue.inspect(options),
      runs: this.#noted.history.counts,
      history: this.#noted.history.list(),
    };
  }

  /**
   * Stops with care: no further run begins (mode `all`: none but those that wait), and running ones may end undisturbed. It always ends:
   * at the latest after `timeoutMs`, or when the signal aborts; then the signals of the remaining runs abort. `close` waits for those.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  async drain(options: DrainQueueOptions = {}): Promise<DrainReport> {
    const report = await this.#queue.drain(options);
    this.#stop.abort();
    if (this.#phase === 'new') this.#end();
    return report;
  }

  /** Stops, and resolves when everything has ended. May be called again. */
  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#phase === 'new') this.#end();
    await this.#running?.catch(() => {});
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #work(signal: AbortSignal): Promise<void> {
    try {
      this.#phase = 'syncing';
      this.#sources.open();
      for (const source of this.#external) void source.run(signal);
      await this.#synced(signal);
      if (!signal.aborted) {
        this.#phase = 'running';
        this.#ready.open();
        this.#tasks.begin(signal);
        await this.#loop.run({ signal });
      }
      if (this.#failure !== undefined) throw this.#failure;
    } finally {
      this.#stop.abort();
      this.#end();
      await this.#tasks.close();
      await this.#ownEvents?.close();
      await this.#sources.close();
    }
  }

  #events(): EventSink {
    const { client, options } = this.#parts;
    if (options.events !== undefined) return options.events;
    const { share } = this.#shared;
    this.#ownEvents ??= new EventRecorder(share ? client.fencedBy(share.fence) : client, {
      controller: this.name,
      runtime: this.#runtime,
      logger: this.#logger,
    });
    return this.#ownEvents;
  }

  #externalSources(): readonly ExternalSource[] {
    const common = { controller: this.name, runtime: this.#runtime, logger: this.#logger };
    return this.#parts.external.map(([name, source]) => {
      const enqueue = (key: string): void => {
        this.#add(key, new ReasonWriter(reasonOf('external', name)), 0);
      };
      return new ExternalSource({ ...common, name, source, enqueue });
    });
  }

  #objectRuns(): ObjectRuns<T, Types> {
    const { apiVersion, resource, functions, client, options } = this.#parts;
    const scope = {
      controller: this.name,
      client: client as Client,
      sources: this.#sources,
      ownWrites: this.#ownWrites,
      events: () => this.#events(),
      handled: this.#handled,
      fence: () => this.#shared.share?.fence,
      onDeleted: (key: string) => {
        if (functions.whenGone !== undefined) this.#gone.announce(key);
      },
    };
    const [gone, runtime] = [this.#gone, this.#runtime];
    const runAfter = (key: string, delayMs: number): void => this.#queue.addAfter(key, delayMs);
    const { maxRetries = Infinity } = options;
    const about = { apiVersion, resource, functions, scope, maxRetries };
    return new ObjectRuns({ ...about, gone, runtime, runAfter });
  }

  #sourcesOf(client: Client): ControllerSources {
    const { declarations, options, functions, tasks, remembers } = this.#parts;
    const observe = (change: ObjectChange): void => {
      if (this.#shared.has(change.key)) this.#tasks.observe(change);
      // An object that leaves with its namespace has no run that would forget it.
      const { type, key, metadata } = change;
      if (type === 'deleted' && !this.#sources.watches(metadata.namespace))
        this.#handled?.forget(key);
    };
    const observes = tasks.timers.length + tasks.daemons.length > 0 || remembers !== undefined;
    const onGone = (change: ObjectChange): void => {
      if (this.#shared.has(change.key)) this.#gone.add(change as ObjectChange<T>);
    };
    return new ControllerSources({
      controller: this.name,
      client,
      declarations,
      options,
      metrics: () => this.#metrics,
      runtime: this.#runtime,
      logger: this.#logger,
      source: {
        ownWrites: options.ownWrites === true ? undefined : this.#ownWrites,
        priority: options.priority,
        enqueue: (key, reason, priority) => {
          this.#add(key, reason, priority);
        },
      },
      own: {
        onGone: functions.whenGone === undefined ? undefined : onGone,
        observe: observes ? observe : undefined,
      },
      onEnd: (error) => {
        if (this.#stop.signal.aborted) return;
        this.#failure = error;
        this.#stop.abort(error);
      },
    });
  }

  /** An abort while the first lists are read is an end like any other. */
  async #synced(signal: AbortSignal): Promise<void> {
    try {
      await this.#sources.whenSynced({ timeoutMs: this.#syncTimeoutMs, signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #waitingFor(): string {
    if (this.#phase === 'new') return `run() of the controller ${this.name}`;
    return `the controller ${this.name}: ${this.#sources.missing.join('; ')}`;
  }

  #add(key: string, reason: ReasonWriter, priority: number): void {
    if (this.#queue.closing || !this.#shared.has(key)) return;
    if (this.#noted.hold(key, reason, priority)) return;
    this.#queue.addNoted(key, priority, reason);
  }

  #runningPhase(): ControllerInspection['phase'] {
    if (this.#loop.paused) return 'paused';
    return this.#shared.isStandby ? 'standby' : 'running';
  }

  #end(): void {
    this.#shared.close();
    this.#queue.destroy();
    this.#phase = 'stopped';
    this.#ended.open();
  }

  #isOwnWrite(key: string, reason: ReconcileReason): boolean {
    const { type, resource, object, resourceVersion, via } = reason;
    if (resource === undefined || object === undefined || type === 'deleted') return false;
    if (this.#parts.options.ownWrites === true) return false;
    if (this.#ownWrites.writerOf(resource, object, resourceVersion) !== key) return false;
    const sources = this.#sources.of(resource);
    if (sources.some(({ merges }) => merges)) return false;
    const source = sources.find(({ role }) => role === via);
    source?.countOwnWrite();
    return source !== undefined;
  }
}
