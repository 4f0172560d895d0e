/** `npm run check -- warm-start`: a warm start beside a cold one, and snapshots of a process that is killed while it saves them. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lastLineOf } from '../bench/workload/child-process.ts';
import { podServer } from '../bench/workload/contest.ts';
import { killWhileSaving } from './snapshot/kill-while-saving.ts';
import type { StartFigures } from './warm-start-child.ts';

const USAGE = `npm run check -- warm-start [--pods N] | --kills N

--pods N   starts an informer of N pods (100000 unless given) cold and three times warm, in processes of their own. Prints the time to
           synced, the bytes that were read, and the requests.
--kills N  kills a process N times while it saves a snapshot, and reads the file after each kill. Prints how many were wrong.`;
/** Objects of a process that is killed. */
const KILLED_OBJECTS = 3000;

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '100000' },
    kills: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const count = Number(values.kills ?? values.pods);
if (values.help || !Number.isInteger(count) || count < 1) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  await main();
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'listwatch-warm-start-'));
  try {
    if (values.kills === undefined) await startWarm(folder);
    else console.log(await killWhileSaving(folder, count, KILLED_OBJECTS));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startWarm(folder: string): Promise<void> {
  await using server = await podServer('full', count);
  const file = join(folder, 'pods.snapshot');
  const script = join(import.meta.dirname, 'warm-start-child.ts');
  const start = (): Promise<StartFigures> =>
    lastLineOf<StartFigures>(process.execPath, ['--import', 'tsx', script, server.url, file]);
  console.log('cold', await start());
  console.log('snapshot', statSync(file).size, 'bytes');
  for (let round = 0; round < 3; round += 1) console.log('warm', await start());
}
