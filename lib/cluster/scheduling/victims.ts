import type { Stored } from '../../meta/stored.ts';
import type { Pod } from '../../types/built-in/core-v1-kinds.ts';
import type { PodDisruptionBudget } from '../../types/built-in/policy-v1-kinds.ts';
import { selectorOf } from './model/affinity-terms.ts';
import type { PodFacts } from './model/pod-facts.ts';
import type { Rejection } from './model/plugin.ts';
import type { Trial } from './filter-run.ts';

/** A pod that may have to go. */
export interface Victim {
  readonly facts: PodFacts;
  readonly pod: Stored<Pod>;
  readonly startMs: number;
}

/** The pods that have to leave a node for another one. */
export interface Candidate {
  readonly node: string;
  /** The more important ones first. */
  readonly victims: readonly Victim[];
  /** Those whose disruption budget does not allow it. */
  readonly violations: number;
}

export const NO_VICTIMS: Rejection = {
  plugin: 'NodeResourcesFit',
  reasons: ['No preemption victims found for incoming pod'],
  resolvable: false,
};

/** Orders by importance: a higher priority first, then the one that runs for longer. */
export function byImportance(one: Victim, other: Victim): number {
  return other.facts.priority - one.facts.priority || one.startMs - other.startMs;
}

/**
 * The fewest pods of a lower priority without which the node takes the pod: all leave it as a trial, and come back as long as there is
 * room, first those that a disruption budget protects, the more important ones first.
 * @see pkg/scheduler/framework/plugins/defaultpreemption SelectVictimsOnNode @ v1.37.2
 */
export function selectVictims(
  trial: Trial,
  possible: readonly Victim[],
  budgets: readonly PodDisruptionBudget[],
): Candidate | Rejection {
  for (const { facts } of possible) trial.remove(facts);
  const against = trial.check();
  if (against !== undefined) return against;
  const sorted = possible.toSorted(byImportance);
  const isProtected = protectedBy(budgets);
  const guarded = new Set(sorted.filter(isProtected));
  const victims: Victim[] = [];
  for (const victim of [...guarded, ...sorted.filter((one) => !guarded.has(one))]) {
    trial.add(victim.facts);
    if (trial.check() === undefined) continue;
    trial.remove(victim.facts);
    victims.push(victim);
  }
  const violations = victims.filter((victim) => guarded.has(victim)).length;
  return { node: trial.node.name, victims: victims.toSorted(byImportance), violations };
}

/** Asked for one pod after the other: each takes from the budgets that cover it. */
function protectedBy(budgets: readonly PodDisruptionBudget[]): (victim: Victim) => boolean {
  const left = budgets.map(({ status }) => status?.disruptionsAllowed ?? 0);
  const selectors = budgets.map(({ spec }) => selectorOf(spec?.selector));
  return ({ facts: { namespace, name, labels = {} } }) => {
    if (Object.keys(labels).length === 0) return false;
    for (const [index, { metadata, status }] of budgets.entries()) {
      const selector = selectors[index];
      if (metadata?.namespace !== namespace || selector === undefined || selector.empty) continue;
      if (!selector.matches(labels) || status?.disruptedPods?.[name] !== undefined) continue;
      left[index] = (left[index] ?? 0) - 1;
      if ((left[index] ?? 0) < 0) return true;
    }
    return false;
  };
}

const SHIFT = 2 ** 31;

/**
 * The candidate that costs least: the fewest broken budgets, the least important victims, the fewest of them, those that started last.
 * @see pkg/scheduler/framework/preemption/preemption.go pickOneNodeForPreemption @ v1.37.2
 */
export function cheapest(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (best, one) => (best === undefined || compareCosts(one, best) < 0 ? one : best),
    undefined,
  );
}

function compareCosts(one: Candidate, other: Candidate): number {
  const [left, right] = [costsOf(one), costsOf(other)];
  for (const [index, cost] of left.entries()) {
    const difference = cost - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function costsOf({ victims, violations }: Candidate): readonly number[] {
  const highest = victims[0]?.facts.priority ?? 0;
  // A node with few victims of a negative priority is better than one with many.
  const sum = victims.reduce((total, { facts }) => total + facts.priority + SHIFT, 0);
  const top = victims.filter(({ facts }) => facts.priority === highest);
  const earliest = Math.min(...top.map(({ startMs }) => startMs));
  return [violations, highest, sum, victims.length, -earliest];
}
