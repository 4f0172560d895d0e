import type { LoadingClock } from '../ambient/loading-clock.ts';
import { machineRuntime } from '../ambient/real-sources.ts';
import type { SimulationPlan } from '../contract/fault.ts';
import type { SimulatedController } from '../contract/simulated-controller.ts';
import type { SimulationOptions } from '../contract/simulation-options.ts';
import { SIMULATOR_VERSION } from '../contract/simulator-version.ts';
import { setRunPreparation } from '../run/run-watchers.ts';
import { processName } from '../run/seed-run.ts';
import { Simulation } from '../run/simulation.ts';
import { simulationParts } from '../run/simulation-parts.ts';
import { recordingOf } from '../search/recording.ts';
import type { IsolationSettings } from './isolation-settings.ts';
import { loadOptions } from './load-options.ts';
import { ModuleCopies, registerModuleHooks } from './module-copies.ts';

/** The options of a module, and how its incarnations get its modules. */
export interface ChosenModules {
  readonly options: SimulationOptions;
  readonly modules: 'shared' | 'fresh';
  /** Why they are loaded anew. */
  readonly note?: string | undefined;
}

/** Plans with a crash that are compared. */
const MOST_CRASHES = 4;
const LONGEST_LINE = 160;

/**
 * Loads the options of a simulation, and decides whether its incarnations share the state at module level. With `auto` some runs are done
 * both ways: if their traces differ, state that a process leaves behind reaches its successor, which no restart in production lets happen.
 */
export async function chooseModules(
  { module, modules }: IsolationSettings,
  clock: LoadingClock,
): Promise<ChosenModules> {
  const shared = await loadOptions(module, clock);
  if (modules === 'shared') return { options: shared, modules };
  registerModuleHooks();
  const copies = new ModuleCopies(module, clock);
  const controllers = copies.controllers(shared);
  const options = { ...shared, controllers };
  const processes = shared.controllers.flatMap(namesOf);
  setRunPreparation({
    prepare: (plan) => copies.prepare(processes.length, plan),
    takeShortage: () => copies.takeShortage(),
  });
  if (modules === 'fresh') return { options, modules };
  const note = await difference(await Simulation.of(simulationParts(options)), copies, processes);
  if (note === undefined) copies.isUsed = false;
  return note === undefined
    ? { options: shared, modules: 'shared' }
    : { options, modules: 'fresh', note };
}

function namesOf(controller: SimulatedController): readonly string[] {
  const { replicas = 1 } = controller;
  return Array.from({ length: replicas }, (_, replica) => processName(controller, replica));
}

/** The difference between runs with fresh and with shared modules, as a sentence. */
async function difference(
  simulation: Simulation,
  copies: ModuleCopies,
  processes: readonly string[],
): Promise<string | undefined> {
  const traceOf = async (plan: SimulationPlan, isFresh: boolean): Promise<readonly string[]> => {
    copies.isUsed = isFresh;
    return (await simulation.record(plan)).journal.text().split('\n');
  };
  copies.isUsed = false;
  const first = planOf([]);
  // Leaves behind what it leaves.
  const recording = recordingOf(await simulation.record(first), processes);
  const crashes = recording.writes
    .slice(0, MOST_CRASHES)
    .map(({ process, at }) => planOf([{ kind: 'crash', process, at, moment: 'handled' }]));
  for (const plan of [first, ...crashes]) {
    const shared = await traceOf(plan, false);
    const startMs = machineRuntime.monotonicMs();
    const fresh = await traceOf(plan, true);
    const freshMs = machineRuntime.monotonicMs() - startMs;
    const index = fresh.findIndex((line, at) => line !== shared[at]);
    if (index < 0 && fresh.length === shared.length) continue;
    const again = await traceOf(plan, true);
    // Then it is not the modules: a run and its repetition differ.
    if (again.join('\n') !== fresh.join('\n')) return undefined;
    return noteOf(plan, fresh[index], shared[index < 0 ? fresh.length : index], freshMs);
  }
  return undefined;
}

function planOf(faults: SimulationPlan['faults']): SimulationPlan {
  return { version: SIMULATOR_VERSION, seed: -1, faults, origin: 'module state' };
}

function noteOf(
  { faults }: SimulationPlan,
  fresh: string | undefined,
  shared: string | undefined,
  freshMs: number,
): string {
  const [one, other] = [fresh, shared].map(
    (line) => `"${(line ?? 'nothing').slice(0, LONGEST_LINE)}"`,
  );
  const when = faults.length === 0 ? 'a run without faults' : 'a run with a crash';
  return (
    `state at module level survives a restart and makes a difference: ${when} has ${one} with freshly loaded modules, and ${other} with shared ones. ` +
    `So each incarnation gets freshly loaded modules, and a run takes about ${Math.ceil(freshMs)} ms. Keep the state in run() to search faster`
  );
}
