import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

interface FolderOptions {
  /** Of each folder that is made. @defaultValue that of the process */
  readonly mode?: number | undefined;
}

/**
 * Makes a folder, and those above it that are missing. `mkdir` of Node with `recursive` does not settle below a folder that takes none,
 * such as /proc.
 * @throws the error of the file system; EEXIST for a path that is no folder
 */
export async function makeFolders(path: string, { mode }: FolderOptions = {}): Promise<void> {
  const failure = await tried(path, mode);
  if (failure === undefined) return;
  const above = dirname(path);
  if (failure.code !== 'ENOENT' || above === path) throw failure;
  await makeFolders(above, { mode });
  const again = await tried(path, mode);
  if (again !== undefined) throw again;
}

/** The reason why there is no such folder after it. */
async function tried(
  path: string,
  mode: number | undefined,
): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path, { mode });
    return undefined;
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    if (failure.code !== 'EEXIST') return failure;
    return (await stat(path)).isDirectory() ? undefined : failure;
  }
}
