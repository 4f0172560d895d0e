import type { SimulationFailure } from '../../../../lib/simulator/contract/simulation-report.ts';
import type { SimulatedController } from '../../../../lib/simulator/contract/simulated-controller.ts';
import { FAULT_KINDS } from '../../../../lib/simulator/contract/fault.ts';
import { processName } from '../../../../lib/simulator/run/seed-run.ts';
import { Simulation } from '../../../../lib/simulator/run/simulation.ts';
import { simulationParts } from '../../../../lib/simulator/run/simulation-parts.ts';
import { localRunner } from '../../../../lib/simulator/search/plan-runner.ts';
import { Search, type FailedPlan } from '../../../../lib/simulator/search/search.ts';
import { simulate } from '../../../../lib/simulator/simulate.ts';
import { knownBugs } from '../index.ts';
import type { KnownBug } from '../known-bug.ts';
import type { BugResult, BugTask, FoundPlan } from './bug-result.ts';
import { ProcessorClock, type ProcessorClockSources } from './processor-clock.ts';

/** Alarms of one fixed version that are printed; all are counted. */
const MOST_ALARMS = 1000;

/** @throws {Error} no bug has this name. */
export function bugOf(name: string): KnownBug {
  const bug = knownBugs.find((one) => one.name === name);
  if (bug !== undefined) return bug;
  throw new Error(
    `no known bug is called "${name}": use ${knownBugs.map((one) => one.name).join(', ')}`,
  );
}

/**
 * Searches one version of a bug. The wrong one until its defect is found; the fixed one to the end. `sources`: of the clock of the
 * budget, in place of the machine's.
 */
export async function searchBug(
  task: BugTask,
  sources?: ProcessorClockSources,
): Promise<BugResult> {
  const first = await search(task, task.version === 'wrong' ? 1 : MOST_ALARMS, sources);
  if (task.version === 'fixed' || first.found.length === 0) return first;
  if (await isTheDefect(task.name, first.found[0])) return first;
  // Something else was found, which the fixed version does too.
  const all = await search(task, MOST_ALARMS, sources);
  const found: FoundPlan[] = [];
  for (const one of all.found) {
    if (found.length === 0 && (await isTheDefect(task.name, one))) found.push(one);
  }
  return { ...all, found };
}

/** Whether the fixed version passes a plan: what fails there too says nothing about the defect. */
async function isTheDefect(name: string, found: FoundPlan | undefined): Promise<boolean> {
  if (found === undefined) return false;
  const bug = bugOf(name);
  const { world, workload, invariants = [] } = bug;
  const { ok } = await simulate({
    controllers: bug.fixed,
    world,
    workload,
    invariants,
    replay: found.plan,
    onFailure: 'return',
  });
  return ok;
}

/** As `simulate`, with a budget of processor time. */
async function search(
  { name, version, seeds, from = 1, systematic = true, budgetMs }: BugTask,
  maxFailures: number,
  sources: ProcessorClockSources | undefined,
): Promise<BugResult> {
  const bug = bugOf(name);
  const clock = new ProcessorClock(sources);
  const { world, workload, invariants = [] } = bug;
  const controllers = bug[version];
  const simulation = await Simulation.of(
    simulationParts({ controllers, world, workload, invariants }),
  );
  const { plans, failed, virtualMs, complete } = await new Search({
    simulation,
    runner: localRunner(simulation),
    processes: controllers.flatMap(processNames),
    kinds: FAULT_KINDS,
    systematic,
    seeds: [from, from + seeds - 1],
    runtime: clock,
    endMs: budgetMs,
    maxFailures,
    onProgress: () => {},
    signal: undefined,
  }).run();
  const { elapsedMs: searchMs, processorMs } = clock;
  const found: FoundPlan[] = [];
  for (const one of failed) found.push(await explained(bug, version, one));
  const counts = Object.values(plans);
  return {
    name,
    pattern: bug.pattern,
    version,
    runs: counts.reduce((sum, { run }) => sum + run, 0),
    alarms: counts.reduce((sum, one) => sum + one.failed, 0),
    found,
    searchMs,
    processorMs,
    elapsedMs: clock.elapsedMs,
    virtualMs,
    complete,
  };
}

function processNames(controller: SimulatedController): readonly string[] {
  const { replicas = 1 } = controller;
  return Array.from({ length: replicas }, (_, replica) => processName(controller, replica));
}

/** A plan that failed, made smaller if it is that of a wrong version. */
async function explained(
  { wrong, fixed, world, workload, invariants = [] }: KnownBug,
  version: BugTask['version'],
  { plan, runsToFind, cause, runs }: FailedPlan,
): Promise<FoundPlan> {
  const { failures } = await simulate({
    controllers: version === 'wrong' ? wrong : fixed,
    world,
    workload,
    invariants,
    replay: plan,
    shrink: version === 'wrong',
    onFailure: 'return',
  });
  const [failure] = failures;
  if (failure === undefined) throw new Error(`a plan failed once only: ${JSON.stringify(plan)}`);
  return foundPlan({ ...failure, runsToFind, cause, runs });
}

function foundPlan(failure: SimulationFailure): FoundPlan {
  const { plan, foundWith, findings, runsToFind, cause, runs } = failure;
  const [first] = findings;
  return {
    cause,
    runs,
    origin: foundWith.origin,
    runsToFind,
    faults: foundWith.faults.length,
    faultsShrunk: plan.faults.length,
    classes: [...new Set(findings.map((one) => one.class))],
    first: first === undefined ? '' : `${first.subject}: ${first.message}`,
    plan: JSON.stringify(plan),
  };
}
