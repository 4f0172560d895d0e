import { is, optionsOf, type OptionsSchema } from '../../kernel/options/options-schema.ts';
import type { FaultKind, SimulationPlan } from './fault.ts';
import type { SimulatedController } from './simulated-controller.ts';
import type { Invariant, World, WorkloadStep } from './world.ts';

/** @experimental */
export interface SimulationOptions<Types extends object = object> {
  /** The controllers under test. */
  readonly controllers: readonly SimulatedController<Types>[];
  /** The objects that exist before they start. @defaultValue the namespaces of every cluster, and nothing in them */
  readonly world?: World<Types> | undefined;
  /** The steps of the user of the cluster. @defaultValue nothing: the controllers find the world, and that is all */
  readonly workload?: readonly WorkloadStep<Types>[] | undefined;
  /** Conditions that must hold in every run, besides the oracles that always check. @defaultValue none */
  readonly invariants?: readonly Invariant<Types>[] | undefined;
  /** Kinds of faults of random seeds. @defaultValue all of them */
  readonly faults?: readonly FaultKind[] | undefined;
  /**
   * Random seeds after the systematic plans: a number of them, or the first and the last.
   * @defaultValue 100
   */
  readonly seeds?: number | readonly [first: number, last: number] | undefined;
  /** Whether the plans are run that are made from a run without faults. @defaultValue true */
  readonly systematic?: boolean | undefined;
  /** Longest real time of the search, milliseconds; what is not tried by then is left out, and the report says so. @defaultValue no limit */
  readonly budgetMs?: number | undefined;
  /**
   * Runs plans in several processes. `module` is the URL of the module whose default export are these options, as `defineSimulation`
   * returns them: each process imports it. @defaultValue in this process
   */
  readonly parallel?: { readonly module: string | URL; readonly processes: number } | undefined;
  /** Longest virtual time of a run, milliseconds. @defaultValue 1 800 000 (30 minutes) */
  readonly virtualLimitMs?: number | undefined;
  /** The search ends with failures of this number of causes. @defaultValue 1 */
  readonly maxFailures?: number | undefined;
  /** Whether a failing plan is made smaller. @defaultValue true */
  readonly shrink?: boolean | undefined;
  /** Runs this plan only, as a failure names it: the object, or its JSON. */
  readonly replay?: SimulationPlan | string | undefined;
  /** Whether a failure is thrown as a `SimulationError`, or is only in the report. @defaultValue 'throw' */
  readonly onFailure?: 'throw' | 'return' | undefined;
  /** Called with lines about the progress: at the start, about every second, and at the end. @defaultValue nothing is called */
  readonly onProgress?: ((line: string) => void) | undefined;
  /** Ends the search; `simulate` rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export const SIMULATION: OptionsSchema<SimulationOptions> = optionsOf<SimulationOptions>()(
  'simulate',
  {
    controllers: is.anything().required,
    world: is.anything(),
    workload: is.anything(),
    invariants: is.anything(),
    faults: is.anything(),
    seeds: is.anything(),
    systematic: is.flag(),
    budgetMs: is.number({ min: 0 }),
    parallel: is.object(),
    virtualLimitMs: is.number({ min: 1 }),
    maxFailures: is.number({ min: 1 }),
    shrink: is.flag(),
    replay: is.anything(),
    onFailure: is.oneOf('throw', 'return'),
    onProgress: is.callback(),
    signal: is.abortSignal(),
  },
);
