import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { errorMessage } from '../../lib/kernel/failure/errors.ts';
import { runMutants } from './mutant-run.ts';
import { drawScenario } from './scenario.ts';
import { shrink } from './shrink.ts';
import { HELP, printPlaces, readOptions, type SoakOptions } from './soak-options.ts';
import { playInPool } from './soak-pool.ts';
import { printTotals, ProgressLine } from './soak-print.ts';
import { addReport, noTotals } from './soak-report.ts';
import { runScenario } from './soak-run.ts';
import { replayCommand, withSteps } from './soak-seed.ts';

const SHRINK_MS = 20_000;
const FAILURES_SHOWN = 20;

/** Plays one seed here, and shrinks it when it fails. */
async function playOne(seed: number, options: SoakOptions): Promise<boolean> {
  const { trace, steps, without } = options;
  const scenario = drawScenario(seed, without);
  const chosen = steps === undefined ? scenario : withSteps(scenario, steps);
  const report = await runScenario(chosen, { traced: trace });
  for (const line of report.trace) console.log(line);
  const { events, operations, source, failures } = report;
  console.log(`seed ${seed} (${source}): ${operations} operations, ${events} events checked`);
  for (const failure of failures) console.log(`FAILED ${failure}`);
  if (failures.length === 0) return true;
  if (!options.shrink || steps !== undefined) return false;
  const { places, report: least, runs } = await shrink(scenario, report, SHRINK_MS);
  console.log(`\n${places.length} of ${scenario.steps.length} steps are enough (${runs} runs):`);
  console.log(`  FAILED ${least.failures[0]}`);
  const command = replayCommand(seed, without);
  console.log(`  ${command} --trace --steps ${printPlaces(places)}`);
  return false;
}

async function playMany(options: SoakOptions): Promise<boolean> {
  const { seeds: count, from, without, json, stopAtFirst } = options;
  const startMs = performance.now();
  const totals = noTotals();
  const progress = new ProgressLine(count);
  const workers = options.workers ?? availableParallelism();
  await playInPool({
    seeds: Array.from({ length: count }, (_, index) => from + index),
    without,
    workers,
    enough: () => stopAtFirst && totals.failures.length > 0,
    onReport: (report) => {
      addReport(totals, report);
      progress.update(totals);
    },
    onInconclusive: (seed, limitMs) => totals.inconclusive.push({ seed, limitMs }),
  });
  progress.end();
  const wallSeconds = (performance.now() - startMs) / 1000;
  totals.failures.sort((left, right) => left.seed - right.seed);
  console.log(printTotals(totals, wallSeconds));
  for (const { seed, failures } of totals.failures.slice(0, FAILURES_SHOWN)) {
    console.log(`\nseed ${seed}: ${failures[0]}\n  ${replayCommand(seed, without)}`);
  }
  for (const { seed, limitMs } of totals.inconclusive) {
    const command = replayCommand(seed, without);
    console.log(`\nseed ${seed}: inconclusive, no answer within ${limitMs / 1000} s\n  ${command}`);
  }
  if (json !== undefined) {
    const figures = { from, without: [...without], workers, wallSeconds, ...totals };
    writeFileSync(json, `${JSON.stringify({ ...figures, node: process.version }, null, 2)}\n`);
  }
  return totals.failures.length + totals.inconclusive.length === 0;
}

async function main(): Promise<boolean> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    console.log(HELP);
    return true;
  }
  if (options.mutants !== undefined) return await runMutants(options.mutants, options.seeds);
  if (options.seed !== undefined) return await playOne(options.seed, options);
  return await playMany(options);
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = 2;
}
