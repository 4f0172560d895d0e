import { createReadStream } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorMessage, ListwatchError } from '../../kernel/errors.ts';
import { randomText } from '../../kernel/random.ts';
import type { Runtime } from '../../kernel/runtime.ts';

const READ_BYTES = 1024 * 1024;

/**
 * Writes a file that appears whole or not at all: beside its place first, then flushed to the disk, then put in its place.
 * Readable by its owner only, since a store holds secrets. Returns its size.
 * @throws {ListwatchError} SNAPSHOT_FILE; the file that was there before stays.
 */
export async function writeWhole(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  runtime: Pick<Runtime, 'random'>,
): Promise<number> {
  const temporary = `${path}.${randomText(runtime, 8, 'abcdefghijklmnopqrstuvwxyz')}.tmp`;
  try {
    const size = await writeSynced(temporary, chunks);
    await rename(temporary, path);
    await syncFolder(dirname(path));
    return size;
  } catch (error) {
    await rm(temporary, { force: true });
    throw fileError(`the snapshot ${path} was not written`, error);
  }
}

/** The bytes of a file. @throws {ListwatchError} SNAPSHOT_FILE. */
export async function* readWhole(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: READ_BYTES });
  } catch (error) {
    throw fileError(`the snapshot ${path} cannot be read`, error);
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

/** A write may take less than it was given. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let written = 0;
  while (written < chunk.byteLength) {
    const { bytesWritten } = await file.write(chunk, written);
    written += bytesWritten;
  }
}

/** A new name is on the disk when its folder is. Not every system lets a folder be flushed. */
async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } catch {
    // The file is whole either way; only a power cut now may bring the old one back.
  } finally {
    await folder?.close();
  }
}

function fileError(what: string, error: unknown): unknown {
  // The system refused the file. An abort, or a damaged snapshot, says nothing about the file.
  if (!(error instanceof Error && 'syscall' in error)) return error;
  return new ListwatchError('SNAPSHOT_FILE', `${what}: ${errorMessage(error)}`, { cause: error });
}
