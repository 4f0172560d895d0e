/** Client programs from the package registries, run with the embedded server and with a real one: `npm run check -- programs`. */
import { access, constants, mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { cleanUp } from '../kubectl/clean-up.ts';
import { kubectlPaths } from '../kubectl/kubectl-binary.ts';
import { allPrograms } from './all-programs.ts';
import type { Program, ProgramOutcome } from './program.ts';
import { differences, faults, table, type Row } from './report.ts';
import { installProgram, runProgram } from './run-program.ts';
import { ServedProcess } from './served-process.ts';

const USAGE = `npm run check -- programs [options]

  (none)             lists the programs, and what is missing on this machine to run them
  --all              runs all programs for which nothing is missing
  --only NAME,...    runs these
  --kubeconfig FILE  also runs them with this server: the current context. The user has to be allowed everything;
                     kubectl on the PATH or of LISTWATCH_KUBECTL removes afterwards what a program left there
  --kubernetes-version 1.N  of the embedded server; the newest unless given
  --charts DIR       a folder with charts, for the programs that install them
  --work DIR         installs here and keeps it for the next run; otherwise a temporary folder
  --json FILE        also writes every step of every program
  --help             shows this

The exit code is 1 when a step fails with the embedded server, unless it fails with the real one too.`;

interface Options {
  readonly kubeconfig?: string | undefined;
  readonly json?: string | undefined;
  /** Of the embedded server. */
  readonly flags: readonly string[];
  readonly work: string;
  /** The inputs of programs, by the names of their variables. */
  readonly env: Readonly<Record<string, string>>;
}

const INPUTS = {
  charts: { variable: 'PROGRAM_CHARTS', from: 'a folder of charts (--charts)' },
  kubectl: { variable: 'PROGRAM_KUBECTL', from: 'kubectl (PATH or LISTWATCH_KUBECTL)' },
} as const;

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      all: { type: 'boolean', default: false },
      only: { type: 'string' },
      kubeconfig: { type: 'string' },
      'kubernetes-version': { type: 'string' },
      charts: { type: 'string' },
      work: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  if (!values.all && values.only === undefined) {
    await list();
    return;
  }
  const chosen = values.only === undefined ? [...allPrograms] : values.only.split(',').map(named);
  const work = resolve(values.work ?? (await mkdtemp(join(tmpdir(), 'programs-'))));
  await mkdir(work, { recursive: true });
  try {
    const kubeconfig = values.kubeconfig === undefined ? undefined : resolve(values.kubeconfig);
    const version = values['kubernetes-version'];
    const flags = version === undefined ? [] : ['--kubernetes-version', version];
    const env = inputsOf(values.charts);
    await runAll(chosen, { kubeconfig, json: values.json, flags, work, env });
  } finally {
    if (values.work === undefined) await rm(work, { recursive: true, force: true });
  }
}

async function list(): Promise<void> {
  for (const program of allPrograms) {
    const missing = await missingTools(program);
    const state = missing.length === 0 ? '' : `  (missing: ${missing.join(', ')})`;
    console.log(`${program.name.padEnd(26)}${program.about}${state}`);
  }
  console.log('\n--all or --only NAME,... runs them; --help has the other options');
}

async function runAll(programs: readonly Program[], options: Options): Promise<void> {
  const rows: Row[] = [];
  for (const program of programs) {
    const missing = [...(await missingTools(program)), ...missingInputs(program, options.env)];
    if (missing.length > 0) {
      console.log(`${program.name}: not run, missing on this machine: ${missing.join(', ')}`);
      continue;
    }
    const folder = await installProgram(program, options.work).catch((error: unknown) => {
      console.log(`${program.name}: not installed: ${String(error)}`);
      process.exitCode = 1;
      return undefined;
    });
    if (folder === undefined) continue;
    const row = await runBoth(program, folder, options);
    rows.push(row);
    console.log(table([row]));
    for (const one of differences(row)) console.log(`  ${one}`);
    if (faults(row).length > 0) process.exitCode = 1;
  }
  console.log(`\n${table(rows)}`);
  if (options.json !== undefined)
    await writeFile(options.json, `${JSON.stringify(rows, undefined, 1)}\n`);
}

async function runBoth(
  program: Program,
  folder: string,
  { kubeconfig, flags, work, env }: Options,
): Promise<Row> {
  const namespace = `p-${program.name.replaceAll('.', '')}-${Date.now().toString(36).slice(-5)}`;
  const ours = await runEmbedded(program, { folder, namespace, flags, work, env });
  const isOwn = program.needsEmptyServer === true || program.needsWorkloads === true;
  if (kubeconfig === undefined || isOwn) return { program: program.name, ours, real: undefined };
  const binary = kubectlPaths()[0];
  try {
    const real = await runProgram(program, { folder, kubeconfig, namespace, env });
    return { program: program.name, ours, real };
  } finally {
    if (binary !== undefined) await cleanUp(binary, kubeconfig, { namespace, home: work });
  }
}

async function runEmbedded(
  program: Program,
  {
    folder,
    namespace,
    flags,
    work,
    env,
  }: Pick<Options, 'flags' | 'work' | 'env'> & { folder: string; namespace: string },
): Promise<ProgramOutcome> {
  const state = await mkdtemp(join(work, 'server-'));
  try {
    const served =
      program.needsWorkloads === true
        ? { controllers: 'workloads', flags: ['--nodes', '3', ...flags] }
        : { flags };
    await using server = await ServedProcess.start(state, served);
    const { kubeconfig } = server;
    return await runProgram(program, { folder, kubeconfig, namespace, env });
  } finally {
    await rm(state, { recursive: true, force: true });
  }
}

function named(name: string): Program {
  const found = allPrograms.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = allPrograms.map((one) => one.name).join(', ');
  throw new Error(`no program is called ${name}; there are ${names}`);
}

function inputsOf(charts: string | undefined): Record<string, string> {
  // The last one is the one that a user lists.
  const kubectl = kubectlPaths().at(-1);
  const env: Record<string, string> = {};
  if (charts !== undefined) env['PROGRAM_CHARTS'] = resolve(charts);
  if (kubectl !== undefined) env['PROGRAM_KUBECTL'] = resolve(kubectl);
  return env;
}

function missingInputs({ inputs = [] }: Program, env: Options['env']): string[] {
  const absent = inputs.filter((one) => env[INPUTS[one].variable] === undefined);
  return absent.map((one) => INPUTS[one].from);
}

async function missingTools({ tools }: Program): Promise<string[]> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const missing: string[] = [];
  for (const tool of tools) {
    const found = await Promise.all(
      folders.map(async (folder) => await isProgram(join(folder, tool))),
    );
    if (!found.includes(true)) missing.push(tool);
  }
  return missing;
}

async function isProgram(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
