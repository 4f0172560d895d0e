/** `npm run check -- envtest`: a Go project's envtest suite with the real programs and with ours. */
import { cp, mkdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommandLine } from '../programs/run-command-line.ts';
import { envtestLine, readEnvtestRun, type EnvtestRun } from './envtest-run.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const WORK = join(ROOT, '.tmp', 'envtest');
const PROJECT = join(WORK, 'project');
const SUITE = join(PROJECT, 'suite.test');
const PROGRAM = join(ROOT, 'dist', 'cli', 'listwatch.js');
/** Two compilers at a time need more memory than a small machine has. */
const GO = { GOFLAGS: '-p=1 -buildvcs=false', GOMAXPROCS: '2' };

const USAGE = `npm run check -- envtest [options]

  (none)        builds the Go project of spec/envtest/project and runs its envtest suite with the programs of
                listwatch envtest-assets; npm run build comes before, and Go has to be on the PATH
  --assets DIR  also runs it with the etcd, kube-apiserver and kubectl of this directory
  --times N     runs each side N times in turn; the fewest tests passed and the median time are printed
  --help        shows this

The exit code is 1 when a test fails with either side.`;

async function must(command: readonly [string, ...string[]], folder: string): Promise<string> {
  const ended = await runCommandLine(command, { folder, env: GO, limitSeconds: 3600 });
  if (ended.code === 0) return ended.stdout;
  throw new Error(`${command.join(' ')}: ${ended.how}\n${ended.stdout}${ended.stderr}`);
}

async function buildSuite(): Promise<void> {
  await mkdir(PROJECT, { recursive: true });
  await cp(join(import.meta.dirname, 'project'), PROJECT, { recursive: true });
  await must(['go', 'mod', 'tidy'], PROJECT);
  await must(['go', 'test', '-c', '-o', SUITE, './internal/controller'], PROJECT);
}

async function runSuite(assets: string): Promise<EnvtestRun> {
  const ended = await runCommandLine([SUITE, '-ginkgo.no-color'], {
    folder: join(PROJECT, 'internal/controller'),
    env: { KUBEBUILDER_ASSETS: assets },
    limitSeconds: 300,
  });
  return readEnvtestRun(`${ended.stdout}\n${ended.stderr}`);
}

async function runBoth(assets: string | undefined, times: number): Promise<void> {
  await buildSuite();
  const ours = join(WORK, 'assets');
  await must([process.execPath, PROGRAM, 'envtest-assets', ours], WORK);
  const sides = [
    ...(assets === undefined ? [] : [['real', resolve(assets)] as const]),
    ['listwatch', ours] as const,
  ];
  const runs = new Map<string, EnvtestRun[]>(sides.map(([name]) => [name, []]));
  for (let left = times; left > 0; left -= 1) {
    for (const [name, path] of sides) runs.get(name)?.push(await runSuite(path));
  }
  for (const [name, all] of runs) process.stdout.write(`${envtestLine(name, all)}\n`);
  const allPassed = [...runs.values()].flat().every(({ passed, total }) => passed === total);
  process.exitCode = allPassed ? 0 : 1;
}

const { values } = parseArgs({
  options: {
    assets: { type: 'string' },
    times: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(`${USAGE}\n`);
else if (!existsSync(PROGRAM)) throw new Error('there is no dist; run npm run build before');
else await runBoth(values.assets, Number(values.times));
