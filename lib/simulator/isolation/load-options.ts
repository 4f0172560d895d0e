import { fileURLToPath } from 'node:url';
import { errorMessage, ListwatchError } from '../../kernel/failure/errors.ts';
import { endLoading } from '../ambient/ambient-run.ts';
import type { LoadingClock } from '../ambient/loading-clock.ts';
import { machineRuntime } from '../ambient/real-sources.ts';
import { atPlaceOf, shownPath } from '../ambient/user-place.ts';
import { checkOptions } from '../contract/check-options.ts';
import type { SimulationOptions } from '../contract/simulation-options.ts';

/** While modules wait for their timers, time goes on in steps; between two of them they have this much real time. */
const STEP_MS = 1;

/**
 * Loads the options of a simulation.
 * @param module the URL to import
 * @param clock what the modules get as their clock
 * @throws {ListwatchError} code INVALID_OPTION for a module that throws, with file and line, or that exports something else.
 */
export async function loadOptions(
  module: string,
  clock?: LoadingClock,
): Promise<SimulationOptions> {
  const name = module.startsWith('file:') ? shownPath(fileURLToPath(module)) : module;
  let exported: { readonly default?: unknown };
  try {
    const loading = import(module) as Promise<{ readonly default?: unknown }>;
    exported = await (clock === undefined ? loading : steppingUntil(loading, clock));
  } catch (error) {
    const why = importProblem(error, module) ?? errorMessage(error);
    const text = `${name} cannot be imported${atPlaceOf(error)}: ${why}`;
    throw new ListwatchError('INVALID_OPTION', text, { cause: error });
  }
  if (clock !== undefined) endLoading();
  const options = exported.default;
  if (typeof options === 'object' && options !== null && 'controllers' in options) {
    checkOptions(options as SimulationOptions);
    return options as SimulationOptions;
  }
  throw new ListwatchError(
    'INVALID_OPTION',
    `${name} has no options of a simulation as its default export: export default defineSimulation({ controllers })`,
  );
}

/** The problem that Node's loader reports, with its remedy. */
function importProblem(error: unknown, module: string): string | undefined {
  const { code, url } = error as { readonly code?: unknown; readonly url?: unknown };
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return `${errorMessage(error)}: start node with what reads such files, for TypeScript NODE_OPTIONS='--import tsx'`;
  }
  if (code === 'ERR_UNSUPPORTED_DIR_IMPORT') return 'it is a folder; name the file in it';
  if (code === 'ERR_MODULE_NOT_FOUND' && url === module) return 'there is no such file';
  return undefined;
}

async function steppingUntil<T>(loading: Promise<T>, clock: LoadingClock): Promise<T> {
  let isLoaded = false;
  const mark = (): void => {
    isLoaded = true;
  };
  loading.then(mark, mark);
  for (;;) {
    await new Promise<void>((resolve) => {
      machineRuntime.setTimer(STEP_MS, resolve);
    });
    if (isLoaded) return await loading;
    clock.step();
  }
}
