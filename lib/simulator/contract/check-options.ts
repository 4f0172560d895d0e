import { invalidOption, is, optionsOf } from '../../kernel/options/options-schema.ts';
import { FAULT_KINDS } from './fault.ts';
import type { SimulatedController } from './simulated-controller.ts';
import { SIMULATION, type SimulationOptions } from './simulation-options.ts';
import type { Invariant, World, WorkloadStep } from './world.ts';

const OWNER = 'simulate';
const REPLICAS = is.integer({ min: 1 });
const SEED = is.integer({ min: 0 });
const WORLD = optionsOf<World>()(`${OWNER}: world`, {
  objects: is.anything(),
  environment: is.anything(),
});
const STEP = optionsOf<WorkloadStep>()(OWNER, {
  title: is.anything().required,
  act: is.anything().required,
  until: is.anything(),
});

/** Checks the options of a simulation, also those that no compiler has seen. @throws {ListwatchError} code INVALID_OPTION. */
export function checkOptions(options: SimulationOptions): void {
  SIMULATION.read(options);
  const { controllers, world = {}, workload = [], invariants = [] } = options;
  checkControllers('controllers', controllers);
  if (controllers.length === 0) refuse('option "controllers" is empty');
  checkWorld(world);
  checkWorkload(workload);
  checkInvariants(invariants);
  checkSeeds(options);
  checkFaults(options);
}

function checkControllers(option: string, given: readonly SimulatedController[]): void {
  const names = new Set<string>();
  for (const [at, one] of entries(option, given)) {
    const { name, replicas } = one;
    if (typeof name !== 'string' || name === '')
      refuse(`option "${option}" has no "name" at ${at}`);
    if (typeof one.run !== 'function') {
      refuse(`option "${option}": ${name} has no function "run", one process of it`);
    }
    REPLICAS.read(OWNER, `${option}: replicas of ${name}`, replicas);
    if (names.has(name)) refuse(`option "${option}" has two controllers with the name "${name}"`);
    names.add(name);
  }
}

function checkWorld(world: World): void {
  if (typeof world !== 'object' || world === null || Array.isArray(world)) {
    refuse('option "world" must be an object with "objects" and "environment"');
  }
  WORLD.checkNames(world);
  const { objects = [], environment = [] } = world;
  if (typeof objects !== 'string') entries('world.objects', objects);
  checkControllers('world.environment', environment);
}

function checkWorkload(workload: readonly WorkloadStep[]): void {
  for (const [at, step] of entries('workload', workload)) {
    const { title } = step;
    if (typeof title !== 'string') refuse(`option "workload" has no "title" at ${at}`);
    STEP.checkNames(step, `${OWNER}: the step "${title}"`);
    if (typeof step.act !== 'function') {
      refuse(`option "workload": the step "${title}" has no function "act", what the user does`);
    }
    if (step.until !== undefined && typeof step.until !== 'function') {
      refuse(`option "workload": "until" of the step "${title}" must be a function of the state`);
    }
  }
}

function checkInvariants(invariants: readonly Invariant[]): void {
  for (const [at, invariant] of entries('invariants', invariants)) {
    const { name } = invariant;
    if (typeof name !== 'string') refuse(`option "invariants" has no "name" at ${at}`);
    const check = 'always' in invariant ? invariant.always : invariant.eventually;
    if (typeof check === 'function') continue;
    refuse(`option "invariants": "${name}" has neither a function "always" nor "eventually"`);
  }
}

function checkSeeds({ seeds = 0 }: SimulationOptions): void {
  const given =
    typeof seeds === 'number' ? [1, seeds] : entries('seeds', seeds).map(([, seed]) => seed);
  for (const seed of given) SEED.read(OWNER, 'seeds', seed);
  const [first, last] = given;
  if (typeof seeds === 'number') return;
  if (given.length === 2 && first !== undefined && last !== undefined && first <= last) return;
  refuse(
    `option "seeds" must be a number of seeds, or the first and the last, not ${JSON.stringify(seeds)}`,
  );
}

function checkFaults({ faults = [] }: SimulationOptions): void {
  for (const [, kind] of entries('faults', faults)) {
    if (FAULT_KINDS.includes(kind)) continue;
    refuse(`option "faults" has ${JSON.stringify(kind)}: use ${FAULT_KINDS.join(', ')}`);
  }
}

/** The items of an array of objects or of values, with their numbers. */
function entries<T>(option: string, given: readonly T[]): [number, T][] {
  if (!Array.isArray(given)) refuse(`option "${option}" must be an array, not ${shown(given)}`);
  const empty = given.findIndex((one: unknown) => one === undefined || one === null);
  if (empty >= 0) refuse(`option "${option}" has ${shown(given[empty])} at ${empty}`);
  return [...given.entries()];
}

function shown(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'string' ? JSON.stringify(value) : typeof value;
}

function refuse(rule: string): never {
  throw invalidOption(OWNER, rule);
}
