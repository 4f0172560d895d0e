import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CopyRefusal, shownPath, type CopyCounts } from './copy-counts.ts';
import { tarEnd, tarHeader, tarPadding } from './tar-writer.ts';

/** An archive of a file or a folder of this machine, whose names begin with `base`. Memory: one piece of a file. @throws {CopyRefusal} */
export async function* pack(
  path: string,
  base: string,
  counts: CopyCounts,
): AsyncGenerator<Buffer> {
  yield* member(path, base, counts);
  yield tarEnd();
}

async function* member(path: string, name: string, counts: CopyCounts): AsyncGenerator<Buffer> {
  const found = await lstat(path);
  if (found.isSymbolicLink()) counts.skip(path, 'link');
  else if (found.isFile()) yield* file(path, name, counts);
  else if (found.isDirectory()) {
    counts.add(false, 0);
    const { mode, mtimeMs: modifiedMs } = found;
    yield tarHeader({ name, isFolder: true, size: 0, mode: mode & 0o777, modifiedMs });
    for (const one of (await readdir(path)).toSorted()) {
      yield* member(join(path, one), `${name}/${one}`, counts);
    }
  } else counts.skip(path, 'special file');
}

async function* file(path: string, name: string, counts: CopyCounts): AsyncGenerator<Buffer> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { size, mode, mtimeMs: modifiedMs } = await handle.stat();
    counts.add(true, size);
    yield tarHeader({ name, isFolder: false, size, mode: mode & 0o777, modifiedMs });
    let left = size;
    // A file that grows meanwhile is copied up to the size that the header has.
    while (left > 0) {
      const piece = Buffer.allocUnsafe(Math.min(left, 64 * 1024));
      const { bytesRead } = await handle.read(piece, 0, piece.length);
      if (bytesRead === 0) {
        const problem = `${shownPath(path)} became shorter while it was read`;
        throw new CopyRefusal('COPY_FAILED', problem, 'copy it again when nothing writes to it');
      }
      left -= bytesRead;
      yield piece.subarray(0, bytesRead);
    }
    yield tarPadding(size);
  } finally {
    await handle.close();
  }
}
