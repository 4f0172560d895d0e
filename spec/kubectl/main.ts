/** Runs commands of kubectl against the embedded server, and compares with what a real one had it print: `npm run check -- kubectl`. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { stringify } from 'yaml';
import { allScenarios } from './all-scenarios.ts';
import { cleanUp } from './clean-up.ts';
import { belowFloor, readFloor, writeFloor } from './floor.ts';
import { compareOutcomes } from './compare-outcomes.ts';
import { kubectlBinary, kubectlPaths, type KubectlBinary } from './kubectl-binary.ts';
import {
  minorVersion,
  nearestMinor,
  readRecording,
  recordedMinors,
  writeRecording,
} from './recording.ts';
import type { Outcome } from './run-command.ts';
import { drawScenarios, runEmbedded, runScenarios } from './run-scenarios.ts';
import type { Scenario } from './scenario.ts';

const USAGE = `npm run check -- kubectl [options]

  --kubectl PATH     the program; the one on PATH unless given
  --all              all scenarios; a third of them unless given
  --seed TEXT        draws the third; 1 unless given
  --scenario NAME    only this scenario; may be given several times
  --show             prints the differences: - the real server's lines, + the embedded one's
  --kubernetes-version 1.N  of the embedded server; that of the recording unless given. Of another one only the figures are printed
  --update           with --all: writes the figures as the floor; refused where a command newly differs
  --record           runs all of them with a real server twice, and writes what is the same; needs one of the next two:
  --server URL       the real server; its token is in the variable COMPARE_TOKEN. Its certificate is not checked
  --kubeconfig FILE  the real server and the credentials: the current context. The user has to be allowed everything
  --help             shows this

Scenarios: ${allScenarios.map(({ name }) => name).join(', ')}.
Each has a namespace of its own; a recording deletes it in the end. Best is a server that serves nothing else.`;

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      kubectl: { type: 'string' },
      all: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      scenario: { type: 'string', multiple: true },
      show: { type: 'boolean', default: false },
      'kubernetes-version': { type: 'string' },
      update: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      server: { type: 'string' },
      kubeconfig: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const path = values.kubectl ?? kubectlPaths()[0];
  if (path === undefined) throw new Error('no kubectl on PATH; --kubectl names one');
  const binary = await kubectlBinary(path);
  if (values.record) {
    await record(binary, values);
    return;
  }
  const scenarios =
    values.scenario !== undefined
      ? values.scenario.map(scenarioNamed)
      : values.all
        ? allScenarios
        : drawScenarios(allScenarios, values.seed);
  if (values.update && !values.all) throw new Error('--update needs --all');
  await compare(binary, scenarios, values);
}

async function compare(
  { path, version, minor }: KubectlBinary,
  scenarios: readonly Scenario[],
  {
    all,
    show,
    update,
    'kubernetes-version': wanted,
  }: {
    readonly all: boolean;
    readonly show: boolean;
    readonly update: boolean;
    readonly 'kubernetes-version'?: string | undefined;
  },
): Promise<void> {
  const recorded = nearestMinor(await recordedMinors(), minor);
  const recording = await readRecording(recorded);
  if (recorded !== minor)
    console.log(`kubectl ${version} was not recorded; ${recording.kubectl} is nearest`);
  const served = minorVersion(recording.server);
  const ours = await runEmbedded(scenarios, path, wanted ?? served);
  const compared = compareOutcomes(ours, recording.outcomes);
  const equal = compared.filter(({ differences }) => differences.length === 0);
  const exits = compared.filter(({ sameExit }) => sameExit);
  console.log(
    `kubectl ${version}: ${equal.length} of ${compared.length} commands are the same, ${exits.length} end with the same exit code`,
  );
  if (show) {
    for (const { id, differences } of compared) {
      if (differences.length > 0) console.log([id, ...differences].join('\n  '));
    }
  }
  if (recorded !== minor || (wanted ?? served) !== served) return;
  const problems = belowFloor(compared, await readFloor(minor), { whole: all });
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else if (update) await writeFloor(minor, compared);
}

async function record(
  { path, version, minor }: KubectlBinary,
  options: { readonly server?: string | undefined; readonly kubeconfig?: string | undefined },
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-record-'));
  try {
    const kubeconfig = options.kubeconfig ?? (await kubeconfigOf(folder, options.server));
    const server = await versionOf(path, kubeconfig);
    const once = async (letter: string): Promise<ReadonlyMap<string, Outcome>> =>
      await runScenarios(allScenarios, {
        binary: path,
        kubeconfig,
        prefix: `kub${letter}${(Date.now() % 36).toString(36)}`,
        onDone: async (facts) => await cleanUp(path, kubeconfig, facts),
      });
    const [first, second] = [await once('a'), await once('b')];
    const differ = new Set(
      compareOutcomes(second, first).flatMap(({ id, differences }) =>
        differences.length > 0 ? [id] : [],
      ),
    );
    for (const id of differ) console.log(`left out, differs when run again: ${id}`);
    const outcomes = [...first].filter(([id, one]) => !differ.has(id) && !isUnknownHere(one));
    const date = new Date().toISOString().slice(0, 10);
    await writeRecording({ minor, kubectl: version, server, date, outcomes: new Map(outcomes) });
    console.log(`${outcomes.length} of ${first.size} commands recorded`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The program does not know the command or an option of it, and asks no server. */
function isUnknownHere({ stderr }: Outcome): boolean {
  return /^(?:Error|error): unknown (?:command|flag|shorthand)/.test(stderr);
}

async function kubeconfigOf(folder: string, server: string | undefined): Promise<string> {
  if (server === undefined)
    throw new Error('--record needs the real server: --server or --kubeconfig');
  const name = 'real';
  const token = process.env['COMPARE_TOKEN'];
  const file = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user: token === undefined ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
  await writeFile(file, stringify(config), { mode: 0o600 });
  return file;
}

async function versionOf(path: string, kubeconfig: string): Promise<string> {
  const { stdout } = await promisify(execFile)(path, ['get', '--raw', '/version'], {
    env: { PATH: process.env['PATH'], KUBECONFIG: kubeconfig },
  });
  return (JSON.parse(stdout) as { gitVersion: string }).gitVersion;
}

function scenarioNamed(name: string): Scenario {
  const found = allScenarios.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no scenario is called ${name}`);
  return found;
}
