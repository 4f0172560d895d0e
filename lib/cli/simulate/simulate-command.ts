import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import type { SimulationOptions } from '../../simulator/contract/simulation-options.ts';
import type { SimulationFailure } from '../../simulator/contract/simulation-report.ts';
import { simulate } from '../../simulator/simulate.ts';
import { optionsHelp, parseArguments, type OptionTable } from '../arguments/parse-arguments.ts';
import { parseDuration } from '../arguments/parse-duration.ts';
import { UsageError } from '../arguments/usage-error.ts';
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

Options:
${optionsHelp(OPTIONS)}

Examples:
  npx listwatch simulate sites.simulation.js
  npx listwatch simulate sites.simulation.js --seeds 10000 --budget 10m --write failures

Exit code: 0 when nothing was found, 1 for a failure, 2 for wrong arguments, 130 when interrupted.
`;

const LONGEST_MESSAGE = 2000;

export function simulateCommand(): Command {
  return {
    help: HELP,
    async run(parameters: readonly string[], host: CommandHost): Promise<number> {
      const given = readOptions(parameters);
      try {
        return await simulateFile(given, host);
      } catch (error) {
        if (host.signal.aborted) return EXIT.interrupted;
        const code = isListwatchError(error) ? ` (${error.code})` : '';
        host.stderr.write(`listwatch: ${shownText(errorMessage(error), LONGEST_MESSAGE)}${code}\n`);
        return EXIT.failed;
      }
    },
  };
}

interface Given {
  readonly file: string;
  readonly overrides: Partial<SimulationOptions>;
  readonly processes: number;
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
    processes: wholeNumber('processes', one('processes') ?? String(availableParallelism())),
    write: one('write'),
  };
}

function seedsOf(text: string): number | readonly [number, number] {
  const range = /^(\d+)-(\d+)$/.exec(text);
  if (range === null) return wholeNumber('seeds', text);
  return [Number(range[1]), Number(range[2])];
}

function wholeNumber(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} takes a whole number, not ${JSON.stringify(text)}`);
}

async function simulateFile(
  { file, overrides, processes, write }: Given,
  host: CommandHost,
): Promise<number> {
  const module = pathToFileURL(resolve(file)).href;
  const options = await importedOptions(file, module);
  const { replay } = overrides;
  const plan = typeof replay === 'string' ? await planText(replay) : undefined;
  const report = await simulate({
    ...options,
    ...overrides,
    ...(plan === undefined ? {} : { replay: plan }),
    ...(processes > 1 ? { parallel: { module, processes } } : {}),
    onFailure: 'return',
    onProgress: (line) => host.stderr.write(`${line}\n`),
    signal: host.signal,
  });
  for (const [index, failure] of report.failures.entries()) {
    host.stdout.write(`${failure.story}\n\nplan: ${JSON.stringify(failure.plan)}\n`);
    if (write !== undefined) await writeFailure(write, index + 1, failure, resolve(file));
  }
  return report.ok ? EXIT.ok : EXIT.failed;
}

/** @throws {ListwatchError} code INVALID_OPTION for a file that cannot be read. */
async function planText(given: string): Promise<string> {
  if (given.trimStart().startsWith('{')) return given;
  try {
    return await readFile(given, 'utf8');
  } catch (error) {
    const text = `--replay: the plan ${given} cannot be read: ${errorMessage(error)}; give a file that --write made, or the JSON of a plan`;
    throw new ListwatchError('INVALID_OPTION', text, { cause: error });
  }
}

/** @throws {ListwatchError} code INVALID_OPTION for a file that cannot be imported, or exports something else. */
async function importedOptions(file: string, module: string): Promise<SimulationOptions> {
  let exported: { readonly default?: unknown };
  try {
    exported = (await import(module)) as { readonly default?: unknown };
  } catch (error) {
    const text = `${file} cannot be imported: ${errorMessage(error)}`;
    throw new ListwatchError('INVALID_OPTION', text, { cause: error });
  }
  const options = exported.default;
  if (typeof options === 'object' && options !== null && 'controllers' in options) {
    return options as SimulationOptions;
  }
  throw new ListwatchError(
    'INVALID_OPTION',
    `${file} has no options of a simulation as its default export: export default defineSimulation({ controllers })`,
  );
}

async function writeFailure(
  folder: string,
  number: number,
  failure: SimulationFailure,
  file: string,
): Promise<void> {
  const target = resolve(folder);
  await mkdir(target, { recursive: true });
  const path = (ending: string): string => join(target, `failure-${number}.${ending}`);
  const toFile = relative(target, file).split(sep).join('/');
  const specifier = toFile.startsWith('.') ? toFile : `./${toFile}`;
  const spec = `spec.${basename(file).split('.').at(-1) ?? 'js'}`;
  await writeFile(path('html'), failure.html);
  await writeFile(path('json'), `${JSON.stringify(failure.plan, null, 2)}\n`);
  await writeFile(path('trace'), `${failure.trace}\n`);
  await writeFile(path(spec), failure.reproduction(specifier));
}
