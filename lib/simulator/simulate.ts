import { ListwatchError } from '../kernel/failure/errors.ts';
import { machineRuntime } from './ambient/real-sources.ts';
import { checkOptions } from './contract/check-options.ts';
import { FAULT_KINDS, type SimulationPlan } from './contract/fault.ts';
import type { Finding } from './contract/finding.ts';
import type { SimulatedController } from './contract/simulated-controller.ts';
import type { SimulationOptions } from './contract/simulation-options.ts';
import type { SimulationFailure, SimulationReport } from './contract/simulation-report.ts';
import type { WorkloadStep } from './contract/world.ts';
import { htmlTimeline } from './explain/html-timeline.ts';
import { reproduction } from './explain/reproduction.ts';
import { groupText, story } from './explain/story.ts';
import { storyLines } from './explain/story-lines.ts';
import { processName } from './run/seed-run.ts';
import { checkPlanVersion, Simulation } from './run/simulation.ts';
import { simulationParts } from './run/simulation-parts.ts';
import { causeOf } from './contract/cause.ts';
import { localRunner } from './search/plan-runner.ts';
import { processPool } from './parallel/process-pool.ts';
import { Search, type FailedPlan, type SearchResult } from './search/search.ts';
import { shrinkPlan } from './search/shrink-plan.ts';
import { SimulationError } from './simulation-error.ts';

const OWNER = 'simulate';
const DEFAULT_SEEDS = 100;
/** Real time for making one plan smaller, milliseconds. */
const SHRINK_MS = 60_000;

/**
 * Runs controllers against an API server in virtual time, again and again with other faults: crashes between two writes, stale caches,
 * changes that are never seen, lost answers, conflicts, partitions. First each plan that follows from a run without faults, then random
 * seeds. The end of each run is compared with runs without faults, and with the invariants.
 *
 * Guarantees:
 * - The same plan gives the same run, byte for byte, on every machine.
 * - A failure is reduced and explained as a story, with a plan that replays it.
 * - The steps and the world meet no fault, and no fault lasts: a right controller reaches the expected state.
 *
 * Not guaranteed: that a controller without findings is right.
 *
 * A controller has to use the client, the clock, the timers and the random numbers that it is given. Other sources of time and chance make
 * runs differ.
 * @throws {SimulationError} code SIMULATION_FAILED with the story of what was found. {ListwatchError} code INVALID_OPTION: an option, a
 * world whose objects are refused, a plan of another version.
 *
 * @example
 * await simulate({
 *   controllers: [{ name: 'sites', run: ({ client, runtime, signal }) => siteOperator(client, { runtime }).run({ signal }) }],
 *   workload: [{ title: 'create a site', act: async (user) => { await user.resource('example.com/v1', 'sites', { namespace: 'shop' }).create(site); } }],
 * });
 * @experimental
 */
export async function simulate<Types extends object = object>(
  options: SimulationOptions<Types>,
): Promise<SimulationReport> {
  // Types only say what the objects are like.
  const given = options as unknown as SimulationOptions;
  checkOptions(given);
  const startMs = machineRuntime.monotonicMs();
  const { workload = [] } = given;
  const simulation = await Simulation.of(simulationParts(given));
  const found = await runAll(given, simulation, startMs);
  const searchMs = machineRuntime.monotonicMs() - startMs;
  const failures: SimulationFailure[] = [];
  for (const failed of found.failed) {
    failures.push(await explained(given, simulation, failed, workload));
  }
  const elapsedMs = machineRuntime.monotonicMs() - startMs;
  const report = reportOf(found, failures, simulation, { searchMs, elapsedMs });
  given.onProgress?.(report.summary);
  if (!report.ok && given.onFailure !== 'return') throw new SimulationError(report);
  return report;
}

async function runAll(
  options: SimulationOptions,
  simulation: Simulation,
  startMs: number,
): Promise<SearchResult> {
  const { controllers, replay, seeds = DEFAULT_SEEDS } = options;
  if (replay !== undefined) return await replayed(simulation, planOf(replay));
  const broken = await failedBaseline(simulation);
  if (broken !== undefined) return broken;
  const { parallel } = options;
  const runner =
    parallel === undefined
      ? localRunner(simulation)
      : processPool(String(parallel.module), parallel.processes);
  try {
    const search = new Search({
      simulation,
      runner,
      processes: controllers.flatMap(processNames),
      kinds: options.faults ?? FAULT_KINDS,
      systematic: options.systematic ?? true,
      seeds: typeof seeds === 'number' ? [1, seeds] : seeds,
      runtime: machineRuntime,
      endMs: startMs + (options.budgetMs ?? Infinity),
      maxFailures: options.maxFailures ?? 1,
      onProgress: options.onProgress ?? (() => {}),
      signal: options.signal,
    });
    return await search.run();
  } finally {
    await runner.close();
  }
}

/** Problems without faults are reported first. */
async function failedBaseline(simulation: Simulation): Promise<SearchResult | undefined> {
  const { findings, records } = await simulation.baseline();
  const [record] = records;
  const [finding] = findings;
  if (finding === undefined || record === undefined) return undefined;
  const cause = causeOf(finding);
  const failed = [{ plan: record.plan, runsToFind: 0, cause, runs: records.length }];
  const { virtualMs } = record;
  const count = { planned: records.length, run: records.length, failed: records.length };
  return { failed, plans: { 'no faults': count }, virtualMs, complete: true, runsElsewhere: 0 };
}

async function replayed(simulation: Simulation, plan: SimulationPlan): Promise<SearchResult> {
  checkPlanVersion(plan);
  const verdict = await simulation.evaluate(plan);
  const [finding] = verdict.findings;
  const failed =
    finding === undefined ? [] : [{ plan, runsToFind: 1, cause: causeOf(finding), runs: 1 }];
  const plans = { replay: { planned: 1, run: 1, failed: failed.length } };
  return { failed, plans, virtualMs: verdict.record.virtualMs, complete: true, runsElsewhere: 0 };
}

/** Reduces a failed plan and explains it. */
async function explained(
  options: SimulationOptions,
  simulation: Simulation,
  { plan: foundWith, runsToFind, cause, runs }: FailedPlan,
  workload: readonly WorkloadStep[],
): Promise<SimulationFailure> {
  const { signal, replay, shrink = replay === undefined } = options;
  const endMs = machineRuntime.monotonicMs() + SHRINK_MS;
  const isBaseline = runsToFind === 0;
  const { plan } =
    shrink && !isBaseline
      ? await shrinkPlan({
          simulation,
          plan: foundWith,
          steps: workload.length,
          replicas: Math.max(...options.controllers.map(({ replicas = 1 }) => replicas)),
          mayContinue: () => signal?.aborted !== true && machineRuntime.monotonicMs() < endMs,
        })
      : { plan: foundWith };
  const detailed = await simulation.evaluate(plan, { detailed: true, usual: isBaseline });
  const { record } = detailed;
  const usual = isBaseline ? (await simulation.baseline()).findings : [];
  const findings = unique([...usual, ...detailed.findings]);
  const explained = {
    plan,
    findings,
    lines: storyLines(record),
    group: { cause, runs },
    steps: workload
      .filter((_, index) => plan.withoutSteps?.includes(index) !== true)
      .map(({ title }) => title),
  };
  return {
    plan,
    foundWith,
    findings,
    runsToFind,
    cause,
    runs,
    story: story(explained),
    html: htmlTimeline(explained),
    reproduction: (optionsModule) => reproduction({ plan, findings, optionsModule, runner: OWNER }),
    trace: record.journal.text(),
  };
}

function reportOf(
  { plans, virtualMs, complete, runsElsewhere }: SearchResult,
  failures: readonly SimulationFailure[],
  simulation: Simulation,
  { searchMs, elapsedMs }: Pick<SimulationReport, 'searchMs' | 'elapsedMs'>,
): SimulationReport {
  const parts = Object.entries(plans).map(
    ([name, { run, planned, failed }]) =>
      `${name} ${run} of ${planned}${failed > 0 ? `, ${failed} failed` : ''}`,
  );
  const runs = simulation.runs + runsElsewhere;
  const seconds = (elapsedMs / 1000).toFixed(1);
  const hours = (virtualMs / 3_600_000).toFixed(1);
  const groups = failures.map(groupText).join('; ');
  const result = groups === '' ? 'nothing was found' : `${failures.length} found (${groups})`;
  return {
    ok: failures.length === 0,
    failures,
    plans,
    notes: simulation.notes,
    runs,
    elapsedMs,
    searchMs,
    virtualMs,
    complete,
    summary: `${result}: ${parts.join('; ')}; ${runs} runs and ${hours} virtual hours in ${seconds} s`,
  };
}

function processNames(controller: SimulatedController): readonly string[] {
  const { replicas = 1 } = controller;
  return Array.from({ length: replicas }, (_, replica) => processName(controller, replica));
}

function unique(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ class: kind, subject }) => {
    const key = `${kind} ${subject}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function planOf(replay: SimulationPlan | string): SimulationPlan {
  if (typeof replay !== 'string') return replay;
  try {
    return JSON.parse(replay) as SimulationPlan;
  } catch (error) {
    const text = `${OWNER}: option "replay" is no JSON: pass the plan of a failure, as the report has it`;
    throw new ListwatchError('INVALID_OPTION', text, { cause: error });
  }
}
