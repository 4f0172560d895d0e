import { SharedIndexInformer } from '../../../../lib/cache/informer/shared-index-informer.ts';
import type { Client } from '../../../../lib/client/rest/client.ts';
import { connect, type ConnectOptions } from '../../../../lib/client/rest/connect.ts';
import { silentLogger, type Logger } from '../../../../lib/kernel/report/logger.ts';
import { seededRandom } from '../../../../lib/kernel/time/random.ts';
import { Observer, type Change } from '../../../path/support/observer.ts';
import { HANG_MS, until } from '../../../support/until.ts';
import type { TriedCluster } from './cluster.ts';
import type { MatrixRow } from './matrix-row.ts';
import { SteadyWriter, type ConfigMap } from './steady-writer.ts';

/** How a client gets in with one kind of credential. */
export interface WayIn extends AsyncDisposable {
  readonly options: ConnectOptions;
  /**
   * Puts the next credential in place and has the cluster refuse the one before. Left out: the credential is a constant of the
   * configuration, and watches are only ended.
   */
  readonly rotate?: (() => Promise<void>) | undefined;
}

/** A way in with nothing to close. */
export function wayInOf(options: WayIn['options'], rotate?: WayIn['rotate']): WayIn {
  return { options, rotate, [Symbol.asyncDispose]: () => Promise.resolve() };
}

export interface TrialOptions {
  readonly kind: string;
  readonly cluster: TriedCluster;
  readonly wayIn: WayIn;
  /** A client that writes past the credential, in the namespace of the cluster. */
  readonly writer: Client;
  readonly rotations: number;
  /** @defaultValue nothing is logged */
  readonly logger?: Logger | undefined;
}

const CALLS = 100;
/** Between two rotations, and after the last one. */
const WRITES_BETWEEN = 20;

/**
 * An informer lists and watches while a writer writes without a pause; the credential rotates, and each time the running
 * watches are ended, so that the informer has to present the new one.
 */
export async function runTrial(options: TrialOptions): Promise<MatrixRow> {
  const { kind, cluster, wayIn, rotations } = options;
  // Before the credential rotates: a refresh token can be used once.
  const connectionsOfCalls = await hundredCalls(cluster, wayIn.options);
  await using trial = new Trial(options);
  await trial.begin();
  for (let round = 0; round < rotations; round += 1) await trial.rotate(round);
  const findings = await trial.end();
  const { unauthorized } = await cluster.counts();
  await until('no connection is left', () => cluster.openConnections() === 0);
  const rotates = wayIn.rotate !== undefined;
  return {
    kind,
    checker: cluster.checker,
    rotations: rotates ? rotations : 0,
    cuts: rotates ? 0 : rotations,
    unauthorized,
    connectionsOfCalls,
    ...findings,
  };
}

type Findings = Pick<
  MatrixRow,
  'listed' | 'events' | 'relists' | 'missed' | 'repeated' | 'complaints'
>;

class Trial implements AsyncDisposable {
  readonly #options: TrialOptions;
  readonly #observers = [new Observer('whole objects'), new Observer('keys only')] as const;
  readonly #writer: SteadyWriter;
  #reader: Client | undefined;
  #informer: SharedIndexInformer<ConfigMap> | undefined;
  #listed = 0;
  #relists = 0;

  constructor(options: TrialOptions) {
    this.#options = options;
    const { writer, cluster, kind } = options;
    const { namespace } = cluster;
    const configMaps = writer.resource<ConfigMap>('v1', 'configmaps', { namespace });
    this.#writer = new SteadyWriter(configMaps, seededRandom(kind));
  }

  /** The informer has its first list, and writes begin. */
  async begin(): Promise<void> {
    const { wayIn, cluster } = this.#options;
    await this.#writer.fill();
    this.#reader = await connect({
      ...wayIn.options,
      userAgent: cluster.userAgent,
      logger: silentLogger,
    });
    this.#informer = new SharedIndexInformer<ConfigMap>({
      listerWatcher: this.#reader.listerWatcher<ConfigMap>(
        { apiVersion: 'v1', resource: 'configmaps' },
        { namespace: cluster.namespace },
      ),
      // The waits of client-go would take minutes.
      backoff: { baseMs: 5, capMs: 50 },
      logger: this.#options.logger ?? silentLogger,
    });
    this.#informer.addHandler(this.#observers[0].objectHandler());
    this.#informer.addHandler(this.#observers[1].metadataHandler());
    this.#informer.events.on('relist', () => (this.#relists += 1));
    void this.#informer.run().catch(() => {});
    await this.#informer.whenSynced({ timeoutMs: HANG_MS });
    this.#listed = this.#informer.indexer.keys().length;
    this.#writer.start();
  }

  async rotate(round: number): Promise<void> {
    const { wayIn, cluster } = this.#options;
    await this.#moreWrites();
    await wayIn.rotate?.();
    const { watches } = await cluster.counts();
    cluster.cut(round % 2 === 0 ? 'reset' : 'end');
    await until('the informer watches again', async () => {
      this.#writer.rethrow();
      return (await cluster.counts()).watches > watches;
    });
  }

  async end(): Promise<Findings> {
    await this.#moreWrites();
    await this.#writer.stop();
    const { alive } = this.#writer;
    await until('every handler has caught up', () =>
      this.#observers.every((observer) => observer.matches(alive)),
    );
    const { length: events } = this.#observers[0].seen;
    const findings = this.#check();
    await this[Symbol.asyncDispose]();
    return { listed: this.#listed, events: events - this.#listed, ...findings };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer[Symbol.asyncDispose]();
    await this.#informer?.close();
    await this.#reader?.close();
  }

  async #moreWrites(): Promise<void> {
    const enough = this.#writer.history.length + WRITES_BETWEEN;
    await until('the writer goes on', () => {
      this.#writer.rethrow();
      return this.#writer.history.length >= enough;
    });
    const before = this.#observers[0].seen.length;
    await until('the watch goes on', () => this.#observers[0].seen.length > before);
  }

  #check(): Pick<Findings, 'relists' | 'missed' | 'repeated' | 'complaints'> {
    const relists = this.#relists;
    const { history, alive } = this.#writer;
    const complaints = this.#observers.flatMap((observer) =>
      observer.violations(history, { exact: true }),
    );
    const cached = this.#informer!.indexer.list();
    const differs = cached.filter(
      ({ metadata }) =>
        alive.get(metadata.name)?.metadata?.resourceVersion !== metadata.resourceVersion,
    );
    if (cached.length !== alive.size || differs.length > 0) {
      complaints.push(`the cache has ${cached.length} objects, the server ${alive.size}`);
    }
    return {
      relists,
      missed: this.#sum((seen) => without(history, seen)),
      repeated: this.#sum((seen) => without(seen, history)),
      complaints,
    };
  }

  #sum(differenceOf: (seen: readonly Change[]) => readonly Change[]): number {
    return this.#observers.reduce((sum, { seen }) => sum + differenceOf(seen).length, 0);
  }
}

/** A client of its own makes one call after the other. Returns the connections that they opened. */
async function hundredCalls(cluster: TriedCluster, options: ConnectOptions): Promise<number> {
  const { connections } = await cluster.counts();
  const { userAgent } = cluster;
  await using client = await connect({ ...options, userAgent, logger: silentLogger });
  const { namespace } = cluster;
  const configMaps = client.resource<ConfigMap>('v1', 'configmaps', { namespace });
  for (let call = 0; call < CALLS; call += 1) await configMaps.list({ limit: 1 });
  return (await cluster.counts()).connections - connections;
}

/** `all` without one item for each of `known`. The writer does not know the version of a deletion. */
function without(all: readonly Change[], known: readonly Change[]): Change[] {
  const nameOf = ({ type, key, resourceVersion }: Change): string =>
    `${type} ${key} ${type === 'delete' ? '' : resourceVersion}`;
  const counts = new Map<string, number>();
  for (const change of known) counts.set(nameOf(change), (counts.get(nameOf(change)) ?? 0) + 1);
  return all.filter((change) => {
    const left = counts.get(nameOf(change)) ?? 0;
    counts.set(nameOf(change), left - 1);
    return left <= 0;
  });
}
