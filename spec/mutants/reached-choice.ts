import type { Mutant } from './mutant-choice.ts';
import type { Reach, Reaching } from './reach.ts';
import type { SpecChoice, SpecWave } from './spec-choice.ts';

/** Spec files of the first runs; the last run has all others. */
const WAVES = [2, 8, 40] as const;

/** Chooses the spec files that are known to run what a mutant changes, the nearest first. */
export class ReachedChoice {
  readonly #reach: Reach;
  readonly #choice: SpecChoice;

  constructor(reach: Reach, choice: SpecChoice) {
    this.#reach = reach;
    this.#choice = choice;
  }

  /** None for a mutant that no spec reaches. */
  wavesFor(mutant: Mutant): SpecWave[] {
    const { file } = mutant;
    const reaching = this.#reach.specsFor(mutant);
    const known = new Set(reaching.map(({ spec }) => spec));
    // What is read once, while files are imported, is not known to be reached by any one spec.
    const named = this.#reach.isLoaded(mutant) ? this.#reach.specsOf(file) : [];
    const specs = [...reaching, ...named.filter(({ spec }) => !known.has(spec))]
      .map((one) => ({ ...one, nearness: this.#choice.nearness(one.spec, file) }))
      .toSorted((left, right) => right.nearness - left.nearness || left.tookMs - right.tookMs);
    const waves: SpecWave[] = [];
    let from = 0;
    for (const size of [...WAVES, specs.length]) {
      if (from < specs.length) waves.push(waveOf(specs.slice(from, from + size)));
      from += size;
    }
    return waves;
  }
}

function waveOf(reaching: readonly Reaching[]): SpecWave {
  return {
    specs: reaching.map(({ spec }) => spec),
    unchangedMs: reaching.reduce((sum, { tookMs }) => sum + tookMs + LOAD_MS, 0),
  };
}

/** What importing a spec file takes, at most, where the machine is not busy. */
const LOAD_MS = 500;
