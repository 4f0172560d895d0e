import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { watchImports } from './watch-imports.ts';
import type { LoadingClock } from '../ambient/loading-clock.ts';
import { callPlace, ownFolders } from '../ambient/user-place.ts';
import type { SimulationPlan } from '../contract/fault.ts';
import type { SimulatedController } from '../contract/simulated-controller.ts';
import type { SimulationOptions } from '../contract/simulation-options.ts';
import { programPlace } from './guarded-process.ts';
import { loadOptions } from './load-options.ts';
import { withCopy, type ModuleHooksData } from './module-hooks.ts';

/** Beyond those that the faults of a plan need. */
const SPARE = 1;

/** Makes freshly loaded modules possible in this process. */
export function registerModuleHooks(): void {
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
export class ModuleCopies {
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
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) {
    if (callPlace(`at (${file}:1:1)`).caller === 'user') Reflect.deleteProperty(cache, file);
  }
}
