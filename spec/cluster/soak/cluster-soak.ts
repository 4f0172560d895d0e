import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { startCluster, type Cluster } from '../../../lib/cluster/cluster.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { randomInteger, seededRandom } from '../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { prefixEnd } from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { LedgerRuntime } from '../../soak/ledger-runtime.ts';
import { heapUsed } from '../../support/heap-used.ts';

/** The holdings of a cluster that is idle and has no workload. */
export interface Holdings {
  /** Timers that are set. */
  readonly timers: number;
  readonly keys: number;
  /** Objects in the caches of the server. */
  readonly cached: number;
  readonly watchers: number;
  /** The state of controllers, queues, scheduler and nodes, without counters. */
  readonly state: string;
  /** After a collection. */
  readonly heapBytes: number;
}

export interface ClusterSoakReport {
  readonly begin: Holdings;
  readonly end: Holdings;
  /** How often each operation was done. */
  readonly operations: Readonly<Record<string, number>>;
  readonly writes: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Events are kept for an hour, and each minute those that are older go. */
const CLEAN_MS = HOUR_MS + 10 * MINUTE_MS;
const MOST_DEPLOYMENTS = 6;
const MOST_REPLICAS = 6;
const NODES = ['node-1', 'node-2', 'node-3'];
const IMAGES = ['web:1', 'web:2', 'web:3', 'crash:1', 'missing:1', 'slow:1'];
const RULES = [
  { match: { image: /crash/ }, runsForMs: 2000, exitCode: 1 },
  { match: { image: /missing/ }, pullError: 'not found' },
  { match: { image: /slow/ }, readyAfterMs: 90_000 },
];
const ROOT = '/registry/';

export interface ClusterSoakOptions {
  readonly seed: number;
  /** Virtual hours of random work whose traces are looked for. */
  readonly hours: number;
  /** Hours of the same before, in which bounded caches and histories fill. @defaultValue 0 */
  readonly warmUpHours?: number | undefined;
  /** After each hour, counted from the first one of the warm-up. */
  readonly onHour?:
    | ((hour: number, operations: ClusterSoakReport['operations']) => void)
    | undefined;
}

/**
 * A cluster in virtual time whose Deployments are created, scaled, updated and deleted at random while containers crash and nodes are lost.
 * All is deleted in the end: then the cluster should hold what it held after a first round of the same.
 */
export async function runClusterSoak({
  seed,
  hours,
  warmUpHours = 0,
  onHour,
}: ClusterSoakOptions): Promise<ClusterSoakReport> {
  const virtual = new VirtualRuntime({ seed });
  const runtime = new LedgerRuntime(virtual);
  const store = new EmbeddedKeyValueStore({ runtime });
  const soak = async (): Promise<ClusterSoakReport> => {
    await using cluster = await startCluster({
      controllers: 'workloads',
      nodes: NODES.length,
      containers: RULES,
      runtime,
      earlierStore: store,
      logger: silentLogger,
    });
    const transport = inProcessTransport(cluster.server.handler);
    await using client = new Client({ transport, runtime, onWarning: () => {} });
    const rollouts = new Rollouts(cluster, client, runtime, seed);
    let hour = 0;
    const work = async (until: number): Promise<Holdings> => {
      while (hour < until) {
        await rollouts.random(HOUR_MS);
        hour += 1;
        onHour?.(hour, rollouts.operations);
      }
      await rollouts.clear();
      return await held(cluster, store, runtime);
    };
    await rollouts.each();
    const begin = await work(warmUpHours);
    const end = await work(warmUpHours + hours);
    const { revision } = await store.range({ key: ROOT, limit: 1 });
    return { begin, end, operations: rollouts.operations, writes: Number(revision) };
  };
  return await virtual.run(soak, { limitMs: (warmUpHours + hours + 24) * HOUR_MS });
}

type Operation = 'create' | 'scale' | 'update' | 'delete' | 'crash' | 'fail' | 'recover';

/** A user who rolls out, and the faults beside. */
class Rollouts {
  readonly operations: Record<string, number> = {};
  readonly #cluster: Cluster;
  readonly #client: Client;
  readonly #runtime: LedgerRuntime;
  readonly #random: { readonly random: () => number };
  readonly #names = new Set<string>();
  readonly #lost = new Set<string>();

  constructor(cluster: Cluster, client: Client, runtime: LedgerRuntime, seed: number) {
    this.#cluster = cluster;
    this.#client = client;
    this.#runtime = runtime;
    this.#random = { random: seededRandom(`rollouts ${seed}`) };
  }

  /** Each operation once, with time to do all that follows. */
  async each(): Promise<void> {
    for (const operation of ['create', 'scale', 'update', 'crash', 'fail', 'recover'] as const) {
      await this.#do(operation);
      await sleep(this.#runtime, 10 * MINUTE_MS);
    }
  }

  async random(forMs: number): Promise<void> {
    const endMs = this.#runtime.monotonicMs() + forMs;
    const all: readonly Operation[] = [
      'create',
      'create',
      'scale',
      'update',
      'update',
      'delete',
      'crash',
      'fail',
      'recover',
      'recover',
    ];
    while (this.#runtime.monotonicMs() < endMs) {
      await this.#do(this.#oneOf(all) ?? 'create');
      await sleep(this.#runtime, randomInteger(this.#random, 1, 15 * MINUTE_MS));
    }
  }

  /** Deletes all, and waits until nothing of it is left. */
  async clear(): Promise<void> {
    while (this.#lost.size > 0) await this.#do('recover');
    while (this.#names.size > 0) await this.#do('delete');
    await sleep(this.#runtime, CLEAN_MS);
    await this.#cluster.settled();
  }

  async #do(operation: Operation): Promise<void> {
    if (await this[operation]()) this.operations[operation] = (this.operations[operation] ?? 0) + 1;
  }

  async create(): Promise<boolean> {
    // One that is deleted in the foreground is there until its pods are gone.
    const present = new Set((await this.#deployments.list()).items.map(nameOf));
    const all = Array.from({ length: MOST_DEPLOYMENTS }, (_, index) => `app-${index}`);
    const name = this.#oneOf(all.filter((one) => !present.has(one)));
    if (name === undefined) return false;
    const labels = { app: name };
    const spec = {
      ...this.#template(labels),
      selector: { matchLabels: labels },
      replicas: this.#replicas(),
    };
    await this.#deployments.create({ metadata: { name }, spec });
    const ports = [{ port: 80 }];
    await this.#services.create({ metadata: { name }, spec: { selector: labels, ports } });
    this.#names.add(name);
    return true;
  }

  async scale(): Promise<boolean> {
    const name = this.#oneOf([...this.#names]);
    if (name === undefined) return false;
    await this.#deployments.patch(name, { spec: { replicas: this.#replicas() } });
    return true;
  }

  async update(): Promise<boolean> {
    const name = this.#oneOf([...this.#names]);
    if (name === undefined) return false;
    await this.#deployments.patch(name, { spec: this.#template({ app: name }) });
    return true;
  }

  async delete(): Promise<boolean> {
    const name = this.#oneOf([...this.#names]);
    if (name === undefined) return false;
    const propagationPolicy = this.#oneOf(['Background', 'Foreground'] as const);
    await this.#deployments.delete(name, { propagationPolicy });
    await this.#services.delete(name);
    this.#names.delete(name);
    return true;
  }

  async crash(): Promise<boolean> {
    const { items } = await this.#client.resource('v1', 'pods', { namespace: 'default' }).list();
    const running = items.filter(
      ({ spec, status }) =>
        status?.containerStatuses?.[0]?.state?.running !== undefined &&
        !this.#lost.has(spec?.nodeName ?? ''),
    );
    const pod = this.#oneOf(running);
    if (pod === undefined) return false;
    this.#cluster.pods.crash({ namespace: 'default', name: pod.metadata.name, exitCode: 3 });
    return true;
  }

  async fail(): Promise<boolean> {
    const name = this.#oneOf(NODES.filter((one) => !this.#lost.has(one)));
    if (name === undefined) return false;
    await this.#cluster.nodes.fail(name);
    this.#lost.add(name);
    return true;
  }

  async recover(): Promise<boolean> {
    const name = this.#oneOf([...this.#lost]);
    if (name === undefined) return await Promise.resolve(false);
    this.#cluster.nodes.recover(name);
    this.#lost.delete(name);
    return true;
  }

  get #deployments() {
    return this.#client.resource('apps/v1', 'deployments', { namespace: 'default' });
  }

  get #services() {
    return this.#client.resource('v1', 'services', { namespace: 'default' });
  }

  #template(labels: Readonly<Record<string, string>>) {
    const image = `registry.example.com/${this.#oneOf(IMAGES) ?? ''}`;
    return { template: { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } } };
  }

  #replicas(): number {
    return randomInteger(this.#random, 0, MOST_REPLICAS);
  }

  #oneOf<One>(all: readonly One[]): One | undefined {
    return all[Math.floor(this.#random.random() * all.length)];
  }
}

function nameOf({ metadata }: { readonly metadata: { readonly name: string } }): string {
  return metadata.name;
}

async function held(
  cluster: Cluster,
  store: EmbeddedKeyValueStore,
  runtime: LedgerRuntime,
): Promise<Holdings> {
  const { items } = await store.range({ key: ROOT, rangeEnd: prefixEnd(ROOT) });
  const { resources } = await cluster.server.inspect();
  const caches = resources.flatMap(({ cache }) => cache ?? []);
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  return {
    timers: runtime.timers,
    keys: items.length,
    cached: sum(caches.map(({ objectCount }) => objectCount)),
    watchers: sum(caches.map(({ watcherCount }) => watcherCount)),
    state: JSON.stringify(cluster.inspect(), undefined, 1),
    heapBytes: heapUsed(),
  };
}
