import { SharedInformerFactory } from '../../cache/informer/factory/shared-informer-factory.ts';
import type { WaitOptions } from '../../cache/informer/handlers/handler-registration.ts';
import type { Client } from '../../client/rest/client.ts';
import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import { requireClient } from '../../kernel/options/require-client.ts';
import { guardedLogger } from '../../kernel/report/guarded-logger.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { PrometheusMetrics } from '../../kernel/report/prometheus-metrics.ts';
import { onAbort } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';
import type { SignalSource } from '../../kernel/time/real-process.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import { ShardMember } from '../sharding/shard-member.ts';
import { LeaderElector } from '../election/leader-elector.ts';
import { EndpointServer } from './endpoint-server.ts';
import { Leadership } from './leadership.ts';
import {
  adapterOf,
  refusal,
  PART_KINDS,
  type AnyController,
  type ManagedPart,
  type PartKind,
} from './managed-parts.ts';
import type { Check } from './health-checks.ts';
import { ManagedRun } from './managed-run.ts';
import { managerPages } from './manager-pages.ts';
import type { ManagerInspection } from './manager-inspection.ts';
import { prometheusMetrics } from './manager-metrics.ts';
import { MANAGER, type ManagerOptions } from './manager-options.ts';
import { Shutdown } from './shutdown.ts';

/** npm and npx pass on an interrupt that the terminal has sent to the program already. */
const SAME_INTERRUPT_MS = 1000;

/**
 * Runs controllers, informers and other work of a program together, from its start to its orderly end.
 *
 * Guarantees:
 * - Start: webhooks, then caches, then runnables, then controllers; each group when those before it are ready. Webhooks may take their
 *   time to be ready when they listen, because they may wait for the caches.
 * - Stop, in the other order: no further reconcile begins, and running ones may end; then runnables, after their `drain`, caches and
 *   webhooks; the endpoints last. It takes at most `shutdownTimeoutMs`, and `run` rejects with the names of what has not ended by then.
 * - The first SIGINT or SIGTERM stops it with care, a second one ends the process at once.
 * - If a part fails, all others are stopped, and `run` rejects with its error.
 * - With `leaderElection`: caches are filled on each replica, and runnables and reconciles begin only on the leader. On a stop they end
 *   while the lease is held; then it is given back. When it is lost, they are cut off, and `run` rejects with LEADERSHIP_LOST.
 *
 * Not guaranteed: that a part which ignores its signal ends. It is named, and left to the end of the process.
 *
 * @example
 * await using manager = new Manager(client, { endpoints: { port: 8080, host: '0.0.0.0' } });
 * manager.add(sites, pages);
 * await manager.run();
 */
export class Manager<Types extends object = object> implements AsyncDisposable {
  /** The source of `/metrics`; controllers that are added report to it, unless they have other metrics. */
  readonly metrics: PrometheusMetrics;
  readonly #client: Client<Types>;
  readonly #options: ManagerOptions;
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #signals: SignalSource | undefined;
  readonly #shutdownTimeoutMs: number;
  readonly #startTimeoutMs: number;
  readonly #runs: ManagedRun[] = [];
  readonly #controllers: AnyController[] = [];
  readonly #endpoints: EndpointServer | undefined;
  readonly #leadership: Leadership | undefined;
  readonly #shard: ShardMember | undefined;
  readonly #ready = new Latch('the manager to be ready');
  readonly #stopping = new Latch('the manager to be stopped');
  readonly #ended = new Latch('the manager to end');
  /** Aborts when a second signal comes. */
  readonly #hurry = new AbortController();
  #informers: SharedInformerFactory<Types> | undefined;
  #phase: ManagerInspection['phase'] = 'new';
  #stopReason: string | undefined;
  #failure: { readonly error: unknown } | undefined;
  #signalledAtMs: number | undefined;
  #secondSignal: string | undefined;
  #leads = false;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(client: Client<Types>, options: ManagerOptions = {}) {
    requireClient('Manager', client, 'resource');
    const read = MANAGER.read(options);
    this.#client = client;
    this.#options = read;
    this.#runtime = read.runtime;
    this.#logger = guardedLogger(read.logger);
    this.#signals = read.signals === false ? undefined : read.signals;
    this.#shutdownTimeoutMs = read.shutdownTimeoutMs;
    this.#startTimeoutMs = read.startTimeoutMs;
    this.metrics = read.metrics ?? prometheusMetrics();
    this.#leadership = this.#leadershipOf(client);
    this.#shard = this.#shardOf(client);
    if (read.endpoints !== undefined) this.#endpoints = this.#endpointServer();
  }

  /** Informers of the client that controllers can share, as their option `informers`; the manager starts and stops them. */
  get informers(): SharedInformerFactory<Types> {
    if (this.#informers === undefined) {
      const { metrics } = this;
      const options = { runtime: this.#runtime, logger: this.#logger, metrics };
      this.#informers = new SharedInformerFactory<Types>(this.#client, options);
      this.#add(this.#informers);
    }
    return this.#informers;
  }

  /** Where the endpoints are, `http://127.0.0.1:8080`; undefined before `run`, and without them. */
  get url(): string | undefined {
    return this.#endpoints?.url;
  }

  /**
   * Adds controllers, informers, factories of informers and runnables. What is added while the manager runs begins at once.
   * @throws {ListwatchError} code NAME_TAKEN when a controller or runnable has the name of another; CLOSED when the manager stops;
   * INVALID_OPTION for anything else.
   */
  add(...parts: readonly ManagedPart[]): this {
    for (const part of parts) this.#add(part);
    return this;
  }

  /**
   * Runs all parts until the signal aborts, SIGINT or SIGTERM comes, or a part fails; then stops them.
   * @throws the error of the part that failed. {ListwatchError} code LEADERSHIP_LOST and what else `LeaderElector.run` throws; TIMEOUT
   * naming what did not stop in time; ABORTED after a second signal; ALREADY_STARTED; PORT_IN_USE or LISTEN_FAILED of the endpoints.
   */
  async run({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.#phase !== 'new') {
      throw new ListwatchError('ALREADY_STARTED', 'a manager runs once; make a new one');
    }
    this.#phase = 'starting';
    const releases = [
      onAbort(signal, () => this.#stop('the signal aborted')),
      this.#signals?.listen((name) => this.#signalled(name)),
    ];
    try {
      await this.#start();
      this.#campaign();
      await this.#stopping.opened;
    } catch (error) {
      this.#fail('the endpoints', error);
    }
    const left = await this.#shutDown();
    for (const release of releases) release?.();
    this.#phase = 'stopped';
    this.#ended.open();
    this.#throwFor(left);
  }

  /**
   * Resolves when all parts are ready.
   * @throws {ListwatchError} code TIMEOUT naming what is missing; CLOSED when the manager stops before.
   */
  async whenReady({ timeoutMs, signal }: WaitOptions = {}): Promise<void> {
    await untilOpen(this.#runtime, [this.#ready, this.#stopping], {
      timeoutMs,
      signal,
      describe: () => `the manager: ${this.#missing() ?? 'run()'}`,
    });
    if (this.#stopping.isOpen) {
      throw new ListwatchError('CLOSED', `the manager stopped: ${this.#stopReason ?? ''}`);
    }
  }

  /** The state at this moment, with that of each controller. */
  inspect(): ManagerInspection {
    return {
      phase: this.#phase,
      stopReason: this.#stopReason,
      url: this.url,
      parts: this.#runs.map(({ name, kind, state, failure }) => ({ name, kind, state, failure })),
      controllers: this.#controllers.map((controller) => controller.inspect()),
      election: this.#leadership?.elector.inspect(),
      sharding: this.#shard?.inspect(),
    };
  }

  /** Stops as a signal does, and resolves when `run` has ended. May be called again. */
  async close(): Promise<void> {
    this.#stop('closed');
    if (this.#phase === 'new') {
      this.#phase = 'stopped';
      this.#ended.open();
      await this.#informers?.close();
    }
    await this.#ended.opened;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #add(part: ManagedPart): void {
    if (this.#stopping.isOpen) {
      throw new ListwatchError('CLOSED', 'the manager has been stopped: make a new one');
    }
    const adapter = adapterOf(part);
    if (adapter === undefined) {
      throw new ListwatchError('INVALID_OPTION', `Manager.add ${refusal(part)}`);
    }
    const { name, kind } = adapter;
    const taken = this.#runs.find((other) => other.name === name);
    if (taken !== undefined && kind !== 'cache') {
      throw new ListwatchError(
        'NAME_TAKEN',
        `Manager.add: there is a ${taken.kind} named ${name} already; give one of them another name, such as ${name}-2`,
      );
    }
    const run = new ManagedRun(
      adapter,
      taken === undefined ? name : this.#freeName(name),
      this.#runtime,
    );
    this.#runs.push(run);
    if ('shareWork' in part) {
      part.reportTo(this.metrics);
      const share = this.#leadership ?? this.#shard;
      if (share !== undefined) part.shareWork(share);
      this.#controllers.push(part);
    } else if ('reportTo' in part) part.reportTo?.(this.metrics);
    if (this.#leadership !== undefined && run.leaderOnly && !this.#leads) run.standBy();
    else if (this.#phase === 'running') this.#begin(run);
  }

  #shardOf(client: Client<Types>): ShardMember | undefined {
    const { sharding, leaderElection } = this.#options;
    if (sharding === undefined) return undefined;
    if (leaderElection !== undefined) {
      const text = 'Manager: option "sharding" excludes "leaderElection"; give one or the other';
      throw new ListwatchError('INVALID_OPTION', text);
    }
    const common = { runtime: this.#runtime, logger: this.#logger, metrics: this.metrics };
    return new ShardMember(client, { ...sharding, ...common });
  }

  #leadershipOf(client: Client<Types>): Leadership | undefined {
    const { leaderElection } = this.#options;
    if (leaderElection === undefined) return undefined;
    const elector = new LeaderElector(client, {
      drainTimeoutMs: this.#shutdownTimeoutMs,
      ...leaderElection,
      runtime: this.#runtime,
      logger: this.#logger,
      metrics: this.metrics,
    });
    return new Leadership(elector);
  }

  /** A controller may wait for long, such as for a definition that a runnable of the leader brings; the election waits for none. */
  #campaign(): void {
    if (this.#stopping.isOpen) return;
    this.#shard?.run().catch((error: unknown) => this.#fail('sharding', error));
    this.#leadership?.start({
      onLeading: async () => {
        this.#leads = true;
        const group = this.#runs.filter(({ state }) => state === 'standby');
        for (const run of group) this.#begin(run);
        const ready = Promise.all(group.map((run) => run.ready.opened));
        await Promise.race([ready, this.#stopping.opened]);
      },
      onFailure: (error) => this.#fail('leader election', error),
    });
  }

  #freeName(name: string): string {
    for (let number = 2; ; number += 1) {
      const free = `${name}-${number}`;
      if (!this.#runs.some((run) => run.name === free)) return free;
    }
  }

  async #start(): Promise<void> {
    const { endpoints } = this.#options;
    if (endpoints !== undefined) await this.#endpoints?.listen(endpoints);
    for (const kind of PART_KINDS) {
      if (this.#stopping.isOpen) return;
      const group = this.#runs.filter((run) => run.kind === kind && run.state === 'waiting');
      for (const run of group) this.#begin(run);
      // Controllers may wait for long, such as for a definition; nothing waits for them.
      if (kind === 'controller') break;
      const started = Promise.all(group.map((run) => run.started.opened));
      await Promise.race([started, this.#stopping.opened]);
    }
    if (this.#stopping.isOpen) return;
    this.#phase = 'running';
    for (const run of this.#runs.filter(({ state }) => state === 'waiting')) this.#begin(run);
    const begun = this.#runs.filter(({ state }) => state !== 'standby');
    void Promise.all(begun.map((run) => run.ready.opened)).then(() => {
      if (!this.#stopping.isOpen) this.#ready.open();
    });
  }

  #begin(run: ManagedRun): void {
    run.start({
      readyTimeoutMs: run.kind === 'controller' ? undefined : this.#startTimeoutMs,
      fence: run.leaderOnly ? this.#leadership?.fence : undefined,
      onFailure: (error) => {
        this.#fail(run.name, error);
      },
      onLateFailure: (error) => {
        this.#logger.warn('manager: a part failed while it stopped', { part: run.name, error });
      },
    });
  }

  #stop(reason: string): void {
    if (this.#stopping.isOpen) return;
    this.#stopReason = reason;
    this.#stopping.open();
  }

  #fail(name: string, error: unknown): void {
    if (this.#failure === undefined && !this.#stopping.isOpen) this.#failure = { error };
    else this.#logger.error('manager: a further part failed', { part: name, error });
    this.#stop(`${name} failed: ${errorMessage(error)}`);
  }

  /** The second one ends the process at once, as the system does. */
  #signalled(name: string): void {
    const nowMs = this.#runtime.monotonicMs();
    this.#signalledAtMs ??= nowMs;
    if (!this.#stopping.isOpen) {
      this.#stop(name);
      return;
    }
    if (this.#hurry.signal.aborted || nowMs - this.#signalledAtMs < SAME_INTERRUPT_MS) return;
    this.#secondSignal = name;
    this.#hurry.abort();
  }

  /** Returns the names of what has not ended. */
  async #shutDown(): Promise<readonly string[]> {
    this.#phase = 'stopping';
    const shutdown = new Shutdown(this.#runtime, this.#shutdownTimeoutMs, this.#hurry.signal);
    // Writes of a lost lease are refused, so that there is nothing to wait for.
    const isLost = isListwatchError(this.#failure?.error, 'LEADERSHIP_LOST');
    const groupOf = (kind: PartKind): ManagedRun[] => this.#runs.filter((run) => run.kind === kind);
    const ofLeader = groupOf('runnable').filter(({ leaderOnly }) => leaderOnly);
    await shutdown.stop(groupOf('controller'), !isLost);
    await shutdown.stop(ofLeader, !isLost);
    await this.#leadership?.end([...groupOf('controller'), ...ofLeader].some((run) => run.isLeft));
    await this.#shard?.close({ timeoutMs: shutdown.leftMs });
    await shutdown.stop(groupOf('runnable'));
    await shutdown.stop(groupOf('cache'));
    // Reads of caches may need their conversions.
    await shutdown.stop(groupOf('webhooks'));
    await this.#endpoints?.close();
    return this.#runs.filter(({ isLeft }) => isLeft).map(({ name }) => name);
  }

  #throwFor(left: readonly string[]): void {
    const names = left.join(', ');
    const second = this.#secondSignal;
    if (second !== undefined) this.#signals?.kill(second);
    if (this.#failure !== undefined) {
      if (left.length > 0) this.#logger.error('manager: some parts still run', { parts: names });
      throw this.#failure.error;
    }
    if (left.length === 0) return;
    if (second !== undefined) {
      throw new ListwatchError(
        'ABORTED',
        `the manager got a second signal, ${second}; ${names} had not stopped`,
      );
    }
    throw new ListwatchError(
      'TIMEOUT',
      `the manager gave up after ${this.#shutdownTimeoutMs} ms waiting for ${names} to stop; pass the signal on to what they wait for, or raise shutdownTimeoutMs`,
    );
  }

  #missing(): string | undefined {
    const missing = this.#runs.filter(({ state }) => state === 'waiting' || state === 'starting');
    return missing.length === 0 ? undefined : missing.map(({ name }) => name).join(', ');
  }

  #endpointServer(): EndpointServer {
    const { readyChecks, registry } = this.#options;
    const ofElection: Record<string, Check> =
      this.#options.leaderElection === undefined
        ? {}
        : { 'leader-election': () => this.#leadership?.elector.check() };
    const ofSharding: Record<string, Check> =
      this.#options.sharding === undefined ? {} : { sharding: () => this.#shard?.check() };
    const healthChecks = { ...ofElection, ...ofSharding, ...this.#options.healthChecks };
    const pages = managerPages({
      runs: this.#runs,
      phase: () => this.#phase,
      metrics: this.metrics,
      registry,
      healthChecks,
      readyChecks,
      runtime: this.#runtime,
    });
    return new EndpointServer(pages, this.#logger);
  }
}
