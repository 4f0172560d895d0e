import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorMessage, ListwatchError } from '../../kernel/failure/errors.ts';
import { randomText } from '../../kernel/time/random.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { GENERATED } from './definition-types.ts';

/**
 * Replaces a generated file in one step; a reader sees the old file or the new one. A file with the same text is left as it is.
 * @throws {ListwatchError} code TYPES_FILE when the file is not a generated one, or cannot be written.
 */
export async function writeGenerated(
  path: string,
  text: string,
  runtime: Pick<Runtime, 'random'>,
): Promise<void> {
  const before = await textIn(path);
  if (before === text) return;
  if (before !== undefined && before !== '' && !before.startsWith(GENERATED)) {
    throw new ListwatchError('TYPES_FILE', `${path} is not a generated file; name another --out`);
  }
  const temporary = `${path}.${randomText(runtime, 8, 'abcdefghijklmnopqrstuvwxyz')}.tmp`;
  try {
    await writeFile(temporary, text, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      const folder = dirname(path);
      throw new ListwatchError(
        'TYPES_FILE',
        `${path} cannot be written: there is no folder ${folder}; create it, or name another --out`,
        { cause: error },
      );
    }
    throw fileError(path, 'written', error);
  }
}

/** @throws {ListwatchError} code TYPES_OUTDATED naming the first line that differs. */
export async function checkGenerated(path: string, text: string): Promise<void> {
  const before = await textIn(path);
  if (before === text) return;
  const lines = text.split('\n');
  const line = before?.split('\n').findIndex((one, index) => one !== lines[index]) ?? 0;
  const at = line < 0 ? before?.split('\n').length : line + 1;
  const what =
    before === undefined ? 'does not exist' : `differs from the definitions at line ${at}`;
  throw new ListwatchError('TYPES_OUTDATED', `${path} ${what}; run this without --check`);
}

async function textIn(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError(path, 'read', error);
  }
}

function fileError(path: string, done: string, cause: unknown): ListwatchError {
  const message = `${path} cannot be ${done}: ${errorMessage(cause)}; name another --out`;
  return new ListwatchError('TYPES_FILE', message, { cause });
}
