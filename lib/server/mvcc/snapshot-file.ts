import { createReadStream } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileError } from '../../kernel/failure/file-error.ts';
import { temporaryBeside } from '../../kernel/data/temporary-file.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

const READ_BYTES = 1024 * 1024;

/**
 * Writes a file atomically: first beside its final place, then flushed to disk, then renamed. Only its owner may read it, since
 * a store contains secrets. Returns its size.
 * @throws {ListwatchError} SNAPSHOT_FILE; an earlier file stays.
 */
export async function writeWhole(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  runtime: Pick<Runtime, 'random'>,
): Promise<number> {
  const temporary = temporaryBeside(path, runtime);
  try {
    const size = await writeSynced(temporary, chunks);
    await rename(temporary, path);
    await syncFolder(dirname(path));
    return size;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw fileError('SNAPSHOT_FILE', `the snapshot ${path} was not written`, error);
  }
}

/** The bytes of a file. @throws {ListwatchError} SNAPSHOT_FILE. */
export async function* readWhole(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: READ_BYTES });
  } catch (error) {
    throw fileError('SNAPSHOT_FILE', `the snapshot ${path} cannot be read`, error);
  }
}

async function writeSynced(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  let size = 0;
  try {
    for await (const chunk of chunks) {
      await writeAll(file, chunk);
      size += chunk.byteLength;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return size;
}

/** One write may take only part of the bytes, so it is repeated. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let written = 0;
  while (written < chunk.byteLength) {
    const { bytesWritten } = await file.write(chunk, written);
    written += bytesWritten;
  }
}

/** A new file name is durable only once its folder is flushed. Some systems do not support that. */
async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } catch {
    // The file is complete either way. If this fails, a power failure now may bring the earlier file back.
  } finally {
    await folder?.close();
  }
}
