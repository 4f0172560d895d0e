import type { Runtime } from '../../kernel/time/runtime.ts';
import type { FaultKind, SimulationPlan } from '../contract/fault.ts';
import type { PlanCount } from '../contract/simulation-report.ts';
import type { Simulation } from '../run/simulation.ts';
import type { PlanRunner } from './plan-runner.ts';
import { causeOf } from '../contract/cause.ts';
import { recordingOf, type Recording } from './recording.ts';
import { systematicPlans, withoutEqualPasts } from './systematic-plans.ts';
import { Draw, MOST_FAULTS, swarmFault, swarmPlan } from './swarm-plan.ts';

/** Plans that reached something new; older ones are forgotten. */
const MOST_PLANS = 200;

/**
 * Makes the plans of seeds. Half of them are drawn anew, the others change a plan that reached what no plan before had reached. What a seed
 * means depends on the runs before it, so a plan is replayed as data, never by its seed.
 */
class Guide {
  readonly #recording: Recording;
  readonly #kinds: readonly FaultKind[];
  readonly #reached = new Set<number>();
  readonly #promising: SimulationPlan[] = [];

  constructor(recording: Recording, kinds: readonly FaultKind[]) {
    this.#recording = recording;
    this.#kinds = kinds;
  }

  /** Takes in what a run has reached. */
  learn(plan: SimulationPlan, coverage: readonly number[]): void {
    let isNew = false;
    for (const feature of coverage) {
      if (this.#reached.has(feature)) continue;
      this.#reached.add(feature);
      isNew = true;
    }
    if (!isNew || plan.faults.length === 0) return;
    this.#promising.push(plan);
    if (this.#promising.length > MOST_PLANS) this.#promising.shift();
  }

  planOf(seed: number): SimulationPlan {
    const draw = new Draw(`guide ${seed}`);
    const base = draw.chance(0.5) ? draw.of(this.#promising) : undefined;
    if (base === undefined) return swarmPlan(seed, this.#recording, this.#kinds);
    return { ...base, seed, faults: this.#changed(base.faults, draw), origin: `seed ${seed}` };
  }

  #changed(faults: SimulationPlan['faults'], draw: Draw): SimulationPlan['faults'] {
    const kind = draw.of(this.#kinds);
    const added = kind === undefined ? undefined : swarmFault(kind, draw, this.#recording);
    const at = draw.whole(0, Math.max(0, faults.length - 1));
    // With the same faults only the latencies differ.
    const how = draw.of(['add', 'add', 'replace', 'remove', 'keep'] as const);
    if (how === 'remove' && faults.length > 1) return faults.toSpliced(at, 1);
    if (added === undefined || how === 'keep' || how === 'remove') return faults;
    if (how === 'replace' || faults.length >= MOST_FAULTS) return faults.toSpliced(at, 1, added);
    return [...faults, added];
  }
}

export interface SearchOptions {
  readonly simulation: Simulation;
  readonly runner: PlanRunner;
  readonly processes: readonly string[];
  readonly kinds: readonly FaultKind[];
  readonly systematic: boolean;
  readonly seeds: readonly [first: number, last: number];
  readonly runtime: Pick<Runtime, 'monotonicMs'>;
  /** When the search has to end, by the monotonic clock. */
  readonly endMs: number;
  readonly maxFailures: number;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal | undefined;
}

export interface FailedPlan {
  readonly plan: SimulationPlan;
  readonly runsToFind: number;
  /** See `causeOf`. */
  readonly cause: string;
  /** Runs that failed by this cause. */
  readonly runs: number;
}

export interface SearchResult {
  readonly failed: readonly FailedPlan[];
  readonly plans: Readonly<Record<string, PlanCount>>;
  readonly virtualMs: number;
  readonly complete: boolean;
  /** Runs that `Simulation.runs` of this process does not count. */
  readonly runsElsewhere: number;
}

const RANDOM = 'random seeds';
const PROGRESS_MS = 1000;
/** Seeds of one generation are drawn together, so that they do not depend on the number of processes. */
const GENERATION = 24;

interface Count {
  planned: number;
  run: number;
  failed: number;
}

/** Runs the systematic plans, and then random seeds, until something is found or the time is over. */
export class Search {
  readonly #options: SearchOptions;
  readonly #counts = new Map<string, Count>();
  /** By cause. */
  readonly #failed = new Map<string, FailedPlan>();
  #runs = 0;
  #virtualMs = 0;
  #progressMs: number;
  readonly #startMs: number;

  constructor(options: SearchOptions) {
    this.#options = options;
    this.#startMs = options.runtime.monotonicMs();
    this.#progressMs = this.#startMs;
  }

  async run(): Promise<SearchResult> {
    const { simulation, runner, processes, systematic, onProgress } = this.#options;
    const [recorded] = (await simulation.baseline()).records;
    const recording = recorded === undefined ? EMPTY : recordingOf(recorded, processes);
    const readsPast = async (process: string, plan: SimulationPlan): Promise<boolean> => {
      const { pastReaders, struck } = await simulation.record(plan);
      // A plan without effect says nothing.
      return pastReaders.has(process) || struck.length === 0;
    };
    const plans = systematic ? await withoutEqualPasts(systematicPlans(recording), readsPast) : [];
    for (const { origin } of plans) this.#count(origin).planned += 1;
    const [first, last] = this.#options.seeds;
    this.#count(RANDOM).planned = Math.max(0, last - first + 1);
    onProgress(
      `writes of a run without faults: ${recording.writes.length}, changes: ${recording.changes.length}; plans: ${plans.length}, then seeds: ${this.#count(RANDOM).planned}`,
    );
    const complete = (await this.#runAll(plans)) && (await this.#runSeeds(recording));
    onProgress(this.#progress());
    return {
      failed: [...this.#failed.values()],
      plans: Object.fromEntries([...this.#counts].filter(([, { planned }]) => planned > 0)),
      virtualMs: this.#virtualMs,
      complete,
      runsElsewhere: runner.runsElsewhere,
    };
  }

  /** As many at a time as the runner takes. Returns whether all were run. */
  async #runAll(
    all: readonly SimulationPlan[],
    onRun: (index: number, coverage: readonly number[]) => void = () => {},
  ): Promise<boolean> {
    const plans = all.entries();
    let complete = true;
    const work = async (): Promise<void> => {
      for (;;) {
        const next = plans.next();
        if (next.done === true) return;
        if (this.#isOver()) {
          complete = false;
          return;
        }
        const [index, plan] = next.value;
        onRun(index, await this.#try(plan));
      }
    };
    await Promise.all(Array.from({ length: this.#options.runner.width }, work));
    return complete;
  }

  /** One generation after the other: each learns from those before. Returns whether all were run. */
  async #runSeeds(recording: Recording): Promise<boolean> {
    const guide = new Guide(recording, this.#options.kinds);
    const [first, last] = this.#options.seeds;
    for (let from = first; from <= last; from += GENERATION) {
      const plans: SimulationPlan[] = [];
      for (let seed = from; seed <= Math.min(last, from + GENERATION - 1); seed += 1) {
        plans.push(guide.planOf(seed));
      }
      const reached = plans.map((): readonly number[] => []);
      const complete = await this.#runAll(plans, (index, coverage) => {
        reached[index] = coverage;
      });
      if (!complete) return false;
      for (const [index, plan] of plans.entries()) guide.learn(plan, reached[index] ?? []);
    }
    return true;
  }

  #isOver(): boolean {
    const { signal, runtime, endMs, maxFailures } = this.#options;
    signal?.throwIfAborted();
    return this.#failed.size >= maxFailures || runtime.monotonicMs() >= endMs;
  }

  /** Runs a plan; returns what it has reached. */
  async #try(plan: SimulationPlan): Promise<readonly number[]> {
    const { runner, runtime, onProgress } = this.#options;
    const count = this.#count(this.#counts.has(plan.origin) ? plan.origin : RANDOM);
    const { findings, virtualMs, coverage } = await runner.run(plan);
    this.#runs += 1;
    count.run += 1;
    this.#virtualMs += virtualMs;
    const [finding] = findings;
    if (finding !== undefined) {
      count.failed += 1;
      const cause = causeOf(finding);
      const first = this.#failed.get(cause) ?? { plan, runsToFind: this.#runs, cause, runs: 0 };
      this.#failed.set(cause, { ...first, runs: first.runs + 1 });
    }
    if (runtime.monotonicMs() - this.#progressMs >= PROGRESS_MS) {
      this.#progressMs = runtime.monotonicMs();
      onProgress(this.#progress());
    }
    return coverage;
  }

  #progress(): string {
    const seconds = (this.#options.runtime.monotonicMs() - this.#startMs) / 1000;
    const done = [...this.#counts]
      .filter(([, { planned }]) => planned > 0)
      .map(([name, { run, planned }]) => `${name} ${run}/${planned}`);
    const rate = seconds > 0 ? Math.round(this.#runs / seconds) : 0;
    return `${done.join(', ')}; ${this.#failed.size} failures; ${rate} runs/s`;
  }

  #count(name: string): Count {
    let count = this.#counts.get(name);
    if (count === undefined) this.#counts.set(name, (count = { planned: 0, run: 0, failed: 0 }));
    return count;
  }
}

const EMPTY: Recording = { processes: [], changes: [], writes: [], requests: new Map() };
