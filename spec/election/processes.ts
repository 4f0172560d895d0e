import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { connect } from '../../lib/client/rest/connect.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { until } from '../support/until.ts';

const USAGE = `Three processes with leader election, killed and stopped in turn, against a real port.

  npm run check -- election-processes [--rounds N] [--lease SECONDS] [--fencing strict|local] [--kubeconfig FILE]

  --rounds N          kills and stops (default: 50)
  --lease SECONDS     how long the lease lasts (default: 15)
  --fencing NAME      default: strict with the embedded server, local with another one
  --kubeconfig FILE   another server, such as a kube-apiserver`;

const REPLICAS = 3;

interface Notified {
  readonly leads?: number;
  readonly sent?: number;
  readonly late?: number;
  readonly ended?: string;
  readonly error?: string;
}

interface Replica {
  readonly identity: string;
  readonly child: ChildProcess;
  leads: boolean;
  ended: string | undefined;
  sent: number;
  late: number;
}

/** Changes as the server has stored them. */
interface Change {
  readonly version: bigint;
  readonly who: string;
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    lease: { type: 'string', default: '15' },
    fencing: { type: 'string' },
    kubeconfig: { type: 'string' },
    help: { type: 'boolean' },
  },
});

if (values.help === true) console.log(USAGE);
else await main();

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'listwatch-election-'));
  const server = values.kubeconfig === undefined ? new ApiServer() : undefined;
  await server?.listen();
  const kubeconfig = values.kubeconfig ?? join(folder, 'kubeconfig');
  await server?.writeKubeconfig(kubeconfig);
  const fencing = values.fencing ?? (server === undefined ? 'local' : 'strict');
  const leaseMs = Number(values.lease) * 1000;
  const client = await connect({ kubeconfig, fieldManager: 'election' });
  const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
  const leases = client.resource('coordination.k8s.io/v1', 'leases', { namespace: 'default' });
  await maps.delete('election', { ignoreNotFound: true });
  await leases.delete('election', { ignoreNotFound: true });
  await maps.create({ metadata: { name: 'election' } });

  const stop = new AbortController();
  const writes: Change[] = [];
  const holders: Change[] = [];
  const selector = { fieldSelector: 'metadata.name=election', signal: stop.signal };
  const ended = Promise.all([
    follow(async () => {
      for await (const event of maps.watch(selector)) {
        if (event.type === 'BOOKMARK') continue;
        const { metadata, data } = event.object;
        if (data?.['by'] !== undefined) note(writes, metadata.resourceVersion, data['by']);
      }
    }, stop.signal),
    follow(async () => {
      for await (const event of leases.watch(selector)) {
        if (event.type === 'BOOKMARK') continue;
        const { metadata, spec } = event.object;
        note(holders, metadata.resourceVersion, spec?.holderIdentity ?? '');
      }
    }, stop.signal),
  ]);

  let started = 0;
  let sent = 0;
  let late = 0;
  const endings: Record<string, number> = {};
  const replicas: Replica[] = [];
  const start = (): void => {
    started += 1;
    const identity = `process-${started}`;
    const script = join(import.meta.dirname, 'process-child.ts');
    const args = ['--import', 'tsx', script, kubeconfig, identity, fencing, values.lease];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const replica: Replica = { identity, child, leads: false, ended: undefined, sent: 0, late: 0 };
    replicas.push(replica);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const notified = JSON.parse(line) as Notified;
      if (notified.leads !== undefined) replica.leads = true;
      if (notified.sent !== undefined) replica.sent = notified.sent;
      if (notified.late !== undefined) replica.late = notified.late;
      if (notified.ended === undefined) return;
      replica.leads = false;
      replica.ended = notified.ended;
      if (notified.ended === 'failed') console.log(`${identity}: ${notified.error}`);
    });
    child.once('exit', () => {
      const how = replica.ended ?? 'killed';
      endings[how] = (endings[how] ?? 0) + 1;
      sent += replica.sent;
      late += replica.late;
      replicas.splice(replicas.indexOf(replica), 1);
      if (!stop.signal.aborted) start();
    });
  };
  for (let index = 0; index < REPLICAS; index += 1) start();

  const takes: number[] = [];
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    await until(
      'a leader and two others',
      () => replicas.length === REPLICAS && replicas.some(({ leads }) => leads),
    );
    const leader = replicas.find(({ leads }) => leads)!;
    // It writes for a while.
    const before = leader.sent;
    await until('writes of the leader', () => leader.sent >= before + 20 || !leader.leads);
    const begun = performance.now();
    const isKill = round % 2 === 1;
    leader.child.kill(isKill ? 'SIGKILL' : 'SIGSTOP');
    leader.leads = false;
    await until('another leader', () => replicas.some((one) => one !== leader && one.leads));
    takes.push(performance.now() - begun);
    if (!isKill) leader.child.kill('SIGCONT');
    if (round % 10 === 0) console.log(`${round} rounds`);
  }
  stop.abort();
  for (const { child } of replicas) child.kill('SIGTERM');
  await until('the processes to end', () => replicas.length === 0);
  await ended;
  await client.close();
  await server?.close();
  rmSync(folder, { recursive: true });

  const stale = writes.filter(({ version, who }) => holderAt(holders, version) !== who);
  const seconds = takes.toSorted((one, other) => one - other).map((ms) => (ms / 1000).toFixed(1));
  const half = seconds[Math.floor(seconds.length / 2)];
  console.log(
    `${values.rounds} rounds, lease ${leaseMs / 1000} s, fencing ${fencing}, ${server === undefined ? 'another server' : 'embedded server'}: ${sent} writes sent, ${late} after local expiry; ${writes.length} seen stored, ${stale.length} of a former leader; next leader after ${half} s (half), ${seconds.at(-1)} s (longest); ended: ${JSON.stringify(endings)}`,
  );
  if (late > 0 || (fencing === 'strict' && stale.length > 0)) process.exitCode = 1;
}

/** Until the signal aborts; a watch that ends begins anew. */
async function follow(watch: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await watch().catch(() => {});
}

function note(changes: Change[], version: string | undefined, who: string): void {
  changes.push({ version: BigInt(version ?? '0'), who });
}

function holderAt(holders: readonly Change[], version: bigint): string | undefined {
  return holders.findLast((holder) => holder.version <= version)?.who;
}
