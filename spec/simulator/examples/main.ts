/**
 * Simulates each controller of `examples/`: `npm run check -- simulate-examples [--seeds N] [--budget SECONDS] [--only NAME[,NAME]]`. The budget
 * is that of each. Exit code 1 when something was found.
 */
import { parseArgs } from 'node:util';
import { exampleSimulations } from './simulations.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    budget: { type: 'string', default: '600' },
    only: { type: 'string' },
  },
});

function numberOf(name: 'seeds' | 'budget'): number {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new Error(`--${name} has to be a whole number, not "${values[name]}"`);
}

/** Causes that are printed of one example. */
const MOST_CAUSES = 50;
const settings = {
  seeds: numberOf('seeds'),
  budgetMs: numberOf('budget') * 1000,
  maxFailures: MOST_CAUSES,
  shrink: false,
};
let [runs, alarms] = [0, 0];
for (const name of values.only?.split(',') ?? exampleSimulations.keys()) {
  const simulated = exampleSimulations.get(name);
  if (simulated === undefined) {
    throw new Error(
      `no example is called "${name}": use ${[...exampleSimulations.keys()].join(', ')}`,
    );
  }
  const { plans, failures, searchMs, complete } = await simulated(settings);
  const counts = Object.values(plans);
  const run = counts.reduce((sum, one) => sum + one.run, 0);
  const failed = counts.reduce((sum, one) => sum + one.failed, 0);
  const seeds = plans['random seeds']?.run ?? 0;
  const note = complete ? '' : ' (budget)';
  console.log(
    `${name.padEnd(22)} ${run - seeds} plans and ${seeds} seeds${note}, ${failed} failed, ${(searchMs / 1000).toFixed(1)} s`,
  );
  for (const { cause, runs: times, findings, plan } of failures) {
    console.log(
      `    ${times} of ${cause}\n      ${findings[0]?.message}\n      ${JSON.stringify(plan)}`,
    );
  }
  runs += run;
  alarms += failed;
}
console.log(`${alarms} of ${runs} runs failed`);
if (alarms > 0) process.exitCode = 1;
