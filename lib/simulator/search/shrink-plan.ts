import type { Finding } from '../contract/finding.ts';
import type { PlannedFault, SimulationPlan } from '../contract/fault.ts';
import type { Simulation, Verdict } from '../run/simulation.ts';

export interface Shrunk {
  readonly plan: SimulationPlan;
  readonly runs: number;
}

/** A plan that still fails in the same way, with less in it. */
export interface ShrinkOptions {
  readonly simulation: Simulation;
  readonly plan: SimulationPlan;
  readonly steps: number;
  /** Of any controller. */
  readonly replicas: number;
  /** Whether to go on; asked before each run. */
  readonly mayContinue: () => boolean;
}

/**
 * Leaves out faults, then steps of the workload, then replicas, as long as the run fails with a finding of the same class. Delta debugging
 * after Zeller; the seed stays.
 */
export async function shrinkPlan(options: ShrinkOptions): Promise<Shrunk> {
  const verdict = await options.simulation.evaluate(options.plan);
  const [wanted] = verdict.findings;
  if (wanted === undefined) return { plan: options.plan, runs: 1 };
  const shrinking = new Shrinking(options, verdict, wanted);
  await shrinking.faults();
  await shrinking.steps();
  await shrinking.replicas();
  return shrinking.result;
}

class Shrinking {
  readonly #options: ShrinkOptions;
  readonly #wanted: Finding;
  #plan: SimulationPlan;
  #verdict: Verdict;
  #runs = 1;

  constructor(options: ShrinkOptions, verdict: Verdict, wanted: Finding) {
    this.#options = options;
    this.#wanted = wanted;
    this.#plan = options.plan;
    this.#verdict = verdict;
  }

  get result(): Shrunk {
    return { plan: this.#plan, runs: this.#runs };
  }

  async faults(): Promise<void> {
    // Those that never happened go first, in one run.
    const struck = new Set<PlannedFault>(this.#verdict.record.struck);
    const happened = this.#plan.faults.filter((fault) => struck.has(fault));
    if (happened.length < this.#plan.faults.length) await this.#try({ faults: happened });
    if (this.#plan.faults.length > 0) await this.#try({ faults: [] });
    for (let size = Math.ceil(this.#plan.faults.length / 2); size >= 1; ) {
      let smaller = false;
      for (let end = this.#plan.faults.length; end > 0; end -= size) {
        const start = Math.max(0, end - size);
        const faults = this.#plan.faults.toSpliced(start, end - start);
        if (faults.length > 0 && (await this.#try({ faults }))) smaller = true;
      }
      if (size === 1 && !smaller) return;
      size = size === 1 ? 1 : Math.ceil(size / 2);
    }
  }

  /** From the end: what comes after the failure is not needed. */
  async steps(): Promise<void> {
    for (let step = this.#options.steps - 1; step >= 0; step -= 1) {
      const withoutSteps = [...(this.#plan.withoutSteps ?? []), step];
      if (withoutSteps.length < this.#options.steps) await this.#try({ withoutSteps });
    }
  }

  async replicas(): Promise<void> {
    if (this.#options.replicas > 1) await this.#try({ maxReplicas: 1 });
  }

  /** Runs a smaller plan; keeps it if it fails in the same way. */
  async #try(change: Partial<SimulationPlan>): Promise<boolean> {
    if (!this.#options.mayContinue()) return false;
    this.#runs += 1;
    const { simulation } = this.#options;
    const plan = { ...this.#plan, ...change };
    const baseline = await simulation.baseline(plan);
    // Without some steps the workload may not even make sense.
    if (baseline.findings.length > 0) return false;
    const verdict = await simulation.evaluate(plan);
    const same = verdict.findings.some((one) => one.class === this.#wanted.class);
    if (!same) return false;
    this.#plan = plan;
    this.#verdict = verdict;
    return true;
  }
}
