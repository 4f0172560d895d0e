import type { Scenario } from './scenario.ts';
import type { SeedReport } from './soak-report.ts';
import { runScenario } from './soak-run.ts';
import { withSteps } from './soak-seed.ts';

export interface Shrunk {
  /** Places of the steps that are needed. */
  readonly places: readonly number[];
  readonly report: SeedReport;
  readonly runs: number;
}

/**
 * Leaves out steps as long as what is left still fails, in halves, quarters and so on: delta debugging after Zeller.
 * Gives up after `limitMs` with what it has.
 */
export async function shrink(
  scenario: Scenario,
  failed: SeedReport,
  limitMs: number,
): Promise<Shrunk> {
  const endMs = performance.now() + limitMs;
  let best = { places: scenario.steps.map((_, place) => place), report: failed };
  let runs = 0;
  for (let size = Math.ceil(best.places.length / 2); size >= 1; ) {
    let smaller = false;
    // From the end: what came after the failure is not needed.
    for (let end = best.places.length; end > 0 && performance.now() < endMs; end -= size) {
      const places = best.places.toSpliced(Math.max(0, end - size), Math.min(size, end));
      runs += 1;
      const report = await runScenario(withSteps(scenario, places));
      if (report.failures.length === 0) continue;
      best = { places, report };
      smaller = true;
    }
    if (performance.now() >= endMs) break;
    if (size === 1 && !smaller) break;
    size = size === 1 ? 1 : Math.ceil(size / 2);
  }
  return { ...best, runs };
}
