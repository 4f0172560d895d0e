import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeFolders } from '../files/make-folders.ts';
import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import type { ModuleSimulationOptions } from '../../simulator/contract/module-simulation-options.ts';
import type {
  SimulationFailure,
  SimulationReport,
} from '../../simulator/contract/simulation-report.ts';
import { loadOptions } from '../../simulator/isolation/load-options.ts';
import { simulate } from '../../simulator/simulate.ts';
import { simulateModule } from '../../simulator/simulate-module.ts';
import { optionsHelp, parseArguments, type OptionTable } from '../arguments/parse-arguments.ts';
import { parseDuration } from '../arguments/parse-duration.ts';
import { isUsageError, UsageError } from '../arguments/usage-error.ts';
import { EXIT, type Command, type CommandHost } from '../contract/command.ts';
import { shownText } from '../terminal/shown-text.ts';

const OPTIONS: OptionTable = {
  seeds: {
    type: 'string',
    value: 'N',
    help: 'random seeds, or FIRST-LAST; otherwise as the file says',
  },
  budget: { type: 'string', value: 'TIME', help: 'longest time of the search, e.g. 60s' },
  processes: {
    type: 'string',
    value: 'N',
    help: 'that run plans; otherwise one for each processor',
  },
  failures: {
    type: 'string',
    value: 'N',
    help: 'ends after this number of different failures; otherwise 1',
  },
  replay: {
    type: 'string',
    value: 'PLAN',
    help: 'runs only this plan: a file that --write made, or its JSON',
  },
  modules: {
    type: 'string',
    value: 'HOW',
    help: 'auto, shared or fresh: whether a restart loads the modules of FILE anew; otherwise auto',
  },
  'in-process': {
    type: 'boolean',
    help: "runs the controllers in this process, with the machine's own clock and timers",
  },
  write: {
    type: 'string',
    value: 'DIR',
    help: 'writes page, plan, trace and spec of each failure',
  },
};

const HELP = `listwatch simulate: runs controllers against an API server in virtual time, with faults, until one fails.

Usage: listwatch simulate FILE [options]

FILE is a module whose default export are the options of a simulation, as defineSimulation of listwatch/simulator returns them. Start node
with what the file needs, e.g. NODE_OPTIONS='--import tsx' for TypeScript.

The controllers run in processes of their own, where Date, timers and random numbers are simulated. What cannot be simulated, such as sockets, is
reported with file and line, and so is code that never ends.

Options:
${optionsHelp(OPTIONS)}

Examples:
  npx listwatch simulate sites.simulation.js
  npx listwatch simulate sites.simulation.js --seeds 10000 --budget 10m --write failures

Exit code: 0 when nothing was found, 1 when something was found or FILE cannot be simulated, 2 for wrong arguments, 130 when interrupted.
`;

const LONGEST_MESSAGE = 2000;

export function simulateCommand(): Command {
  return {
    help: HELP,
    options: OPTIONS,
    async run(parameters: readonly string[], host: CommandHost): Promise<number> {
      const given = readOptions(parameters);
      try {
        return await simulateFile(given, host);
      } catch (error) {
        if (host.signal.aborted) return EXIT.interrupted;
        if (isUsageError(error)) throw error;
        const code = isListwatchError(error) ? ` (${error.code})` : '';
        host.stderr.write(`listwatch: ${shownText(errorMessage(error), LONGEST_MESSAGE)}${code}\n`);
        return EXIT.failed;
      }
    },
  };
}

/** Characters of a plan that an error shows. */
const LONGEST_PLAN = 200;

type Overrides = Pick<ModuleSimulationOptions, 'seeds' | 'budgetMs' | 'maxFailures' | 'replay'>;

interface Given {
  readonly file: string;
  readonly overrides: Overrides;
  readonly processes: number;
  readonly modules: ModuleSimulationOptions['modules'];
  readonly inProcess: boolean;
  readonly write: string | undefined;
}

function readOptions(parameters: readonly string[]): Given {
  const { options, positionals } = parseArguments(parameters, OPTIONS);
  const [file, extra] = positionals;
  if (file === undefined || extra !== undefined) {
    throw new UsageError('simulate takes one file, e.g. sites.simulation.js');
  }
  const one = (name: string): string | undefined => options.get(name)?.[0];
  const [seeds, budget, failures, replay] = ['seeds', 'budget', 'failures', 'replay'].map(one);
  return {
    file,
    overrides: {
      ...(seeds === undefined ? {} : { seeds: seedsOf(seeds) }),
      ...(budget === undefined ? {} : { budgetMs: parseDuration('budget', budget) }),
      ...(failures === undefined ? {} : { maxFailures: wholeNumber('failures', failures) }),
      ...(replay === undefined ? {} : { replay }),
    },
    processes: wholeNumber('processes', one('processes') ?? String(availableParallelism()), 1),
    modules: modulesOf(one('modules')),
    inProcess: options.has('in-process'),
    write: one('write'),
  };
}

function modulesOf(text: string | undefined): ModuleSimulationOptions['modules'] {
  if (text === undefined || text === 'auto' || text === 'shared' || text === 'fresh') return text;
  throw new UsageError(`--modules takes auto, shared or fresh, not ${JSON.stringify(text)}`);
}

function seedsOf(text: string): number | readonly [number, number] {
  const range = /^(\d+)-(\d+)$/.exec(text);
  if (range === null) return wholeNumber('seeds', text);
  return [Number(range[1]), Number(range[2])];
}

function wholeNumber(option: string, text: string, least = 0): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  const from = least === 0 ? '' : ` of at least ${least}`;
  throw new UsageError(`--${option} takes a whole number${from}, not ${JSON.stringify(text)}`);
}

async function simulateFile(
  { file, overrides, processes, modules, inProcess, write }: Given,
  host: CommandHost,
): Promise<number> {
  const module = pathToFileURL(resolve(file)).href;
  // Before the search: what it finds should not be lost.
  if (write !== undefined) await makeFolder(write);
  const { replay } = overrides;
  const plan = typeof replay === 'string' ? await planText(replay) : undefined;
  const common = {
    ...overrides,
    ...(plan === undefined ? {} : { replay: plan }),
    onFailure: 'return',
    onProgress: (line: string) => host.stderr.write(`${line}\n`),
    signal: host.signal,
  } as const;
  const report = inProcess
    ? await simulateHere(module, processes, common)
    : await simulateModule({ ...common, module, processes, modules });
  for (const [index, failure] of report.failures.entries()) {
    host.stdout.write(`${failure.story}\n\nplan: ${JSON.stringify(failure.plan)}\n`);
    if (write === undefined) continue;
    const { page, plan: written } = await writeFailure(write, index + 1, failure, resolve(file));
    host.stderr.write(
      `written: ${page}, with plan, trace and spec; again: npx listwatch simulate ${file} --replay ${written}\n`,
    );
  }
  return report.ok ? EXIT.ok : EXIT.failed;
}

/** @throws {UsageError} for a file that cannot be read, and for what is no JSON. */
async function planText(given: string): Promise<string> {
  const isFile = !given.trimStart().startsWith('{');
  try {
    const text = isFile ? await readFile(given, 'utf8') : given;
    JSON.parse(text);
    return text;
  } catch (error) {
    const problem = error instanceof SyntaxError ? 'is no JSON' : 'cannot be read';
    throw new UsageError(
      `--replay: the plan ${shownText(given, LONGEST_PLAN)} ${problem}: ${errorMessage(error)}; give a file that --write made, or the JSON of a plan`,
    );
  }
}

/** Runs the controllers in this process, or in plain ones of a pool. */
async function simulateHere(
  module: string,
  processes: number,
  common: Omit<ModuleSimulationOptions, 'module'>,
): Promise<SimulationReport> {
  const options = await loadOptions(module);
  const parallel = processes > 1 ? { parallel: { module, processes } } : {};
  return await simulate({ ...options, ...common, ...parallel });
}

/** @throws {ListwatchError} code INVALID_OPTION for a folder that cannot be made. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await makeFolders(resolve(folder));
  } catch (error) {
    const text = `--write: the folder ${folder} cannot be made: ${errorMessage(error)}; name another one`;
    throw new ListwatchError('INVALID_OPTION', text, { cause: error });
  }
}

/** @returns paths as they were given */
async function writeFailure(
  folder: string,
  number: number,
  failure: SimulationFailure,
  file: string,
): Promise<{ readonly page: string; readonly plan: string }> {
  const target = resolve(folder);
  const path = (ending: string): string => join(target, `failure-${number}.${ending}`);
  const toFile = relative(target, file).split(sep).join('/');
  const specifier = toFile.startsWith('.') ? toFile : `./${toFile}`;
  const spec = `spec.${basename(file).split('.').at(-1) ?? 'js'}`;
  await writeFile(path('html'), failure.html);
  await writeFile(path('json'), `${JSON.stringify(failure.plan, null, 2)}\n`);
  await writeFile(path('trace'), `${failure.trace}\n`);
  await writeFile(path(spec), failure.reproduction(specifier));
  const given = (ending: string): string => join(folder, `failure-${number}.${ending}`);
  return { page: given('html'), plan: given('json') };
}
