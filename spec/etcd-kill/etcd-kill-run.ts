import { seededRandom } from '../../lib/kernel/time/random.ts';
import { realRuntime } from '../../lib/kernel/time/real-runtime.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import { Compactor, EtcdKeyValueStore } from '../../lib/server/etcd/etcd-key-value-store.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import type { Revision } from '../../lib/server/mvcc/contract/key-value-store.ts';
import { HistoryRecorder } from '../../lib/conformance/history/history-recorder.ts';
import { RecordingKeyValueStore } from '../../lib/conformance/history/recording-key-value-store.ts';
import { EtcdCluster } from '../support/etcd.ts';
import { HANG_MS, until } from '../support/until.ts';
import { ApiExperience, ApiFrontEnd, writeConfigMaps } from './api-traffic.ts';
import type { EtcdKillOptions } from './etcd-kill-options.ts';
import { checkEvidence, type Findings } from './findings.ts';
import { Nemesis } from './nemesis.ts';
import { RAW_PREFIX, RawClient, SteadyWatcher, watchHereAndThere } from './raw-traffic.ts';

/** Everything that is written: raw keys, objects, the key of the compactors. */
const EVERYTHING = { key: '/', rangeEnd: 'd' } as const;
const SIZE = 3;
const ELECTIONS = ['--heartbeat-interval=50', '--election-timeout=500'];
const STORE_TIMEOUTS = { requestTimeoutMs: 4_000, memberTimeoutMs: 1_000 } as const;
const API_TIMEOUT_MS = 8_000;
const COMPACTION_MS = 6_000;
const PROGRESS_MS = 2_000;
/** Each server has two, so that they meet on the same objects. */
const WRITERS_A_SERVER = 2;

export interface EtcdKillReport extends Findings {
  readonly binary: string;
  readonly seed: string;
  readonly kills: number;
  readonly attacks: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly slowestRecoveryMs: number;
  /** From the last restart until every watch, cache and informer had everything, milliseconds. */
  readonly convergedMs: number;
  readonly finalRevision: string;
  readonly steadyRestarts: number;
  readonly relists: number;
  readonly api: {
    readonly requests: number;
    readonly acknowledgedWrites: number;
    readonly failures: Readonly<Record<string, number>>;
    readonly reportedUnknown: number;
    readonly slowestMs: number;
    /** Failures without a Status, and answers that took longer than they may. */
    readonly violations: readonly string[];
  };
  readonly verdict: 'passed' | 'failed';
}

/** One run: a cluster, its users, and a nemesis that kills its members. */
export async function runEtcdKill(options: EtcdKillOptions): Promise<EtcdKillReport> {
  await using run = new EtcdKillRun(options);
  return await run.run();
}

class EtcdKillRun implements AsyncDisposable {
  readonly #options: EtcdKillOptions;
  readonly #recorder: HistoryRecorder = new HistoryRecorder();
  readonly #experience: ApiExperience = new ApiExperience();
  readonly #opened: AsyncDisposable[] = [];
  readonly #compactors: Compactor[] = [];
  readonly #traffic: AbortController = new AbortController();
  readonly #watching: AbortController = new AbortController();
  readonly #working: Promise<unknown>[] = [];
  readonly #reading: Promise<unknown>[] = [];
  readonly #rawClients: RawClient[] = [];
  readonly #frontEnds: ApiFrontEnd[] = [];
  readonly #steady: SteadyWatcher[] = [];
  #connections = 0;
  #late: readonly string[] = [];

  constructor(options: EtcdKillOptions) {
    this.#options = options;
  }

  async run(): Promise<EtcdKillReport> {
    const { binary, seed, kills } = this.#options;
    const startedAtMs = performance.now();
    const cluster = await EtcdCluster.start({ binary, size: SIZE, flags: ELECTIONS });
    this.#opened.push(cluster);
    await this.#startServers(cluster);
    await this.#startRaw(cluster);
    const store = await this.#store(cluster, 'nemesis');
    const nemesis = new Nemesis({ cluster, kills, store, random: seededRandom(`${seed} nemesis`) });
    const ticker = setInterval(() => this.#reportProgress(nemesis, startedAtMs), PROGRESS_MS);
    try {
      await nemesis.run();
      this.#traffic.abort();
      await Promise.all(this.#working);
    } finally {
      clearInterval(ticker);
    }
    this.#reportProgress(nemesis, startedAtMs);
    const settledFromMs = performance.now();
    const finalRevision = await this.#settle(store);
    const convergedMs = performance.now() - settledFromMs;
    const { items } = await store.range({ ...EVERYTHING });
    const findings = await checkEvidence({
      recorder: this.#recorder,
      acknowledged: this.#experience.acknowledged,
      frontEnds: this.#frontEnds,
      finalItems: items,
      finalRevision,
      steady: new Set(this.#steady.map(({ name }) => name)),
    });
    const seconds = (performance.now() - startedAtMs) / 1000;
    return this.#report(findings, nemesis, { seconds, convergedMs, finalRevision });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#traffic.abort();
    this.#watching.abort();
    for (const compactor of this.#compactors) compactor.stop();
    await Promise.all([...this.#working, ...this.#reading]);
    for (const resource of this.#opened.toReversed()) await resource[Symbol.asyncDispose]();
  }

  /** A store of its own for each client, which begins with another member than the one before. */
  async #store(cluster: EtcdCluster, client: string): Promise<RecordingKeyValueStore> {
    const first = (this.#connections += 1) % SIZE;
    const { urls } = cluster;
    const store = await EtcdKeyValueStore.connect({
      endpoints: [...urls.slice(first), ...urls.slice(0, first)],
      ...STORE_TIMEOUTS,
      compactionIntervalMs: 0,
    });
    this.#opened.push(store);
    return new RecordingKeyValueStore({ store, recorder: this.#recorder, client });
  }

  #random(name: string): () => number {
    return seededRandom(`${this.#options.seed} ${name}`);
  }

  async #startServers(cluster: EtcdCluster): Promise<void> {
    const { servers = 3, paceMs = 15 } = this.#options;
    const { signal } = this.#traffic;
    for (let index = 0; index < servers; index += 1) {
      const name = `server-${index}`;
      const store = await this.#store(cluster, name);
      // As the connection would, but through the recorder, so that its writes are in the history.
      const compactor = new Compactor({
        store,
        runtime: realRuntime,
        logger: silentLogger,
        intervalMs: COMPACTION_MS,
      });
      this.#compactors.push(compactor);
      compactor.start();
      const frontEnd = await ApiFrontEnd.start(name, store, API_TIMEOUT_MS);
      this.#opened.push(frontEnd);
      this.#frontEnds.push(frontEnd);
      await frontEnd.informer.whenSynced({ timeoutMs: HANG_MS });
      for (let writer = 0; writer < WRITERS_A_SERVER; writer += 1) {
        const writerName = `${name}-${writer}`;
        const random = this.#random(writerName);
        const experience = this.#experience;
        this.#working.push(
          writeConfigMaps({ name: writerName, frontEnd, experience, random, paceMs, signal }),
        );
      }
    }
  }

  async #startRaw(cluster: EtcdCluster): Promise<void> {
    const { rawClients = 6, paceMs = 15 } = this.#options;
    for (let index = 0; index < rawClients; index += 1) {
      const name = `raw-${index}`;
      const store = await this.#store(cluster, name);
      const { signal } = this.#traffic;
      const client = new RawClient({ name, store, random: this.#random(name), paceMs, signal });
      this.#rawClients.push(client);
      this.#working.push(client.run());
      const random = this.#random(`${name} watches`);
      const newest = (): Revision => client.newest;
      this.#reading.push(
        watchHereAndThere({ store, random, newest, signal: this.#watching.signal }),
      );
    }
    for (let index = 0; index < SIZE; index += 1) {
      const name = `witness-${index}`;
      const store = await this.#store(cluster, name);
      const { signal } = this.#watching;
      const watcher = new SteadyWatcher({ name, store, range: EVERYTHING, signal });
      this.#steady.push(watcher);
      this.#reading.push(watcher.run());
    }
  }

  /** Waits until every client has seen a last write; the check finds those that do not. */
  async #settle(store: RecordingKeyValueStore): Promise<Revision> {
    for (const compactor of this.#compactors) compactor.stop();
    const [first] = this.#frontEnds;
    const name = 'the-last-one';
    let last: string | undefined;
    await until('the API takes writes again', async () => {
      await first?.configMaps.delete(name).catch(() => {});
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
      last = versionOf(await first?.configMaps.create(object).catch(() => undefined));
      return last !== undefined;
    });
    const { revision } = await store.txn({
      compare: [],
      success: [{ type: 'put', key: `${RAW_PREFIX}last`, value: Buffer.from('last') }],
    });
    const late = (): string[] => [
      ...this.#steady.filter(({ seen }) => seen < revision).map(({ name: watch }) => watch),
      ...this.#frontEnds
        .filter(({ informer }) => versionOf(informer.indexer.get(`default/${name}`)) !== last)
        .map((frontEnd) => `the informer on ${frontEnd.name}`),
    ];
    await until('everybody has seen the last write', () => late().length === 0)
      // Those that have not are in the report.
      .catch(() => {});
    this.#late = late().map((one) => `${one} has not seen the last write`);
    return revision;
  }

  #reportProgress({ kills }: Nemesis, startedAtMs: number): void {
    const { operations, watches } = this.#recorder;
    const open = operations.filter(({ outcome }) => outcome.type === 'unknown').length;
    const { requests, failures } = this.#experience;
    const failed = [...failures.values()].reduce((left, right) => left + right, 0);
    const seconds = Math.round((performance.now() - startedAtMs) / 1000);
    this.#options.onProgress?.(
      `${seconds} s: ${kills} of ${this.#options.kills} kills, ${operations.length} operations (${open} of unknown outcome), ` +
        `${watches.length} watches, ${requests} API requests (${failed} answered with a failure)`,
    );
  }

  #report(
    findings: Findings,
    nemesis: Nemesis,
    run: { seconds: number; convergedMs: number; finalRevision: Revision },
  ): EtcdKillReport {
    const { binary, seed } = this.#options;
    const experience = this.#experience;
    const slow = experience.slowestMs > 4 * API_TIMEOUT_MS;
    const violations = [
      ...experience.strange,
      ...(slow ? [`an answer took ${Math.round(experience.slowestMs)} ms`] : []),
    ];
    const unexpected = this.#steady.flatMap((watcher) =>
      watcher.unexpected.map((error) => `${watcher.name}: ended: ${error}`),
    );
    const watchViolations = [...findings.watchViolations, ...unexpected, ...this.#late];
    const found = [
      findings.lostWrites,
      findings.histories,
      watchViolations,
      findings.divergedInformers,
      findings.disagreements,
      violations,
    ];
    return {
      ...findings,
      watchViolations,
      binary,
      seed,
      kills: nemesis.kills,
      attacks: nemesis.attacks,
      seconds: Math.round(run.seconds * 10) / 10,
      slowestRecoveryMs: Math.round(nemesis.slowestRecoveryMs),
      convergedMs: Math.round(run.convergedMs),
      finalRevision: String(run.finalRevision),
      steadyRestarts: this.#steady.reduce((sum, { restarts }) => sum + restarts, 0),
      relists: this.#frontEnds.reduce((sum, { relists }) => sum + relists, 0),
      api: {
        requests: experience.requests,
        acknowledgedWrites: experience.acknowledged.length,
        failures: Object.fromEntries(experience.failures),
        reportedUnknown: experience.reportedUnknown,
        slowestMs: Math.round(experience.slowestMs),
        violations,
      },
      verdict: found.every((list) => list.length === 0) ? 'passed' : 'failed',
    };
  }
}

function versionOf(object: KubernetesObject | undefined): string | undefined {
  return object?.metadata?.resourceVersion;
}
