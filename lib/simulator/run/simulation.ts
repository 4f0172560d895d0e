import { ListwatchError, errorMessage } from '../../kernel/failure/errors.ts';
import { VirtualRuntime } from '../../kernel/time/virtual-runtime.ts';
import type { SimulationPlan } from '../contract/fault.ts';
import type { Finding } from '../contract/finding.ts';
import type { SimulatedController } from '../contract/simulated-controller.ts';
import type { Invariant, World, WorkloadStep } from '../contract/world.ts';
import { Expectation } from '../oracle/expectation.ts';
import { failingReconciles } from '../oracle/failing-reconciles.ts';
import { stateFindings, withoutUsual } from '../oracle/state-oracles.ts';
import { twoLeaders } from '../oracle/two-leaders.ts';
import {
  isAmbientSimulated,
  closeAmbientRun,
  loadingFindings,
  openAmbientRun,
  type AmbientRun,
} from '../ambient/ambient-run.ts';
import { SIMULATOR_VERSION } from '../contract/simulator-version.ts';
import { MissingResource } from './needed-resources.ts';
import type { RunRecord } from './run-record.ts';
import { runStarts, wasRunShort, runEnds } from './run-watchers.ts';
import { RealTimers } from './real-timers.ts';
import { SeedRun } from './seed-run.ts';
import { prepareWorld, type WorldTemplate } from './world-template.ts';
import { takeUnhandledRejections, takeUncaughtExceptions } from '../../kernel/time/real-process.ts';
import { watchResources } from '../ambient/watch-resources.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

export interface SimulationParts {
  readonly world: World;
  readonly controllers: readonly SimulatedController[];
  readonly workload: readonly WorkloadStep[];
  readonly invariants: readonly Invariant[];
  readonly virtualLimitMs: number;
}

/** A run, and what is wrong with it. */
export interface Verdict {
  readonly record: RunRecord;
  readonly findings: readonly Finding[];
}

export interface EvaluateOptions {
  /** Whether the events that reach the processes are kept. @defaultValue false */
  readonly detailed?: boolean | undefined;
  /** Whether findings count that runs without faults have too. @defaultValue false */
  readonly usual?: boolean | undefined;
}

/** The results of runs without faults. */
export interface Baseline {
  readonly records: readonly RunRecord[];
  readonly expectation: Expectation;
  /** Problems that occur without faults. */
  readonly findings: readonly Finding[];
  readonly maxCommits: number;
}

/** Seeds of the runs without faults; the first one is the recording from which plans are made. */
const BASELINE_SEEDS = [-1, -2, -3, -4];
/** A run may write this many times as much as one without faults, and so much more, before it counts as a loop. */
const COMMIT_FACTOR = 20;
const MORE_COMMITS = 500;
const UNLIMITED = 20_000;
/** Of the run that is looked at closely only these count: it ends in another way. */
const CLOSE: ReadonlySet<Finding['class']> = new Set(['escape', 'leaked-timer']);
const CUT_SHORT: ReadonlySet<Finding['class']> = new Set(['never-idle', 'crash-loop', 'stuck']);

/** Runs plans of one world with its controllers, and checks the results. */
export class Simulation {
  readonly #parts: SimulationParts;
  readonly #template: WorldTemplate;
  readonly #baselines = new Map<string, Promise<Baseline>>();
  /** Runs so far. */
  runs: number = 0;
  /** Notes besides the problems. */
  readonly notes: string[] = [];

  private constructor(parts: SimulationParts, template: WorldTemplate) {
    this.#parts = parts;
    this.#template = template;
  }

  /** @throws {ListwatchError} code INVALID_OPTION for a world that cannot be made. */
  static async of(parts: SimulationParts): Promise<Simulation> {
    return new Simulation(parts, await prepareWorld(parts.world));
  }

  /** The runs without faults, with the steps and the replicas of a plan. */
  baseline(variant: Pick<SimulationPlan, 'withoutSteps' | 'maxReplicas'> = {}): Promise<Baseline> {
    const { withoutSteps = [], maxReplicas } = variant;
    const key = `${withoutSteps.join()} ${maxReplicas ?? ''}`;
    let baseline = this.#baselines.get(key);
    if (baseline === undefined) {
      baseline = this.#learn({ withoutSteps, maxReplicas });
      this.#baselines.set(key, baseline);
    }
    return baseline;
  }

  /** Runs a plan without judging it. */
  async record(plan: SimulationPlan): Promise<RunRecord> {
    return (await this.#run(plan, { maxCommits: UNLIMITED, detailed: false })).record;
  }

  /** Runs a plan. */
  async evaluate(
    plan: SimulationPlan,
    { detailed = false, usual: withUsual = false }: EvaluateOptions = {},
  ): Promise<Verdict> {
    const { expectation, findings: usual, maxCommits } = await this.baseline(plan);
    const { record, findings } = await this.#run(plan, { maxCommits, expectation, detailed });
    // A run that was cut short has no end to compare.
    const isWhole = !findings.some((one) => CUT_SHORT.has(one.class));
    const compared = isWhole ? expectation.compare(record.history) : [];
    const unusual = withUsual ? findings : withoutUsual(findings, usual);
    return { record, findings: [...unusual, ...compared] };
  }

  async #learn(variant: Pick<SimulationPlan, 'withoutSteps' | 'maxReplicas'>): Promise<Baseline> {
    const verdicts: Verdict[] = [];
    for (const seed of BASELINE_SEEDS) {
      const plan = {
        version: SIMULATOR_VERSION,
        seed,
        faults: [],
        origin: 'no faults',
        ...variant,
      };
      verdicts.push(await this.#run(plan, { maxCommits: UNLIMITED, detailed: false }));
    }
    const records = verdicts.map(({ record }) => record);
    const [first] = records;
    const repeated =
      first && (await this.#run(first.plan, { maxCommits: UNLIMITED, detailed: false }));
    const closely = first && (await this.#closely(first.plan));
    const differences = first && repeated ? firstDifference(first, repeated.record) : [];
    const most = Math.max(...records.map(({ history }) => history.changes.length));
    return {
      records,
      expectation: new Expectation(records.map(({ history }) => history)),
      findings: [
        ...(closely ?? []),
        ...differences,
        ...verdicts.flatMap(({ findings }) => findings),
      ],
      maxCommits: most * COMMIT_FACTOR + MORE_COMMITS,
    };
  }

  /** Problems that only a closer look shows: timers that are left, and work that begins in real time. It takes longer, so one run gets it. */
  async #closely(plan: SimulationPlan): Promise<readonly Finding[]> {
    const isHere = !isAmbientSimulated();
    // Steps that are left out do not bring timers.
    if (isHere && this.#baselines.size > 1) return [];
    const settings = { maxCommits: UNLIMITED, detailed: false, looksClosely: true };
    const { findings } = await this.#run(plan, settings);
    return findings.filter((finding) => CLOSE.has(finding.class));
  }

  async #run(plan: SimulationPlan, settings: RunSettings): Promise<Verdict> {
    for (;;) {
      try {
        const verdict = await this.#runOnce(plan, settings);
        if (!wasRunShort()) return verdict;
      } catch (error) {
        if (!(error instanceof MissingResource)) throw error;
      }
    }
  }

  async #runOnce(
    plan: SimulationPlan,
    { maxCommits, expectation, detailed, looksClosely = false }: RunSettings,
  ): Promise<Verdict> {
    this.runs += 1;
    await runStarts(plan);
    const { seed } = plan;
    const { virtualLimitMs: limitMs, world, controllers, workload, invariants } = this.#parts;
    const runtime = new VirtualRuntime({ seed, startWallMs: this.#template.startWallMs });
    const ambient = new AmbientObserver(runtime, `${seed}`, looksClosely);
    const isHere = !isAmbientSimulated();
    const timers = looksClosely && isHere ? new RealTimers(runtime) : undefined;
    const run = new SeedRun(runtime, {
      template: this.#template,
      controllers,
      environment: world.environment ?? [],
      workload,
      invariants,
      plan,
      limitMs,
      maxCommits,
      isSettled: expectation && ((history) => expectation.isSettled(history)),
      detailed,
      stops: looksClosely && !isHere,
    });
    const rejections = new UnhandledRejections();
    let record: RunRecord;
    try {
      // A second limit, for a run that does not even notice its own.
      record = await runtime.run(() => run.run(), { limitMs: limitMs * 2 });
    } finally {
      rejections.close();
      ambient.close();
      timers?.[Symbol.dispose]();
    }
    const findings = [
      ...ambient.findings,
      ...(timers?.findings ?? []),
      ...record.findings,
      ...rejections.findings,
      ...stateFindings(record.history),
      ...failingReconciles(record.journal, record.quietMs),
      ...twoLeaders(record.history, record.journal),
    ];
    return { record, findings };
  }
}

/** A run and its repetition have to have the same trace. */
function firstDifference(one: RunRecord, other: RunRecord): readonly Finding[] {
  const [lines, others] = [one, other].map(({ journal }) => journal.text().split('\n'));
  const index = lines?.findIndex((line, at) => line !== others?.[at]) ?? -1;
  if (index < 0 && lines?.length === others?.length) return [];
  const at = index < 0 ? (lines?.length ?? 0) : index;
  const shown = [lines?.[at] ?? 'nothing', others?.[at] ?? 'nothing'].map((line) => `"${line}"`);
  const message =
    `two runs of one plan differ at line ${at + 1} of the trace: ${shown.join(' and then ')}. ` +
    'A controller uses Date, timers, random numbers or input and output of its own: it has to use incarnation.runtime and incarnation.client';
  return [{ class: 'not-repeatable', subject: 'run', message }];
}

interface RunSettings {
  readonly maxCommits: number;
  readonly expectation?: Expectation | undefined;
  readonly detailed: boolean;
  /** Whether the processes are asked to stop, and everything that they begin is looked at. @defaultValue false */
  readonly looksClosely?: boolean | undefined;
}

/** @throws {ListwatchError} code INVALID_OPTION for a plan of another version. */
export function checkPlanVersion({ version, seed, faults }: SimulationPlan): void {
  if (typeof version !== 'string' || typeof seed !== 'number' || !Array.isArray(faults)) {
    const text =
      'what is to be replayed is no plan: it needs version, seed and faults; pass the plan of a failure, as the report has it';
    throw new ListwatchError('INVALID_OPTION', text);
  }
  if (version === SIMULATOR_VERSION) return;
  throw new ListwatchError(
    'INVALID_OPTION',
    `the plan is of version ${version} of the simulator, and this is version ${SIMULATOR_VERSION}: its seed means another run here. ` +
      `Search again, or use the version of listwatch that wrote it`,
  );
}

/** Rejections without a handler, while a run lasts: in production they end the process. */
class UnhandledRejections {
  readonly findings: Finding[] = [];
  readonly close: () => void;

  constructor() {
    this.close = takeUnhandledRejections((reason) => {
      const subject = errorMessage(reason);
      const message = 'this rejection has no handler, and ends a process';
      this.findings.push({ class: 'unhandled-rejection', subject, message });
    });
  }
}

/** Observes what controllers take from the machine during a run, where that is replaced. */
class AmbientObserver {
  readonly #run: AmbientRun | undefined;
  readonly #looksClosely: boolean;
  readonly #ends: (() => void)[] = [];

  /** Begins. `looksClosely`: reports everything that begins in real time, and timers that are left. */
  constructor(runtime: Runtime, seed: string, looksClosely: boolean) {
    const run = openAmbientRun(runtime, seed, { keepsStacks: looksClosely });
    this.#run = run;
    this.#looksClosely = looksClosely;
    if (run === undefined) return;
    if (looksClosely) this.#ends.push(watchResources());
    const end = takeUncaughtExceptions((error) => {
      const subject = errorMessage(error);
      const message = 'this error was thrown where no one handles it, and ends a process';
      run.report({ class: 'uncaught-exception', subject, message, atMs: run.atMs });
    });
    this.#ends.push(end);
  }

  get findings(): readonly Finding[] {
    return this.#run === undefined ? [] : [...loadingFindings(), ...this.#run.findings];
  }

  close(): void {
    if (this.#looksClosely) this.#run?.reportLeaks();
    for (const finding of runEnds()) this.#run?.report(finding);
    for (const end of this.#ends) end();
    closeAmbientRun();
  }
}
