import type { ListerWatcher } from '../../lib/cache/reflector/contract/lister-watcher.ts';
import { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import type { InformerErrorContext } from '../../lib/cache/informer/options/informer-options.ts';
import { metadataIndexFunc, type Indexers } from '../../lib/cache/store/indexers.ts';
import { errorMessage } from '../../lib/kernel/failure/errors.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import type { Runtime } from '../../lib/kernel/time/runtime.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../lib/kernel/time/wait.ts';
import { BytesSource } from '../cache/support/bytes-source.ts';
import type { Backend } from './backend.ts';
import { CacheCheck } from './cache-check.ts';
import { Crew } from './crew.ts';
import { Dice } from './dice.ts';
import { EmbeddedServer } from './embedded-server.ts';
import { FaultLog } from './faults.ts';
import { FaultySource } from './faulty-source.ts';
import { Journal } from './journal.ts';
import { LedgerRuntime } from './ledger-runtime.ts';
import { ModelServer } from './model-server.ts';
import type { Scenario } from './scenario.ts';
import { StepPlayer } from './step-player.ts';
import type { SeedReport } from './soak-report.ts';
import type { Thing, View } from './thing.ts';

export interface SoakRunOptions {
  /** Write down everything that happens. */
  readonly traced?: boolean;
  /** Stands between the source and the informer. */
  readonly through?: (source: ListerWatcher<View>, runtime: Runtime) => ListerWatcher<View>;
  /** Gets the informer before it runs. */
  readonly onInformer?: (informer: SharedIndexInformer<Thing>) => void;
}

const ONE_DAY_MS = 86_400_000;
const LONGEST_DRAIN_MS = 7_200_000;

/** Plays a scenario through the whole pipeline, holds everything against the history, and says what was wrong. */
export async function runScenario(
  scenario: Scenario,
  { traced = false, through = (source) => source, onInformer }: SoakRunOptions = {},
): Promise<SeedReport> {
  const { seed, taskOrder } = scenario;
  const runtime = new VirtualRuntime({ seed: `soak ${seed}`, order: taskOrder });
  const run = new SoakRun(scenario, runtime, new Journal(runtime, traced), through);
  onInformer?.(run.informer);
  try {
    await runtime.run(() => run.play(), { limitMs: 30 * ONE_DAY_MS });
  } catch (error) {
    run.journal.fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return run.report();
}

class SoakRun {
  readonly journal: Journal;
  readonly #scenario: Scenario;
  readonly #runtime: VirtualRuntime;
  readonly #ledger: LedgerRuntime;
  readonly #faults = new FaultLog();
  readonly #backend: Backend;
  readonly #source: FaultySource;
  readonly #informer: SharedIndexInformer<Thing>;
  readonly #cache: CacheCheck;
  readonly #crew: Crew;
  readonly #through: NonNullable<SoakRunOptions['through']>;
  readonly #player: StepPlayer;
  #relists = 0;
  #handlerErrors = 0;
  #merged = 0;

  constructor(
    scenario: Scenario,
    runtime: VirtualRuntime,
    journal: Journal,
    through: NonNullable<SoakRunOptions['through']>,
  ) {
    this.#through = through;
    this.#scenario = scenario;
    this.#runtime = runtime;
    this.journal = journal;
    this.#ledger = new LedgerRuntime(runtime);
    const { seed, watchList, listeners } = scenario;
    const ordered = scenario.order === 'arrival';
    const [faults, backend] = [this.#faults, this.#makeBackend()];
    this.#backend = backend;
    this.#source = new FaultySource({
      runtime,
      dice: new Dice(`source ${seed}`),
      backend,
      faults,
      journal,
      supportsWatchList: watchList,
      clientVersion: () => this.#informer.lastSyncResourceVersion,
    });
    this.#source.onComplete = () => {
      if (backend instanceof ModelServer) backend.restoreSeen = true;
    };
    this.#informer = this.#makeInformer();
    const dice = new Dice(`cache ${seed}`);
    const [informer, source] = [this.#informer, this.#source];
    this.#cache = new CacheCheck({ informer, backend, journal, dice, ordered });
    Object.assign(this.#cache.indexing, this.#indexers());
    this.#crew = new Crew({
      seed,
      informer,
      source,
      cache: this.#cache,
      history: backend.history,
      journal,
      faults,
      runtime,
      ordered,
      resyncs: scenario.resyncIntervalMs > 0,
      habits: listeners,
    });
    const { keys, transform } = scenario;
    this.#player = new StepPlayer({
      runtime,
      backend,
      source,
      faults,
      journal,
      keys,
      flaws: [
        ...(transform && scenario.faults.includes('transform') ? (['transform'] as const) : []),
        ...(scenario.faults.includes('index') ? (['index'] as const) : []),
      ],
      crew: this.#crew,
      habits: listeners,
      addIndex: () => {
        this.#addIndex();
      },
    });
  }

  get informer(): SharedIndexInformer<Thing> {
    return this.#informer;
  }

  async play(): Promise<void> {
    const { journal } = this;
    const { steps, listeners, initialObjects, closesEarly, seed } = this.#scenario;
    journal.trace?.(`scenario ${describe(this.#scenario)}`);
    const opening = new Dice(`opening ${seed}`);
    await this.#backend.open();
    await this.#player.populate(opening, initialObjects);
    for (const habits of listeners) if (opening.chance(0.8)) this.#crew.join(habits);
    const running = this.#informer.run();
    const synced = this.#informer.whenSynced();
    synced.catch(() => {});
    const look = new Dice(`look ${seed}`);
    for (const step of steps) {
      await this.#player.play(step);
      this.#cache.look(look.chance(0.1));
      this.#crew.checkSynced();
      if (look.chance(0.03)) this.#cache.checkReaders();
      if (journal.failed) break;
    }
    this.#player.heal();
    this.#crew.settled = true;
    if (!closesEarly && !journal.failed) {
      await this.#converge();
      if (!journal.failed) await synced;
    }
    await this.#close(running);
  }

  report(): SeedReport {
    const { seed, source } = this.#scenario;
    return {
      seed,
      source,
      operations: this.#player.writes + this.#crew.joined + this.#crew.left,
      events: this.#crew.events,
      looks: this.#cache.looks,
      handlers: this.#crew.joined,
      merged: this.#merged,
      relists: this.#relists,
      lists: this.#source.lists,
      watches: this.#source.watches,
      peakRequests: this.#source.peakRequests,
      virtualMs: this.#runtime.monotonicMs(),
      faults: Object.fromEntries(this.#faults.counts),
      failures: this.journal.failures,
      trace: this.journal.lines,
    };
  }

  /** Faults have stopped: within a bounded time every handler has to have the present objects. */
  async #converge(): Promise<void> {
    const { minWatchTimeoutMs, listTimeoutMs, watchListTimeoutMs } = this.#scenario;
    // A watch that was opened beside a list may stay open longer than others, and be silent until then.
    const watchMs = Math.max(2 * minWatchTimeoutMs, this.#source.watchTimeoutMs);
    const boundMs = watchMs + 2 * listTimeoutMs + 3 * watchListTimeoutMs + 240_000;
    const { journal } = this;
    if (!(await this.#waitFor(() => this.#backend.writable, boundMs))) {
      journal.fail('the informer never looks at the server that was restored');
      return;
    }
    await this.#player.tidyUp();
    if (!(await this.#waitFor(() => this.#cache.isCurrent(), boundMs))) {
      journal.fail(
        `the cache is not what the server has ${boundMs} ms after the last fault: ${this.#cache.describeDifference()}`,
      );
      return;
    }
    this.#cache.look(true);
    this.#cache.checkReaders();
    if (!(await this.#waitFor(() => this.#crew.idle, LONGEST_DRAIN_MS))) {
      journal.fail('handlers still have notifications');
      return;
    }
    this.#merged = this.#crew.checkEnd();
    if (this.#scenario.faults.length === 0 && this.#source.completeLists > 1)
      journal.fail(`${this.#source.completeLists} lists without a fault`);
    await this.#stayQuiet();
  }

  /** Nothing happens: no handler is called, and the server gets no request. */
  async #stayQuiet(): Promise<void> {
    const { minWatchTimeoutMs } = this.#scenario;
    const quietMs = 3 * minWatchTimeoutMs + 60_000;
    const changes = (): number => {
      let count = 0;
      for (const { story } of this.#crew.active) count += story.events - story.resyncs;
      return count;
    };
    const before = { changes: changes(), requests: this.#source.lists + this.#source.watches };
    await sleep(this.#runtime, quietMs);
    const { journal } = this;
    if (changes() !== before.changes)
      journal.fail(`${changes() - before.changes} events while nothing changed`);
    const requests = this.#source.lists + this.#source.watches - before.requests;
    if (requests > quietMs / minWatchTimeoutMs + 6)
      journal.fail(`${requests} requests in ${quietMs} quiet ms`);

    this.#cache.look(true);
  }

  async #close(running: Promise<void>): Promise<void> {
    const { journal } = this;
    await this.#informer.close();
    await this.#crew.dismiss();
    await running;
    if (this.#ledger.timers > 0) journal.fail(`${this.#ledger.timers} timers left after close`);
    const requests = this.#source.lists + this.#source.watches;
    await sleep(this.#runtime, 600_000);
    if (this.#source.openStreams > 0)
      journal.fail(`${this.#source.openStreams} streams left after close`);
    if (this.#source.lists + this.#source.watches !== requests)
      journal.fail('requests after close');
    if (this.#ledger.timers > 0) journal.fail('timers after close');
    if (this.#crew.thrown !== this.#handlerErrors)
      journal.fail(`${this.#crew.thrown} callbacks failed, ${this.#handlerErrors} were reported`);
    await this.#backend.close();
  }

  async #waitFor(condition: () => boolean, boundMs: number): Promise<boolean> {
    const endMs = this.#runtime.monotonicMs() + boundMs;
    for (let stepMs = 10; !condition(); stepMs = Math.min(5000, stepMs * 1.5)) {
      if (this.#runtime.monotonicMs() >= endMs) return false;
      await sleep(this.#runtime, stepMs);
      this.#cache.look(false);
      this.#crew.checkSynced();
      if (this.journal.failed) return true;
    }
    return true;
  }

  #makeBackend(): Backend {
    const { seed, source, selective, startVersion, historySize, watchCapacity } = this.#scenario;
    const { futureWatch, faults, order } = this.#scenario;
    const runtime = this.#runtime;
    if (source !== 'model') return new EmbeddedServer({ runtime, path: source, selective });
    const dice = new Dice(`server ${seed}`);
    return new ModelServer({
      runtime,
      dice,
      startVersion,
      selective,
      historySize,
      watchCapacity,
      futureWatch,
      // A queue by key does not report which objects of a relist could not be read. Of those the informer keeps a state that a
      // restore has undone, and would take an object that is given its version once more for the same.
      reusesVersions: order === 'arrival' || !faults.includes('transform'),
    });
  }

  #makeInformer(): SharedIndexInformer<Thing> {
    const { order, pageSize, queueCapacity, resyncIntervalMs, transform } = this.#scenario;
    const { minWatchTimeoutMs, listTimeoutMs, watchListTimeoutMs, idleTimeoutMs } = this.#scenario;
    const { silenceProbeMs, internalErrorRetryMs, freeze, cache } = this.#scenario;
    const informer = new SharedIndexInformer<Thing>({
      listerWatcher: this.#through(
        cache === undefined ? this.#source : new BytesSource(this.#source, this.#pause()),
        this.#runtime,
      ),
      cache,
      runtime: this.#ledger,
      order,
      pageSize,
      queueCapacity,
      resyncIntervalMs,
      minWatchTimeoutMs,
      listTimeoutMs,
      watchListTimeoutMs,
      idleTimeoutMs,
      silenceProbeMs,
      internalErrorRetryMs,
      freeze,
      logger: silentLogger,
      indexers: this.#indexers(),
      transform: transform ? trimmed : undefined,
      onError: (error, context) => {
        this.#onError(error, context);
      },
    });
    informer.events.on('relist', () => {
      this.#relists += 1;
    });
    informer.events.on('transition', ({ from, to, items, reason, resourceVersion, delayMs }) => {
      this.journal.trace?.(
        `${from} -> ${to} at ${resourceVersion}: ${reason}${delayMs === undefined ? '' : `, ${delayMs} ms`}`,
      );
      const listed = from === 'listing' || from === 'streaming-list';
      if (listed && to === 'watching' && items !== undefined) this.#source.tookOver();
    });
    return informer;
  }

  #onError(error: unknown, { source, message }: InformerErrorContext): void {
    if (source === 'handler') this.#handlerErrors += 1;
    else if (source === 'internal' || source === 'listener')
      this.journal.fail(`${source}: ${message}`);
    else if (source === 'object' && /index "/.test(message)) this.#faults.happened('index');
    else if (source === 'object') this.#faults.happened('transform');
    this.journal.trace?.(`${source} error: ${errorMessage(error)}`);
  }

  /** A list comes in over a while, in pieces of all sizes. */
  #pause(): (() => Promise<number>) | undefined {
    const dice = new Dice(`pieces ${this.#scenario.seed}`);
    if (dice.chance(0.5)) return undefined;
    return async () => {
      if (dice.chance(0.5)) await sleep(this.#ledger, dice.int(0, 40));
      return dice.int(1, 30);
    };
  }

  /** A reader of whole objects has them decoded; without one, they stay bytes. */
  #indexers(): Indexers<Thing> {
    if (this.#scenario.readsMetadata) return { letter: indexByLetter };
    return { tag: indexByTag, letter: indexByLetter };
  }

  #addIndex(): void {
    if (Object.hasOwn(this.#cache.indexing, 'tier')) return;
    this.#informer.indexer.addIndexers({ tier: indexByTier });
    this.#cache.indexing['tier'] = indexByTier;
  }
}

function indexByTag({ data }: Thing): readonly string[] {
  if (data.flaw === 'index') throw new Error('no tags');
  return data.tags === '' ? [] : data.tags.split(' ');
}

const indexByLetter = metadataIndexFunc(({ name = '' }) => [name.at(-1) ?? '']);

const indexByTier = metadataIndexFunc(({ labels }) => [labels?.['tier'] ?? '']);

function trimmed(thing: Thing): Thing {
  if (thing.data.flaw === 'transform') throw new Error('cannot be trimmed');
  const { annotations: _, ...metadata } = thing.metadata;
  return { ...thing, metadata };
}

function describe({ steps, keys, startVersion, listeners, ...rest }: Scenario): string {
  return JSON.stringify({
    ...rest,
    startVersion: String(startVersion),
    steps: steps.length,
    keys: keys.length,
    listeners: listeners.length,
  });
}
