import type { SimulationPlan } from '../contract/fault.ts';
import type { Finding } from '../contract/finding.ts';

/** The preparation of a run of this process. */
export interface RunPreparation {
  prepare(plan: SimulationPlan): Promise<void>;
  /** Whether too little was prepared for the last run, which then has to be repeated; asked once. */
  takeShortage(): boolean;
}

/** Reports further findings at the end of a run. */
export type EndWatcher = () => readonly Finding[];

const endWatchers = new Set<EndWatcher>();
const watchers = new Set<(plan: SimulationPlan) => void>();
let preparation: RunPreparation | undefined;

/** Calls the watcher at the start of each run of this process. */
export function onRunStart(watcher: (plan: SimulationPlan) => void): void {
  watchers.add(watcher);
}

/** Calls the watcher at the end of each run of this process. */
export function onRunEnd(watcher: EndWatcher): void {
  endWatchers.add(watcher);
}

export function setRunPreparation(given: RunPreparation): void {
  preparation = given;
}

/** A run starts, once it is prepared. */
export async function runStarts(plan: SimulationPlan): Promise<void> {
  await preparation?.prepare(plan);
  for (const watcher of watchers) watcher(plan);
}

/** A run ends. */
export function runEnds(): readonly Finding[] {
  return [...endWatchers].flatMap((watcher) => watcher());
}

/** Whether the run that has ended has to be repeated. */
export function wasRunShort(): boolean {
  return preparation?.takeShortage() ?? false;
}
