import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readGinkgoReport } from './ginkgo-report.ts';
import type { Program, ProgramOutcome, StepOutcome } from './program.ts';
import { runCommandLine } from './run-command-line.ts';
import { readStepLines } from './step-lines.ts';

const INSTALL_LIMIT_SECONDS = 3600;
const RUN_LIMIT_SECONDS = 600;
const INSTALLED = '.installed';
const REPORT = '.report.json';

/** Copies the sources of a program and installs its packages, unless that was done with the same sources and commands. */
export async function installProgram(program: Program, work: string): Promise<string> {
  const folder = join(work, program.folder);
  const source = join(import.meta.dirname, program.source);
  const shared = (program.shared ?? []).map((path) => join(import.meta.dirname, path));
  const state = await stateOf(program, source, shared);
  const mark = join(folder, INSTALLED);
  if ((await readFile(mark, 'utf8').catch(() => '')) === state) return folder;
  await mkdir(folder, { recursive: true });
  await cp(source, folder, { recursive: true });
  for (const path of shared) await cp(path, join(folder, basename(path)));
  for (const command of program.install) {
    const { code, how, stdout, stderr } = await runCommandLine(command, {
      folder,
      limitSeconds: INSTALL_LIMIT_SECONDS,
    });
    if (code === 0) continue;
    const tail = `${stdout}\n${stderr}`.trim().split('\n').slice(-30).join('\n');
    throw new Error(`${program.name}: ${command.join(' ')}: ${how}\n${tail}`);
  }
  await writeFile(mark, state);
  return folder;
}

/** Runs the steps of an installed program with the server of a kubeconfig, in a namespace that it creates. */
export async function runProgram(
  program: Program,
  target: {
    readonly folder: string;
    readonly kubeconfig: string;
    readonly namespace: string;
    readonly env: Readonly<Record<string, string>>;
  },
): Promise<ProgramOutcome> {
  const { folder, kubeconfig, namespace, env } = target;
  await removeReports(folder);
  const startMs = Date.now();
  const steps: StepOutcome[] = [];
  for (const command of program.run) {
    const ended = await runCommandLine(command, {
      folder,
      env: {
        ...env,
        KUBECONFIG: kubeconfig,
        PROGRAM_NAMESPACE: namespace,
        USE_EXISTING_CLUSTER: 'true',
      },
      limitSeconds: program.limitSeconds ?? RUN_LIMIT_SECONDS,
    });
    await writeFile(join(folder, `${namespace}.log`), `${ended.stdout}\n${ended.stderr}`);
    if (program.output === 'steps') steps.push(...readStepLines(ended));
  }
  if (program.output === 'ginkgo') steps.push(...(await readReports(folder)));
  return { steps, seconds: (Date.now() - startMs) / 1000 };
}

async function stateOf(
  program: Program,
  source: string,
  shared: readonly string[],
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(program.install));
  const files = await readdir(source, { recursive: true, withFileTypes: true });
  const paths = files.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  for (const path of [...paths, ...shared].toSorted())
    hash.update(path).update(await readFile(path));
  return hash.digest('hex');
}

async function removeReports(folder: string): Promise<void> {
  for (const name of await reportsIn(folder)) await rm(join(folder, name));
}

async function readReports(folder: string): Promise<StepOutcome[]> {
  const names = await reportsIn(folder);
  const steps: StepOutcome[] = [];
  for (const name of names)
    steps.push(...readGinkgoReport(await readFile(join(folder, name), 'utf8')));
  return names.length > 0 ? steps : [{ step: 'report', failure: 'no suite wrote a report' }];
}

async function reportsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(REPORT)).toSorted();
}
