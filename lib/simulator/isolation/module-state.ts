import type { LoadingClock } from '../ambient/loading-clock.ts';
import { machineRuntime } from '../ambient/real-sources.ts';
import type { SimulationPlan } from '../contract/fault.ts';
import type { SimulatedController } from '../contract/simulated-controller.ts';
import type { SimulationOptions } from '../contract/simulation-options.ts';
import { SIMULATOR_VERSION } from '../contract/simulator-version.ts';
import { setRunPreparation, onRunEnd, onRunStart } from '../run/run-watchers.ts';
import { processName } from '../run/seed-run.ts';
import { Simulation } from '../run/simulation.ts';
import { simulationParts } from '../run/simulation-parts.ts';
import { recordingOf } from '../search/recording.ts';
import type { IsolationSettings } from './isolation-settings.ts';
import { loadOptions } from './load-options.ts';
import { createRequire, register } from 'node:module';
import { pathToFileURL, fileURLToPath } from 'node:url';
import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { callPlace, ownFolders } from '../ambient/user-place.ts';
import { programPlace } from './guarded-process.ts';
import { withCopy, type ModuleHooksData, type ImportedModule } from './module-hooks.ts';
import { readFileSync } from 'node:fs';
import type { Finding } from '../contract/finding.ts';

/**
 * Reports modules that controllers import during a run: the loader needs real time for them.
 * @param port brings all imports, one message each
 */
function watchImports(port: MessagePort): void {
  onRunStart(() => {
    takeAll(port);
  });
  onRunEnd(() => {
    // Further imports of a module follow from the first one.
    const [first] = takeAll(port).filter(({ parent }) => isTheirs(parent));
    return first === undefined ? [] : [findingOf(first)];
  });
}

function takeAll(port: MessagePort): readonly ImportedModule[] {
  const all: ImportedModule[] = [];
  for (;;) {
    const received = receiveMessageOnPort(port);
    if (received === undefined) return all;
    all.push(received.message as ImportedModule);
  }
}

function isTheirs(parent: string): boolean {
  if (!parent.startsWith('file:')) return false;
  const { caller } = callPlace(`at (${parent}:1:1)`);
  return caller === 'user' || caller === 'dependency';
}

function findingOf({ parent, specifier }: ImportedModule): Finding {
  const { place } = callPlace(`at (${parent}:${lineOf(parent, specifier)}:1)`);
  return {
    class: 'escape',
    subject: `import() at ${place}`,
    message: `import('${specifier}') at ${place} loads a module during a run, which takes real time. Import it at the top of the module`,
  };
}

/** The line of the source that imports a module. */
function lineOf(parent: string, specifier: string): number {
  const url = new URL(parent);
  url.search = '';
  const lines = readFileSync(fileURLToPath(url), 'utf8').split('\n');
  return (
    Math.max(
      0,
      lines.findIndex((line) => line.includes('import(') && line.includes(specifier)),
    ) + 1
  );
}

/** Beyond those that the faults of a plan need. */
const SPARE = 1;

/** Makes freshly loaded modules possible in this process. */
function registerModuleHooks(): void {
  const { port1, port2: port } = new MessageChannel();
  port1.unref();
  const folders = ownFolders().map((folder) => pathToFileURL(folder).href);
  const data: ModuleHooksData = { folders, port };
  register(programPlace('isolation/module-hooks'), { data, transferList: [port] });
  watchImports(port1);
}

/**
 * The modules of a user, loaded anew for each incarnation. A module cannot be loaded while a run waits for it, nor unloaded: copies are loaded
 * before a run, and what they take in memory is never given back.
 */
class ModuleCopies {
  readonly #module: string;
  readonly #clock: LoadingClock;
  readonly #ready: SimulationOptions[] = [];
  #wanted = 0;
  #isShort = false;
  /** Copies so far. */
  loaded: number = 0;
  /** Whether incarnations get copies; if not, they share the modules. */
  isUsed: boolean = true;

  constructor(module: string, clock: LoadingClock) {
    this.#module = module;
    this.#clock = clock;
  }

  /** The same controllers: each incarnation of them runs with a copy of its own. */
  controllers(shared: SimulationOptions): readonly SimulatedController[] {
    return shared.controllers.map((controller, index) => ({
      ...controller,
      run: (incarnation) => {
        const one = this.isUsed ? this.#take(shared) : shared;
        return (one.controllers[index] ?? controller).run(incarnation);
      },
    }));
  }

  /** Loads what the run of a plan needs. */
  async prepare(processes: number, { faults }: SimulationPlan): Promise<void> {
    if (!this.isUsed) return;
    const most = Math.max(this.#wanted, processes + faults.length + SPARE);
    while (this.#ready.length < most) this.#ready.push(await this.#load());
  }

  /** Whether the last run needed more copies than there were: it has to be repeated. */
  takeShortage(): boolean {
    const { isUsed } = this;
    const wasShort = this.#isShort;
    this.#isShort = false;
    return isUsed && wasShort;
  }

  #take(shared: SimulationOptions): SimulationOptions {
    const copy = this.#ready.shift();
    if (copy !== undefined) return copy;
    this.#isShort = true;
    this.#wanted += 4;
    return shared;
  }

  async #load(): Promise<SimulationOptions> {
    this.loaded += 1;
    forgetRequired();
    return await loadOptions(withCopy(this.#module, this.loaded), this.#clock);
  }
}

/** Modules of the user that `require` has loaded are loaded again. */
function forgetRequired(): void {
  const { cache } = createRequire(pathToFileURL('index.js').href);
  for (const file of Object.keys(cache)) {
    if (callPlace(`at (${file}:1:1)`).caller === 'user') Reflect.deleteProperty(cache, file);
  }
}

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
