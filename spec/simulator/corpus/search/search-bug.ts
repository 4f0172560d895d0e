import type { SimulationFailure } from '../../../../lib/simulator/contract/simulation-report.ts';
import { simulate } from '../../../../lib/simulator/simulate.ts';
import { knownBugs } from '../index.ts';
import type { KnownBug } from '../known-bug.ts';
import type { BugResult, BugTask, FoundPlan } from './bug-result.ts';

/** Alarms of one fixed version that are told; all are counted. */
const MOST_ALARMS = 1000;

/** @throws {Error} no bug has this name. */
export function bugOf(name: string): KnownBug {
  const bug = knownBugs.find((one) => one.name === name);
  if (bug !== undefined) return bug;
  throw new Error(
    `no known bug is called "${name}": use ${knownBugs.map((one) => one.name).join(', ')}`,
  );
}

/** Searches one version of a bug. The wrong one until its defect is found; the fixed one to the end. */
export async function searchBug(task: BugTask): Promise<BugResult> {
  const first = await search(task, task.version === 'wrong' ? 1 : MOST_ALARMS);
  if (task.version === 'fixed' || first.found.length === 0) return first;
  if (await isTheDefect(task.name, first.found[0])) return first;
  // Something else was found, which the fixed version does too.
  const all = await search(task, MOST_ALARMS);
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

async function search(
  { name, version, seeds, budgetMs }: BugTask,
  maxFailures: number,
): Promise<BugResult> {
  const bug = bugOf(name);
  const report = await simulate({
    controllers: bug[version],
    world: bug.world,
    workload: bug.workload,
    invariants: bug.invariants ?? [],
    seeds,
    budgetMs,
    maxFailures,
    shrink: version === 'wrong',
    onFailure: 'return',
  });
  const counts = Object.values(report.plans);
  return {
    name,
    pattern: bug.pattern,
    version,
    runs: counts.reduce((sum, { run }) => sum + run, 0),
    alarms: counts.reduce((sum, { failed }) => sum + failed, 0),
    found: report.failures.map(foundPlan),
    searchMs: report.searchMs,
    elapsedMs: report.elapsedMs,
    virtualMs: report.virtualMs,
    complete: report.complete,
  };
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
