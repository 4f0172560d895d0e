import { constants } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ListwatchError, type ErrorCode } from '../../kernel/failure/errors.ts';
import { fileError } from '../../kernel/failure/file-error.ts';
import { temporaryBeside } from '../../kernel/data/temporary-file.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

/**
 * A file that is being written.
 *
 * @experimental
 */
export interface WritableFile {
  /** Writes all of the bytes. */
  write(bytes: Uint8Array): Promise<void>;
  /** Returns once what was written is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The file system, as far as recordings and snapshots write to it; specs inject another one. */
export interface FileWriter {
  /** Creates a file that only its owner may read. It fails if there is one of this name. */
  create(path: string): Promise<WritableFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** A name that is a link is refused where the system can do that. */
const CREATE =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);
const OWNER_ONLY = 0o600;

class NodeFile implements WritableFile {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** One write may take only part of the bytes. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.byteLength; ) {
      written += (await this.#handle.write(bytes, written)).bytesWritten;
    }
  }

  async sync(): Promise<void> {
    await this.#handle.sync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

export const nodeFiles: FileWriter = {
  create: async (path) => new NodeFile(await open(path, CREATE, OWNER_ONLY)),
  async rename(from, to): Promise<void> {
    await rename(from, to);
    await syncFolder(dirname(to));
  },
  async remove(path): Promise<void> {
    await rm(path, { force: true });
  },
};

/** A new name is durable only once its folder is flushed. Some systems do not support that; the file is whole either way. */
async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } catch {
    // After a power failure the earlier file may be there again.
  } finally {
    await folder?.close();
  }
}

/**
 * Writes a file as a whole: beside its place, flushed, then renamed. Whatever stops it, the file is the earlier one or the new one.
 * @throws {ListwatchError} with the code when it cannot be written; the earlier file stays.
 */
export async function replaceFile(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  given: {
    readonly files: FileWriter;
    readonly runtime: Pick<Runtime, 'random'>;
    readonly code: ErrorCode;
  },
): Promise<number> {
  const { files, runtime, code } = given;
  const aside = temporaryBeside(path, runtime);
  let size = 0;
  try {
    const file = await files.create(aside);
    try {
      for await (const chunk of chunks) {
        await file.write(chunk);
        size += chunk.byteLength;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(aside, path);
    return size;
  } catch (error) {
    await files.remove(aside).catch(() => {});
    throw fileError(code, `${path} was not written`, error);
  }
}

/**
 * The bytes of a file. Undefined if there is none.
 * @throws {ListwatchError} with the code when it cannot be read, is a link, or has more bytes than the bound.
 */
export async function readFileWithin(
  path: string,
  maxBytes: number,
  code: ErrorCode,
): Promise<Buffer | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, READ);
    const { size } = await handle.stat();
    if (size > maxBytes) {
      const problem = `${path} has ${size} bytes, and at most ${maxBytes} are read`;
      throw new ListwatchError(code, problem);
    }
    // Not of the pool of small buffers: views of the objects hold it.
    const bytes = Buffer.allocUnsafeSlow(size);
    let filled = 0;
    while (filled < size) {
      const { bytesRead } = await handle.read(bytes, filled, size - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw fileError(code, `${path} cannot be read`, error);
  } finally {
    await handle?.close();
  }
}
