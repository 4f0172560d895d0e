import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolders } from '../files/make-folders.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { UsageError } from '../arguments/usage-error.ts';

/** Files that a new repository may have. */
const ALLOWED: ReadonlySet<string> = new Set(['.git']);

/**
 * Writes files into a folder, which is made, or empty but for `.git`.
 * @param shown The folder as the user gave it. @throws {UsageError}
 */
export async function writeProject(
  folder: string,
  files: ReadonlyMap<string, string>,
  shown: string,
): Promise<void> {
  const [first] = await contentOf(folder, shown);
  if (first !== undefined) {
    throw new UsageError(
      `the folder ${shown} exists and has ${first}; name another, or an empty one with --dir`,
    );
  }
  try {
    for (const [path, text] of files) {
      await makeFolders(dirname(join(folder, path)));
      await writeFile(join(folder, path), text, { flag: 'wx' });
    }
  } catch (error) {
    throw new UsageError(`${shown} cannot be written: ${errorMessage(error)}; name another --dir`);
  }
}

async function contentOf(folder: string, shown: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => !ALLOWED.has(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new UsageError(
      `${shown} is no folder that can be written: ${errorMessage(error)}; name another --dir`,
    );
  }
}
