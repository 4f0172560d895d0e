import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { mask } from './mask.ts';
import { startCommand, type Outcome, type RunningCommand } from './run-command.ts';
import type { Command, Scenario } from './scenario.ts';

export interface KubectlRun {
  readonly binary: string;
  readonly kubeconfig: string;
  /** Home of kubectl, where it keeps what it discovered. */
  readonly home: string;
}

interface KubeconfigFile {
  'current-context': string;
  clusters: { name: string; cluster: { server: string } }[];
  contexts: { name: string; context: { namespace?: string; cluster: string } }[];
}

/**
 * Runs the commands of a scenario, in a namespace that exists; gives the masked outcome of each command by its id, but not of those
 * whose output is saved.
 */
export async function runScenario(
  { binary, kubeconfig, home }: KubectlRun,
  { files, commands }: Scenario,
  namespace: string,
): Promise<ReadonlyMap<string, Outcome>> {
  const folder = await mkdtemp(join(tmpdir(), 'commands-'));
  const config = parse(await readFile(kubeconfig, 'utf8')) as KubeconfigFile;
  const { context } = config.contexts.find(({ name }) => name === config['current-context'])!;
  context.namespace = namespace;
  const { cluster } = config.clusters.find(({ name }) => name === context.cluster)!;
  const server = new URL(cluster.server).host;
  const values = new Map([['ns', namespace]]);
  const fill = (text: string): string =>
    [...values].reduce(
      (filled, [name, value]) =>
        filled.replaceAll(name === 'ns' ? '{ns}' : `{{${name}}}`, () => value),
      text,
    );
  const masked = ({ exit, stdout, stderr }: Outcome): Outcome => {
    const facts = { namespace, folder, server, nowMs: Date.now() };
    return { exit, stdout: mask(stdout, facts), stderr: mask(stderr, facts) };
  };
  const environment = {
    PATH: process.env['PATH'],
    HOME: home,
    KUBECONFIG: join(folder, 'kubeconfig'),
    // A terminal is none of the facts; colours and widths would be.
    TERM: 'dumb',
  };
  const outcomes = new Map<string, Outcome>();
  const open: (readonly [Command, RunningCommand])[] = [];
  try {
    await writeFile(join(folder, 'kubeconfig'), stringify(config), { mode: 0o600 });
    await writeFiles(folder, files, fill);
    for (const command of commands) {
      const args = command.args.map(fill);
      const running = startCommand(binary, { ...command, args }, { folder, environment });
      await running.ready;
      if (command.lines !== undefined) {
        open.push([command, running]);
        continue;
      }
      const outcome = await running.outcome();
      if (command.saveAs === undefined) {
        outcomes.set(command.id, masked(outcome));
      } else {
        values.set(command.saveAs, outcome.stdout.trim());
        await writeFiles(folder, files, fill);
      }
    }
    for (const [{ id }, running] of open) outcomes.set(id, masked(await running.outcome()));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return outcomes;
}

async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  fill: (text: string) => string,
): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), fill(text));
  }
}
