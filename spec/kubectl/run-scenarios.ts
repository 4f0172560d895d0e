import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { seededRandom } from '../../lib/kernel/time/random.ts';
import { ApiServer } from '../../lib/cluster/server/index.ts';
import { inTurn } from '../compare/in-turn.ts';
import type { Outcome } from './run-command.ts';
import { runScenario } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';
import {
  KUBERNETES_VERSIONS,
  type KubernetesVersion,
} from '../../lib/meta/releases/kubernetes-releases.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';

const run = promisify(execFile);
/** kubectl takes the processor while it starts; a server answers the others meanwhile. */
const LANES = 4;

export interface RunOptions {
  readonly binary: string;
  readonly kubeconfig: string;
  /** Begins the names of namespaces: five small letters or digits, because columns depend on the length of names. */
  readonly prefix: string;
  /** Called in the end of each scenario with its namespace and the home of kubectl. */
  readonly onDone?: (facts: { readonly namespace: string; readonly home: string }) => Promise<void>;
}

/** The masked outcome of each command by its id. */
export async function runScenarios(
  scenarios: readonly Scenario[],
  { binary, kubeconfig, prefix, onDone }: RunOptions,
): Promise<ReadonlyMap<string, Outcome>> {
  const home = await mkdtemp(join(tmpdir(), 'kubectl-home-'));
  const env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: kubeconfig };
  try {
    const all = await inTurn(scenarios, LANES, async (scenario, index) => {
      const namespace = `${prefix}${String(index).padStart(2, '0')}`;
      await run(binary, ['create', 'namespace', namespace], { env });
      const outcomes = await runScenario({ binary, kubeconfig, home }, scenario, namespace);
      await onDone?.({ namespace, home });
      return outcomes;
    });
    return new Map(all.flatMap((outcomes) => [...outcomes]));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The same against an embedded server that lives as long as the call, over its port. @param version - of Kubernetes, e.g. 1.36 */
export async function runEmbedded(
  scenarios: readonly Scenario[],
  binary: string,
  version: string,
): Promise<ReadonlyMap<string, Outcome>> {
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-server-'));
  await using server = new ApiServer({ logger: silentLogger, version: knownVersion(version) });
  await server.listen();
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, '', { mode: 0o600 });
    await server.writeKubeconfig(kubeconfig);
    return await runScenarios(scenarios, { binary, kubeconfig, prefix: 'embed' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function knownVersion(version: string): KubernetesVersion {
  const known = KUBERNETES_VERSIONS.find((one) => one === version);
  if (known !== undefined) return known;
  throw new Error(
    `the embedded server has the versions ${KUBERNETES_VERSIONS.join(', ')}, not ${version}`,
  );
}

/** Which of so many parts of the scenarios. */
export interface Share {
  readonly part: number;
  readonly of: number;
}

/** A part of the scenarios in the order of the seed; parts have no scenario in common. @param share - the first of three unless given */
export function drawScenarios(
  scenarios: readonly Scenario[],
  seed: string,
  { part, of }: Share = { part: 0, of: 3 },
): readonly Scenario[] {
  const random = seededRandom(seed);
  const ordered = scenarios
    .map((scenario) => ({ scenario, at: random() }))
    .toSorted((one, other) => one.at - other.at);
  return ordered.filter((_one, index) => index % of === part).map(({ scenario }) => scenario);
}
