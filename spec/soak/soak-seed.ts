import type { FaultKind } from './faults.ts';
import { drawScenario, type Scenario } from './scenario.ts';
import type { SeedReport } from './soak-report.ts';
import { runScenario } from './soak-run.ts';

/** Every so many seeds one is played twice, and has to go the same way. */
const REPLAYED = 50;

/** Plays one seed; what it reports is a function of the seed. */
export async function playSeed(
  seed: number,
  without: ReadonlySet<FaultKind> = new Set(),
): Promise<SeedReport> {
  const report = await runScenario(drawScenario(seed, without));
  if (seed % REPLAYED !== 0) return report;
  const again = await runScenario(drawScenario(seed, without));
  if (JSON.stringify(again) === JSON.stringify(report)) return report;
  return { ...report, failures: [...report.failures, 'a second run went another way'] };
}

/** The scenario with some of its steps only. */
export function withSteps(scenario: Scenario, places: readonly number[]): Scenario {
  return { ...scenario, steps: places.flatMap((place) => scenario.steps[place] ?? []) };
}

export function replayCommand(seed: number, without: ReadonlySet<FaultKind> = new Set()): string {
  const left = without.size === 0 ? '' : ` --without ${[...without].join(',')}`;
  return `npm run soak -- --seed ${seed}${left}`;
}
