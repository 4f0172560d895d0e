import type { SimulationPlan } from '../contract/fault.ts';
import type { Finding } from '../contract/finding.ts';
import type { Simulation } from '../run/simulation.ts';
import { isBackgroundResource } from '../network/request-facts.ts';
import { withoutUids } from '../record/uids.ts';
import type { RunRecord } from '../run/run-record.ts';

/** A count matters only up to this number. */
const MOST_COUNTED = 3;

/**
 * The coverage of a run, as numbers: which fault met which state of the cluster, how often each process wrote each object, and which
 * answers it got. A run with numbers that no other had went where none has been.
 */
function coverageOf(record: RunRecord): readonly number[] {
  const features = new Set<string>();
  addWrites(features, record);
  addAnswers(features, record);
  addFaults(features, record);
  return [...features].map(hashOf);
}

function addWrites(features: Set<string>, { history }: RunRecord): void {
  const counts = new Map<string, number>();
  for (const { writer, ref, type } of history.changes) {
    if (isBackgroundResource(ref.resource)) continue;
    const key = `${writer} ${ref.resource} ${withoutUids(ref.object)} ${type}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const [key, count] of counts) features.add(`${key} ${Math.min(count, MOST_COUNTED)}`);
}

function addAnswers(features: Set<string>, { requests }: RunRecord): void {
  for (const { actor, verb, resource, status } of requests) {
    if (!isBackgroundResource(resource)) features.add(`${actor} ${verb} ${resource} ${status}`);
  }
}

/** Each fault with the objects that exist, and the last change before it. */
function addFaults(features: Set<string>, { history, journal }: RunRecord): void {
  const objects = new Set<string>();
  let next = 0;
  let last = '';
  for (const { type, actor, text, atMs } of journal.entries) {
    if (type !== 'crash' && type !== 'fault') continue;
    for (; next < history.changes.length; next += 1) {
      const change = history.changes[next];
      if (change === undefined || change.atMs > atMs) break;
      const { ref } = change;
      if (isBackgroundResource(ref.resource)) continue;
      const id = `${ref.resource} ${withoutUids(ref.object)}`;
      last = `${id} ${change.type}`;
      if (change.type === 'deleted') objects.delete(id);
      else objects.add(id);
    }
    const kind = text.split(' ', 3).join(' ');
    features.add(`${actor} ${kind}: ${last}; ${[...objects].toSorted().join()}`);
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/** The result of the run of a plan, for a search. */
export interface PlanResult {
  readonly findings: readonly Finding[];
  readonly virtualMs: number;
  /** See `coverageOf`. */
  readonly coverage: readonly number[];
}

/** Where plans are run. */
export interface PlanRunner {
  /** The number of plans that it runs at the same time. */
  readonly width: number;
  /** Runs that `Simulation.runs` of this process does not count. */
  readonly runsElsewhere: number;
  run(plan: SimulationPlan): Promise<PlanResult>;
  close(): Promise<void>;
}

/** In this thread, one after the other. */
export function localRunner(simulation: Simulation): PlanRunner {
  return {
    width: 1,
    runsElsewhere: 0,
    run: async (plan) => {
      const { findings, record } = await simulation.evaluate(plan);
      return { findings, virtualMs: record.virtualMs, coverage: coverageOf(record) };
    },
    close: () => Promise.resolve(),
  };
}
