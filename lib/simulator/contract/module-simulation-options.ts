import { is, optionsOf, type OptionsSchema } from '../../kernel/options/options-schema.ts';
import { SIMULATION, type SimulationOptions } from './simulation-options.ts';

/** The options here that take the place of those of the module. */
export const OVERRIDES = [
  'faults',
  'seeds',
  'systematic',
  'budgetMs',
  'virtualLimitMs',
  'maxFailures',
  'shrink',
  'replay',
] as const;

/**
 * A simulation whose controllers run in a process of their own, with simulated clocks, timers and random numbers.
 *
 * @experimental
 */
export interface ModuleSimulationOptions
  extends Pick<
    SimulationOptions,
    | 'faults'
    | 'seeds'
    | 'systematic'
    | 'budgetMs'
    | 'virtualLimitMs'
    | 'maxFailures'
    | 'shrink'
    | 'replay'
    | 'onFailure'
    | 'onProgress'
    | 'signal'
  > {
  /**
   * The module whose default export are the options, as `defineSimulation` returns them: a URL, or a path from the working directory. The
   * options here take their place.
   */
  readonly module: string | URL;
  /** Processes that run plans. @defaultValue 1 */
  readonly processes?: number | undefined;
  /**
   * Whether incarnations share the state at module level: `fresh` loads the user's modules anew for each, which takes 1 to 2 ms of processor
   * time a file (tsx, Node 20); modules in `node_modules` are always shared. `auto` compares both, and takes `fresh` if they differ, which the
   * report then says.
   * @defaultValue 'auto'
   */
  readonly modules?: 'auto' | 'shared' | 'fresh' | undefined;
  /** A process that computes for so long without a pause is blocked, real milliseconds. @defaultValue 20 000 */
  readonly blockedMs?: number | undefined;
  /** The memory of a process, megabytes. @defaultValue 1024 */
  readonly heapMb?: number | undefined;
}

const { faults, seeds, systematic, budgetMs, virtualLimitMs, maxFailures, shrink, replay } =
  SIMULATION.rules;
const { onFailure, onProgress, signal } = SIMULATION.rules;
const RULES = { faults, seeds, systematic, budgetMs, virtualLimitMs, maxFailures, shrink, replay };

export const MODULE_SIMULATION: OptionsSchema<
  ModuleSimulationOptions,
  'processes' | 'modules' | 'blockedMs' | 'heapMb'
> = optionsOf<ModuleSimulationOptions>()('simulateModule', {
  module: is.anything().required,
  processes: is.integer({ min: 1 }).default(1),
  modules: is.oneOf('auto', 'shared', 'fresh').default('auto'),
  blockedMs: is.number({ min: 500 }).default(20_000),
  heapMb: is.integer({ min: 128 }).default(1024),
  ...RULES,
  onFailure,
  onProgress,
  signal,
});
