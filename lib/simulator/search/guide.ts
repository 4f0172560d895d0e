import type { FaultKind, SimulationPlan } from '../contract/fault.ts';
import type { Recording } from './recording.ts';
import { Draw, MOST_FAULTS, swarmFault, swarmPlan } from './swarm-plan.ts';

/** Plans that reached something new; older ones are forgotten. */
const MOST_PLANS = 200;

/**
 * Makes the plans of seeds. Half of them are drawn anew, the others change a plan that reached what no plan before had reached. What a seed
 * means depends on the runs before it, so a plan is replayed as data, never by its seed.
 */
export class Guide {
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
