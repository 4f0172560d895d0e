/**
 * `npm run warm-start -- --pods 100000`: a warm start beside a cold one, in processes of their own: time to synced, bytes read, requests sent.
 * `npm run warm-start -- --kills 100`: kills a process that saves a snapshot, and reads the file after each kill.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lastLineOf } from '../bench/workload/child-process.ts';
import { podServer } from '../bench/workload/contest.ts';
import { killWhileSaving } from './snapshot/kill-while-saving.ts';
import type { StartFigures } from './warm-start-child.ts';

const { values } = parseArgs({ options: { pods: { type: 'string' }, kills: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'listwatch-warm-start-'));
try {
  if (values.kills !== undefined) {
    console.log(await killWhileSaving(folder, Number(values.kills), 3000));
  } else {
    await using server = await podServer('full', Number(values.pods ?? 100_000));
    const file = join(folder, 'pods.snapshot');
    const script = join(import.meta.dirname, 'warm-start-child.ts');
    const start = (): Promise<StartFigures> =>
      lastLineOf<StartFigures>(process.execPath, ['--import', 'tsx', script, server.url, file]);
    console.log('cold', await start());
    console.log('snapshot', statSync(file).size, 'bytes');
    for (let round = 0; round < 3; round += 1) console.log('warm', await start());
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
