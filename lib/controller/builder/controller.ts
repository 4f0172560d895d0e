import { SharedInformerFactory } from '../../cache/informer/factory/shared-informer-factory.ts';
import type { WaitOptions } from '../../cache/informer/handlers/handler-registration.ts';
import { waitForCacheSync } from '../../cache/informer/factory/wait-for-cache-sync.ts';
import type { Client } from '../../client/rest/client.ts';
import { errorMessage, ListwatchError } from '../../kernel/failure/errors.ts';
import { numberOption } from '../../kernel/options/options.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { deriveAbort, onAbort, type DerivedAbort } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import { isConflict } from '../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectChange } from '../change/object-change.ts';
import { ReconcileReasons, type ReconcileReason } from '../change/reconcile-reasons.ts';
import { EventRecorder } from '../events/event-recorder.ts';
import type { EventSink } from '../events/event-sink.ts';
import {
  ReconcileLoop,
  type ReconcileContext,
  type ReconcileRequest,
  type ReconcileResult,
} from '../runtime/reconcile-loop.ts';
import { RateLimitingQueue } from '../workqueue/rate-limiting-queue.ts';
import type { AuthorFunctions } from './author-functions.ts';
import type { ControllerInspection } from './controller-inspection.ts';
import type { ControllerOptions } from './controller-options.ts';
import { ControllerSource } from './controller-source.ts';
import { GoneObjects } from './gone-objects.ts';
import { HeldChanges } from './held-changes.ts';
import { ObjectRuns } from './object-runs.ts';
import { OwnWritesLog } from './own-writes-log.ts';
import { ReconcileHistory, type ReconcileRecord } from './reconcile-history.ts';
import type { SourceDeclaration } from './source-declaration.ts';
import { keysOf, type Target } from './targets.ts';

export interface ControllerParts<T extends KubernetesObject, Types extends object> {
  readonly client: Client<Types>;
  readonly apiVersion: string;
  readonly resource: string;
  readonly declarations: readonly SourceDeclaration[];
  readonly functions: AuthorFunctions<T, Types>;
  readonly options: ControllerOptions;
}

const SYNC_TIMEOUT_MS = 120_000;
const HISTORY_SIZE = 100;

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
  readonly #reasons = new ReconcileReasons();
  readonly #ownWrites = new OwnWritesLog();
  readonly #held = new HeldChanges();
  readonly #history: ReconcileHistory;
  readonly #gone = new GoneObjects<T>();
  readonly #runs: ObjectRuns<T, Types>;
  readonly #sources = new Map<string, ControllerSource>();
  readonly #stop: DerivedAbort = deriveAbort();
  readonly #ready: Latch;
  readonly #ended: Latch;
  #phase: ControllerInspection['phase'] = 'new';
  #running: Promise<void> | undefined;
  #ownEvents: EventRecorder | undefined;

  /** Use `controller(…)`. @throws {ListwatchError} code INVALID_OPTION. */
  constructor(parts: ControllerParts<T, Types>) {
    const { options, resource } = parts;
    const { runtime = realRuntime, logger = consoleLogger, metrics, rateLimiter } = options;
    const { concurrency, timeoutMs, shutdownTimeoutMs, maxRetries, onError } = options;
    this.name = options.name ?? resource;
    this.#parts = parts;
    this.#runtime = runtime;
    this.#logger = logger;
    const limits = { min: 0, integer: true };
    const size = numberOption(
      'controller',
      'historySize',
      options.historySize,
      HISTORY_SIZE,
      limits,
    );
    this.#history = new ReconcileHistory(size);
    const { syncTimeoutMs } = options;
    const positive = { min: 1 };
    this.#syncTimeoutMs = numberOption(
      'controller',
      'syncTimeoutMs',
      syncTimeoutMs,
      SYNC_TIMEOUT_MS,
      positive,
    );
    this.#ready = new Latch(`first lists of the controller ${this.name}`);
    this.#ended = new Latch(`end of the controller ${this.name}`);
    this.#queue = new RateLimitingQueue({ name: this.name, runtime, logger, metrics, rateLimiter });
    const scope = {
      controller: this.name,
      client: parts.client as Client,
      sources: this.#sources,
      ownWrites: this.#ownWrites,
      events: () => this.#events(),
    };
    const { functions, apiVersion } = parts;
    const gone = this.#gone;
    this.#runs = new ObjectRuns({ apiVersion, resource, functions, scope, gone, runtime });
    this.#loop = new ReconcileLoop({
      queue: this.#queue,
      reconcile: (request, context) => this.#reconcile(request, context),
      isExpected: isConflict,
      name: this.name,
      concurrency,
      timeoutMs,
      shutdownTimeoutMs,
      maxRetries,
      onError,
      runtime,
      logger,
      metrics,
    });
  }

  /**
   * Runs until the signal aborts or `close` is called. Running reconciles then have `shutdownTimeoutMs` to end.
   * @throws {CacheSyncError} code TIMEOUT naming the resource whose first list is missing, and why; or the error that ended its informer.
   * {ListwatchError} code ALREADY_STARTED; TIMEOUT naming the runs that did not end in time.
   */
  async run({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.#running !== undefined || this.#phase !== 'new') {
      throw new ListwatchError(
        'ALREADY_STARTED',
        `${this.name}: a controller runs once; make a new one`,
      );
    }
    const release = onAbort(signal, () => {
      this.#stop.abort(signal?.reason);
    });
    this.#running = this.#work(this.#stop.signal).finally(release);
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
  enqueue(target: Target): void {
    const reason = { resource: undefined, object: undefined, resourceVersion: undefined };
    for (const key of keysOf(target)) this.#add(key, { type: 'enqueued', ...reason });
  }

  /** The state at this moment, and the last runs. */
  inspect(): ControllerInspection {
    const sources = [...this.#sources.values()].map((source) => {
      const { registration, resource, counts } = source;
      const { synced, waitingFor } = registration;
      return { resource, synced, waitingFor, ...counts };
    });
    const { size: waiting, delayed } = this.#queue;
    return {
      name: this.name,
      phase: this.#phase,
      sources,
      queue: { waiting, delayed, running: this.#loop.running },
      history: this.#history.list(),
    };
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
    const { informers } = this.#parts.options;
    const own = informers === undefined ? this.#ownInformers() : undefined;
    const factory = informers ?? own;
    try {
      this.#phase = 'syncing';
      this.#listen(factory as SharedInformerFactory);
      factory?.start();
      await this.#synced(signal);
      if (signal.aborted) return;
      this.#phase = 'running';
      this.#ready.open();
      await this.#loop.run({ signal });
    } finally {
      this.#end();
      const leases = [...this.#sources.values()].map(({ lease }) => lease.close());
      await Promise.all(leases);
      await this.#ownEvents?.close();
      await own?.close();
    }
  }

  #ownInformers(): SharedInformerFactory {
    const { client, options } = this.#parts;
    const { runtime, logger, metrics, namespace } = options;
    return new SharedInformerFactory<object>(client, {
      name: this.name,
      runtime,
      logger,
      metrics,
      namespace,
    });
  }

  #events(): EventSink {
    const { client, options } = this.#parts;
    if (options.events !== undefined) return options.events;
    this.#ownEvents ??= new EventRecorder(client, {
      controller: this.name,
      runtime: this.#runtime,
      logger: this.#logger,
    });
    return this.#ownEvents;
  }

  #listen(factory: SharedInformerFactory): void {
    const { declarations, options, functions } = this.#parts;
    const primary = (): ControllerSource | undefined => this.#sources.get(this.#primary);
    for (const declaration of declarations) {
      const { apiVersion, resource, predicates } = declaration;
      const informed = { namespace: options.namespace, ...declaration.informer };
      const source = new ControllerSource({
        resource: `${apiVersion}/${resource}`,
        lease: factory.acquire(apiVersion, resource, informed),
        predicates,
        map: declaration.mapping((key) => primary()?.lease.informer.indexer.metadata(key)),
        ownWrites: options.ownWrites === true ? undefined : this.#ownWrites,
        enqueue: (key, reason) => {
          this.#add(key, reason);
        },
        onGone:
          `${apiVersion}/${resource}` === this.#primary && functions.whenGone !== undefined
            ? (change) => this.#gone.add(change as ObjectChange<T>)
            : undefined,
        controller: this.name,
        logger: this.#logger,
      });
      this.#sources.set(source.resource, source);
    }
  }

  /** An abort while the first lists are read is an end like any other. */
  async #synced(signal: AbortSignal): Promise<void> {
    const registrations = [...this.#sources.values()].map(({ registration }) => registration);
    try {
      await waitForCacheSync(registrations, {
        timeoutMs: this.#syncTimeoutMs,
        signal,
        runtime: this.#runtime,
        logger: this.#logger,
      });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  get #primary(): string {
    const { apiVersion, resource } = this.#parts;
    return `${apiVersion}/${resource}`;
  }

  #waitingFor(): string {
    if (this.#phase === 'new') return `run() of the controller ${this.name}`;
    const missing = [...this.#sources.values()].flatMap(({ registration }) =>
      registration.synced ? [] : [registration.waitingFor ?? registration.name],
    );
    return `the controller ${this.name}: ${missing.join('; ')}`;
  }

  #add(key: string, reason: ReconcileReason): void {
    if (this.#queue.closing || this.#held.hold(key, reason)) return;
    this.#reasons.add(key, reason);
    this.#queue.add(key);
  }

  #end(): void {
    this.#queue.destroy();
    this.#phase = 'stopped';
    this.#ended.open();
  }

  async #reconcile(
    { key, failures }: ReconcileRequest,
    run: ReconcileContext,
  ): Promise<ReconcileResult> {
    const reasons = this.#reasons.take(key, failures);
    this.#held.begin(key, this.#relists);
    const startedAtMs = this.#runtime.wallMs();
    const begun = this.#runtime.monotonicMs();
    const record = (result: ReconcileRecord['result'], error?: string): void => {
      const durationMs = this.#runtime.monotonicMs() - begun;
      this.#history.add({ key, startedAtMs, durationMs, result, error, reasons });
    };
    try {
      const { result, requeueAfterMs } = await this.#runs.run({ key, failures, reasons }, run);
      record(result);
      return { requeueAfterMs };
    } catch (error) {
      record(isConflict(error) ? 'conflict' : 'failed', errorMessage(error));
      throw error;
    } finally {
      this.#release(key);
    }
  }

  /** Lists after breaks of watches. An update that a list has found may contain changes of others besides an own write. */
  get #relists(): number {
    let relists = 0;
    for (const source of this.#sources.values()) relists += source.relists;
    return relists;
  }

  /** Passes on what came during the run, without what the run has written. */
  #release(key: string): void {
    const { relists, reasons = [] } = this.#held.end(key) ?? {};
    const exact = relists === this.#relists;
    for (const reason of reasons) if (!exact || !this.#isOwnWrite(reason)) this.#add(key, reason);
  }

  #isOwnWrite({ type, resource, object, resourceVersion }: ReconcileReason): boolean {
    if (resource === undefined || object === undefined || type === 'deleted') return false;
    if (this.#parts.options.ownWrites === true) return false;
    if (!this.#ownWrites.wrote(resource, object, resourceVersion)) return false;
    const source = this.#sources.get(resource);
    if (source === undefined || source.merges) return false;
    source.countOwnWrite();
    return true;
  }
}
