/**
 * How long it takes from `listen` to the answer of the first request: in a process that has done nothing before (cold), and
 * for further servers in the same process (warm). `npm run bench`.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connect } from '../../lib/client/rest/connect.ts';
import { ApiServer } from '../../lib/server/api/api-server.ts';

const COLD_RUNS = 7;
const WARM_RUNS = 20;

/** Milliseconds from the call of `listen` until a list of the namespaces has come back over HTTP. */
export async function firstAnswerMs(): Promise<number> {
  const server = new ApiServer();
  const startedMs = performance.now();
  await server.listen();
  const client = await connect(server.clientConfig());
  const { items } = await client.resource('v1', 'namespaces').list();
  const tookMs = performance.now() - startedMs;
  if (!items.some((item) => item.metadata?.name === 'default')) throw new Error('no namespaces');
  await client.close();
  await server.close();
  return tookMs;
}

export function summary(samples: readonly number[]): string {
  const sorted = samples.toSorted((left, right) => left - right);
  const at = (share: number): string =>
    (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1).padStart(7);
  return `min ${at(0)}  median ${at(0.5)}  max ${at(1)} ms`;
}

async function cold(self: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', self, 'once']);
  return Number(stdout);
}

const self = fileURLToPath(import.meta.url);
if (process.argv[1] === self) {
  if (process.argv[2] === 'once') {
    console.log(await firstAnswerMs());
  } else {
    const coldSamples: number[] = [];
    for (let run = 0; run < COLD_RUNS; run += 1) coldSamples.push(await cold(self));
    const warmSamples: number[] = [];
    for (let run = 0; run < WARM_RUNS; run += 1) warmSamples.push(await firstAnswerMs());
    console.log(
      `S1 listen to first answer, cold process  ${summary(coldSamples)}  (${COLD_RUNS} runs)`,
    );
    console.log(
      `S1 listen to first answer, warm process  ${summary(warmSamples)}  (${WARM_RUNS} runs)`,
    );
  }
}
