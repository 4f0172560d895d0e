import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { randomText } from '../time/random.ts';
import type { Runtime } from '../time/runtime.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ENDING = /^[a-z]{8}\.tmp$/;

/** The name under which a file is written beside its place, before it is renamed. */
export function temporaryBeside(path: string, runtime: Pick<Runtime, 'random'>): string {
  return `${path}.${randomText(runtime, 8, LETTERS)}.tmp`;
}

/** Removes what was written beside a file by a process that was killed. What cannot be removed stays. */
export async function removeLeftBehind(path: string): Promise<void> {
  const folder = dirname(path);
  const begins = `${basename(path)}.`;
  try {
    for (const name of await readdir(folder)) {
      const isLeft = name.startsWith(begins) && ENDING.test(name.slice(begins.length));
      if (isLeft) await rm(join(folder, name), { force: true });
    }
  } catch {
    // A folder that cannot be read is reported when the file is written.
  }
}
