/**
 * A process over code with mutants behind switches: `reach` says which switches simulations come by, a number switches one mutant on and
 * says what simulations find.
 */
import { errorMessage } from '../../../lib/kernel/failure/errors.ts';
import { simulate } from '../../../lib/simulator/simulate.ts';
import { SWITCH } from '../switches.ts';
import { simulations } from './simulations.ts';

/** Without time travel, which the example does not survive. */
const KINDS = [
  'crash',
  'error',
  'lost',
  'repeat',
  'slow',
  'partition',
  'pause',
  'webhook',
  'clock',
  'cut',
  'hide',
  'reorder',
] as const;
const SEEDS = 150;
const BUDGET_MS = 45_000;

const [what = 'reach'] = process.argv.slice(2);
const reached = new Set<number>();
const on = Number(what);
Object.assign(globalThis, {
  [SWITCH]: (number: number): boolean => {
    reached.add(number);
    return number === on;
  },
});

/** What the simulations find, or undefined. */
async function found(seeds: number): Promise<string | undefined> {
  for (const simulation of simulations) {
    try {
      const report = await simulate({
        ...simulation,
        systematic: false,
        faults: KINDS,
        seeds,
        budgetMs: BUDGET_MS,
        shrink: false,
        onFailure: 'return',
      });
      const [failure] = report.failures;
      const [finding] = failure?.findings ?? [];
      if (failure === undefined || finding === undefined) continue;
      return `${finding.class}: ${finding.subject}: ${finding.message}, after ${failure.runsToFind} runs`;
    } catch (error) {
      return errorMessage(error);
    }
  }
  return undefined;
}

const result = await found(what === 'reach' ? 10 : SEEDS);
process.send?.({ reached: [...reached], found: result });
process.disconnect?.();
