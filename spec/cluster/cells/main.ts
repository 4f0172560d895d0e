/**
 * `npm run check -- cluster-cells`: the scenarios on a cluster that is put together from real programs and from the parts of this package,
 * and their outcomes compared with those that were recorded on the real cluster.
 */
import { spawn } from 'node:child_process';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connect } from '../../../lib/client/rest/connect.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import { startCluster } from '../../../lib/cluster/cluster.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { canonical } from '../../compare/normalise.ts';
import { recordedOutcomes } from '../scenarios/recorded-outcomes.ts';
import { CONTROLLERS, ScenarioRunner, SCENARIOS } from '../scenarios/run-scenarios.ts';
import { ourControllers, ourScheduler } from './our-parts.ts';

const USAGE = `npm run check -- cluster-cells [options]

  --kubeconfig FILE   a kube-apiserver without controllers; the embedded server if it is not given
  --controllers PATH  a kube-controller-manager; the controllers of this package if it is not given
  --scheduler PATH    a kube-scheduler; that of this package if it is not given
  --keys DIR          has ca.crt and sa.key of the kube-apiserver
  --only TEXT         only scenarios whose title has this text
  --at-a-time N       scenarios (8)
  --help              shows this

The exit code is 1 when an outcome differs from the recorded one.`;

const QUIET = { onWarning: () => {} };
const FAST = [
  '--kube-api-qps=2000',
  '--kube-api-burst=4000',
  '--leader-elect=false',
  '--secure-port=0',
];
/** Those that this package has, too. */
const OF_MANAGER = '*,-persistentvolume-binder-controller,-ephemeral-volume-controller';
const OF_ACCOUNTS =
  '-serviceaccount-controller,-serviceaccount-token-controller,-root-ca-certificate-publisher-controller';
const SHOWN = 160;

type End = () => Promise<void>;

interface Choice {
  readonly kubeconfig?: string | undefined;
  readonly controllers?: string | undefined;
  readonly scheduler?: string | undefined;
  readonly keys?: string | undefined;
}

interface Cell {
  readonly client: Client;
  readonly end: End;
}

function program(path: string, flags: readonly string[]): End {
  const child = spawn(path, [...FAST, ...flags], { stdio: 'ignore' });
  return async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
  };
}

/** The embedded server, with the parts that are no programs of others. */
async function embedded({ controllers, scheduler }: Choice): Promise<Cell> {
  const own = controllers === undefined ? CONTROLLERS : ['service-account' as const];
  const all = own.filter((name) => name !== 'scheduler');
  const chosen = scheduler === undefined ? [...all, 'scheduler' as const] : all;
  const cluster = await startCluster({ controllers: chosen, logger: silentLogger });
  await cluster.server.listen();
  const folder = await mkdtemp(join(tmpdir(), 'cluster-cells-'));
  const file = join(folder, 'kubeconfig');
  await cluster.server.writeKubeconfig(file);
  const ends: End[] = [];
  if (controllers !== undefined) {
    const flags = [`--kubeconfig=${file}`, `--controllers=${OF_MANAGER},${OF_ACCOUNTS}`];
    ends.push(program(controllers, flags));
  }
  if (scheduler !== undefined) ends.push(program(scheduler, [`--kubeconfig=${file}`]));
  const client = await connect({ ...cluster.server.clientConfig(), ...QUIET });
  const end = async (): Promise<void> => {
    for (const one of ends) await one();
    await cluster.close();
    await rm(folder, { recursive: true });
  };
  return { client, end };
}

/** A kube-apiserver, and the parts that are no programs as clients of it. */
async function real(kubeconfig: string, choice: Choice): Promise<Cell> {
  const { controllers, scheduler, keys = '.' } = choice;
  const connected = async (fieldManager: string): Promise<Client> =>
    await connect({ kubeconfig, fieldManager, ...QUIET });
  const ends: End[] = [];
  if (controllers === undefined) {
    const client = await connected('kube-controller-manager');
    const authority = await readFile(join(keys, 'ca.crt'), 'utf8');
    const key = await readFile(join(keys, 'sa.key'), 'utf8');
    ends.push(await ourControllers(client, { authority, key }), () => client.close());
  } else {
    const files = [
      `--service-account-private-key-file=${join(keys, 'sa.key')}`,
      `--root-ca-file=${join(keys, 'ca.crt')}`,
    ];
    const flags = [`--kubeconfig=${kubeconfig}`, `--controllers=${OF_MANAGER}`, ...files];
    ends.push(program(controllers, flags));
  }
  if (scheduler === undefined) {
    const client = await connected('kube-scheduler');
    ends.push(ourScheduler(client), () => client.close());
  } else {
    ends.push(program(scheduler, [`--kubeconfig=${kubeconfig}`]));
  }
  const end = async (): Promise<void> => {
    for (const one of ends) await one();
  };
  return { client: await connect({ kubeconfig, ...QUIET }), end };
}

async function compared(client: Client, only: string, atATime: number): Promise<boolean> {
  const run = Date.now().toString(36).slice(-5);
  await using runner = await ScenarioRunner.start({ client, run });
  await runner.whenFollowed();
  const recorded = recordedOutcomes();
  const chosen = SCENARIOS.filter(({ title }) => title.includes(only));
  const again: (typeof SCENARIOS)[number][] = [];
  let equal = 0;
  const work = async (
    waiting: Iterable<(typeof SCENARIOS)[number]>,
    isLast: boolean,
  ): Promise<void> => {
    for (const scenario of waiting) {
      const wanted = canonical(recorded[scenario.title]);
      const answer = canonical(await runner.answer(scenario));
      if (answer === wanted) equal += 1;
      else if (!isLast) again.push(scenario);
      else console.log(difference(scenario.title, wanted, answer));
    }
  };
  const together = chosen.filter(({ alone }) => alone !== true).values();
  await Promise.all(Array.from({ length: atATime }, () => work(together, false)));
  await work(
    chosen.filter(({ alone }) => alone === true),
    false,
  );
  // A state may have been looked at too early on a busy machine.
  await work(again, true);
  console.log(`${equal} of ${chosen.length} scenarios equal`);
  return equal === chosen.length;
}

function difference(title: string, wanted: string, answer: string): string {
  let index = 0;
  while (index < wanted.length && wanted[index] === answer[index]) index += 1;
  const from = Math.max(0, index - SHOWN / 2);
  return `${title}\n  recorded ${wanted.slice(from, from + SHOWN)}\n  answered ${answer.slice(from, from + SHOWN)}`;
}

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    controllers: { type: 'string' },
    scheduler: { type: 'string' },
    keys: { type: 'string' },
    only: { type: 'string', default: '' },
    'at-a-time': { type: 'string', default: '8' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
} else {
  const { kubeconfig } = values;
  const { client, end } = await (kubeconfig === undefined
    ? embedded(values)
    : real(kubeconfig, values));
  try {
    if (!(await compared(client, values.only, Number(values['at-a-time'])))) process.exitCode = 1;
  } finally {
    await end();
  }
}
