import type { WaitOptions } from '../../cache/informer/handlers/handler-registration.ts';
import type { Client } from '../../client/rest/client.ts';
import type { WriteFence } from '../../client/transport/contract/write-fence.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { guardedLogger } from '../../kernel/report/guarded-logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { onAbort } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import type { AnyController } from '../manager/managed-parts.ts';
import { checkedControllers, ClusterMember, type MemberInspection } from './cluster-member.ts';

/** One cluster, as the function of a `ClusterSet` gets it. */
export interface MemberCluster<Types extends object = object> {
  readonly name: string;
  readonly client: Client<Types>;
}

export interface ClusterSetOptions {
  /** Names it in a `Manager`. @defaultValue `clusters` */
  readonly name?: string | undefined;
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
}

const CLUSTER_SET = optionsOf<ClusterSetOptions>()('ClusterSet', {
  name: is.filledText().default('clusters'),
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
});

/**
 * Runs the same controllers for each of several clusters, which are added and removed while it runs. A `Manager` can run it.
 *
 * Guarantees:
 * - Each cluster has controllers of its own: queues, limits and informers. A cluster that is slow, down or refuses its credentials does not
 *   delay another one; its controllers are made again, after a pause that grows from a second to a minute.
 * - When a cluster is removed, its queues are emptied, its informers end, and its running reconciles may end within their
 *   `shutdownTimeoutMs`. A cluster of the same name begins after that.
 *
 * Not guaranteed: that an object of a removed cluster is cleaned up. Finalizers of the controller stay on its objects.
 *
 * @example
 * const clusters = new ClusterSet(({ name, client }) =>
 *   controller(client, 'v1', 'configmaps', { name: `maps-${name}` }).reconcile(async (map) => {
 *     console.log(name, map.metadata.name);
 *   }),
 * );
 * clusters.add('east', await connect({ context: 'east' }));
 * await clusters.run({ signal });
 */
export class ClusterSet<Types extends object = object> implements AsyncDisposable {
  readonly name: string;
  readonly #controllersOf: (
    cluster: MemberCluster<Types>,
  ) => AnyController | readonly AnyController[];
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #members = new Map<string, ClusterMember>();
  /** Removed members that have not ended, by name. */
  readonly #leaving = new Map<string, Promise<unknown>>();
  readonly #stopping = new Latch('the cluster set to be stopped');
  #phase: 'new' | 'running' | 'stopped' = 'new';
  #isDraining = false;
  #fence: WriteFence | undefined;
  #metrics: Metrics | undefined;

  /**
   * @param controllersOf makes the controllers of a cluster: when the cluster begins, and again after each failure of one of them
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  constructor(
    controllersOf: (cluster: MemberCluster<Types>) => AnyController | readonly AnyController[],
    options: ClusterSetOptions = {},
  ) {
    if (typeof controllersOf !== 'function') {
      const text = `ClusterSet must get a function that makes the controllers of a cluster, not ${typeof controllersOf}`;
      throw new ListwatchError('INVALID_OPTION', text);
    }
    const { name, runtime, logger } = CLUSTER_SET.read(options);
    this.#controllersOf = controllersOf;
    this.name = name;
    this.#runtime = runtime;
    this.#logger = guardedLogger(logger);
  }

  /** The clusters that have been added and not removed, in the order of their addition. */
  get clusters(): readonly string[] {
    return [...this.#members.keys()];
  }

  /**
   * Adds a cluster; in a set that runs, its controllers begin at once. The same cluster with the same client is added once. The client
   * stays the caller's, who closes it after the removal.
   * @throws {ListwatchError} code NAME_TAKEN when the name has another client, or a controller the name of another; CLOSED when the set
   * has stopped; INVALID_OPTION; and what the function throws.
   */
  add(name: string, client: Client<Types>): void {
    if (this.#phase === 'stopped' || this.#isDraining || this.#stopping.isOpen) {
      throw new ListwatchError('CLOSED', `${this.name}: the set has been stopped; make a new one`);
    }
    checkCluster(name, client);
    const present = this.#members.get(name);
    if (present?.client === client) return;
    if (present !== undefined) {
      const text = `${this.name}: there is a cluster named ${JSON.stringify(name)} with another client: remove it first`;
      throw new ListwatchError('NAME_TAKEN', text);
    }
    const member = new ClusterMember({
      name,
      client,
      make: () => this.#make(name, client),
      metrics: () => this.#metrics,
      runtime: this.#runtime,
      logger: this.#logger,
    });
    if (this.#phase === 'running') member.start(this.#leaving.get(name));
    this.#members.set(name, member);
  }

  /**
   * Removes a cluster: its keys are dropped at once, its informers end, and running reconciles may end. Returns whether there was one.
   * @throws {ListwatchError} code TIMEOUT naming the runs that did not end in time.
   */
  async remove(name: string): Promise<boolean> {
    const member = this.#members.get(name);
    if (member === undefined) {
      await this.#leaving.get(name);
      return false;
    }
    this.#members.delete(name);
    const before = this.#leaving.get(name);
    const end = ended(member, before);
    this.#leaving.set(name, end);
    try {
      await end;
    } finally {
      if (this.#leaving.get(name) === end) this.#leaving.delete(name);
    }
    return true;
  }

  /**
   * Runs until the signal aborts or `close` is called; then removes all clusters.
   * @throws {ListwatchError} code ALREADY_STARTED; TIMEOUT naming the runs that did not end in time; and what the function throws for a
   * cluster that was added before.
   */
  async run({
    signal,
    fence,
  }: {
    readonly signal?: AbortSignal | undefined;
    readonly fence?: WriteFence | undefined;
  } = {}): Promise<void> {
    if (this.#phase !== 'new') {
      throw new ListwatchError('ALREADY_STARTED', `${this.name}: a cluster set runs once`);
    }
    this.#phase = 'running';
    this.#fence = fence;
    const release = onAbort(signal, () => this.#stopping.open());
    try {
      for (const member of this.#members.values()) member.start(undefined);
      await this.#stopping.opened;
    } finally {
      release();
      this.#stopping.open();
      await this.#removeAll();
      this.#phase = 'stopped';
    }
  }

  /**
   * Stops with care: no further run begins in any cluster, and running ones may end undisturbed, at the latest when `timeoutMs` is over or the
   * signal aborts. `run` goes on until its signal aborts. A `Manager` calls it.
   */
  async drain(options: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  }): Promise<void> {
    this.#isDraining = true;
    await Promise.all([...this.#members.values()].map((member) => member.drain(options)));
  }

  /**
   * Resolves when the first lists of a cluster are read and its reconciles begin. It may fail later.
   * @throws {ListwatchError} code TIMEOUT with the last failure; CLOSED for a cluster that is not in the set.
   */
  async whenClusterReady(name: string, { timeoutMs, signal }: WaitOptions = {}): Promise<void> {
    const member = this.#members.get(name);
    const gone = `${this.name} has no cluster ${JSON.stringify(name)}: it has not been added, or was removed`;
    if (member === undefined) throw new ListwatchError('CLOSED', gone);
    await untilOpen(this.#runtime, [member.ready, member.ended], {
      timeoutMs,
      signal,
      describe: () => `${member.ready.name}: ${member.lastError ?? 'their first lists'}`,
    });
    if (!member.ready.isOpen) throw new ListwatchError('CLOSED', gone);
  }

  /** See `Runnable`. */
  reportTo(metrics: Metrics): void {
    this.#metrics = metrics;
  }

  /** The state of each cluster at this moment. */
  inspect(): readonly MemberInspection[] {
    return Array.from(this.#members.values(), (member) => member.inspect());
  }

  /** Stops, and resolves when all clusters have ended. May be called again. */
  async close(): Promise<void> {
    this.#stopping.open();
    if (this.#phase === 'new') this.#phase = 'stopped';
    await this.#removeAll().catch(() => {});
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #make(name: string, client: Client<Types>): readonly AnyController[] {
    const others = [...this.#members.values()].filter((member) => member.name !== name);
    const taken = others.flatMap(({ controllerNames }) => controllerNames);
    const fence = this.#fence;
    const fenced = fence === undefined ? client : client.fencedBy(withoutHeaders(fence));
    return checkedControllers(this.#controllersOf({ name, client: fenced }), name, taken);
  }

  /** One that did not end in time does not keep the others from their end. */
  async #removeAll(): Promise<void> {
    const ends = [...this.#members.keys()].map((name) => this.remove(name));
    const results = await Promise.allSettled([...ends, ...this.#leaving.values()]);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

/** With the one of its name that was removed before it. */
async function ended(member: ClusterMember, before: Promise<unknown> | undefined): Promise<void> {
  try {
    await member.stop();
  } finally {
    await before?.catch(() => {});
  }
}

/** The lease is of another cluster than the one that is written to, whose server could not find it. */
function withoutHeaders(fence: WriteFence): WriteFence {
  return {
    check: () => {
      fence.check();
    },
    get validUntilMs(): number {
      return fence.validUntilMs;
    },
    lost: fence.lost,
    headers: {},
    refused: () => fence.refused(),
  };
}

function checkCluster(name: unknown, client: unknown): void {
  if (typeof name !== 'string' || !/^[^:/\s]+$/.test(name)) {
    const text = `ClusterSet.add: a cluster needs a name without colon, slash and space, not ${JSON.stringify(name)}`;
    throw new ListwatchError('INVALID_OPTION', text);
  }
  if (typeof client === 'object' && client !== null && 'resource' in client) return;
  const text = `ClusterSet.add: the cluster ${name} needs a client, of \`await connect(…)\``;
  throw new ListwatchError('INVALID_OPTION', text);
}
