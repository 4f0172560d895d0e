/** Records the words of a real kube-scheduler, which runs against the server of this package, one server for each scenario. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../../lib/client/rest/connect.ts';
import { startCluster } from '../../../lib/cluster/cluster.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { SCENARIOS, ScenarioWriter, scenarioWords, type ScenarioWords } from './word-scenarios.ts';

const STARTS_MS = 6000;
const SETTLES_MS = 3000;

const [, , program] = process.argv;
if (program === undefined) throw new Error('give the path of kube-scheduler');
const recorded: Record<string, ScenarioWords> = {};
const pause = async (ms: number): Promise<void> => await sleep(realRuntime, ms);
for (const [name, write] of Object.entries(SCENARIOS)) {
  const folder = await mkdtemp(join(tmpdir(), 'record-words-'));
  await using cluster = await startCluster({ logger: silentLogger });
  await cluster.server.listen();
  await using client = await connect(cluster.server.clientConfig());
  const kubeconfig = join(folder, 'kubeconfig');
  await cluster.server.writeKubeconfig(kubeconfig);
  const flags = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0'];
  const scheduler = spawn(program, flags, { stdio: 'ignore' });
  await pause(STARTS_MS);
  await write(new ScenarioWriter(client, pause));
  await pause(SETTLES_MS);
  recorded[name] = await scenarioWords(client);
  scheduler.kill();
  await rm(folder, { recursive: true });
}
const target = new URL('./recorded-words.json', import.meta.url);
await writeFile(target, `${JSON.stringify(recorded, undefined, 2)}\n`);
