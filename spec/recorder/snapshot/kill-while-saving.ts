import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileWarmStart } from '../../../lib/recorder/snapshot/file-snapshot.ts';

/** The content of the file after a process that saved it was killed. */
export interface KillReport {
  readonly kills: number;
  /** Caches that were no whole state, or older than one that was said to be saved. */
  readonly wrong: readonly string[];
  /** The newest version. */
  readonly version: number;
  /** Files that were begun and left behind. */
  readonly leftBehind: number;
}

const COLLECTION = { description: 'pods', fields: undefined };

/** Kills a process with SIGKILL while it saves its cache, `kills` times, and reads the file after each. */
export async function killWhileSaving(
  folder: string,
  kills: number,
  objects: number,
): Promise<KillReport> {
  const file = join(folder, 'pods.snapshot');
  const wrong: string[] = [];
  let version = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const said = await killed(file, objects, (kill * 7919) % 60);
    const found = await loaded(file, objects);
    if (typeof found === 'string') wrong.push(`kill ${kill + 1}: ${found}`);
    else if (found < Math.max(said, version))
      wrong.push(`kill ${kill + 1}: version ${found} after ${said}`);
    else version = found;
  }
  const leftBehind = readdirSync(folder).filter((name) => name.endsWith('.tmp')).length;
  return { kills, wrong, version, leftBehind };
}

/** Lets a process save once, kills it some time later, and returns the last version that it has said. */
async function killed(file: string, objects: number, afterMs: number): Promise<number> {
  const script = join(import.meta.dirname, 'saving-child.ts');
  const args = ['--import', 'tsx', script, file, `${objects}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  await once(child.stdout, 'data');
  await sleep(afterMs);
  child.kill('SIGKILL');
  await once(child, 'close');
  // The last line may be cut.
  return Number(said.split('\n').at(-2) ?? 0);
}

/** The version of the file, or what is wrong with it. */
async function loaded(file: string, least: number): Promise<number | string> {
  const warmStart = fileWarmStart({ file, identity: { server: 'one', user: 'two' } });
  try {
    const state = await warmStart.load(COLLECTION, new AbortController().signal);
    if (state === undefined) return 'there is no file';
    let count = 0;
    for await (const piece of state.pieces) {
      count += piece.length;
      const other = piece.find(
        ({ metadata }) => metadata.resourceVersion !== state.resourceVersion,
      );
      if (other !== undefined) return 'it mixes two states';
    }
    await state.close();
    const expected = least + (Number(state.resourceVersion) % 7);
    return count === expected ? Number(state.resourceVersion) : `${count} objects, not ${expected}`;
  } catch (error) {
    return String(error);
  }
}
