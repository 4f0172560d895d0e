import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileWriter, WritableFile } from '../../../lib/recorder/files/private-file.ts';

/** Files in memory, which fail on command. */
export class MemoryFiles implements FileWriter {
  readonly files: Map<string, Buffer> = new Map();
  /** Bytes that still fit on the disk. */
  room: number = Infinity;
  /** Waits before each write. */
  beforeWrite: () => Promise<void> = () => Promise.resolve();

  create(path: string): Promise<WritableFile> {
    if (this.files.has(path)) {
      return Promise.reject(Object.assign(new Error(`EEXIST: ${path}`), { code: 'EEXIST' }));
    }
    this.files.set(path, Buffer.alloc(0));
    return Promise.resolve({
      write: async (bytes) => {
        await this.beforeWrite();
        this.room -= bytes.byteLength;
        if (this.room < 0) {
          throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
            code: 'ENOSPC',
          });
        }
        this.files.set(path, Buffer.concat([this.bytes(path), bytes]));
      },
      sync: () => Promise.resolve(),
      close: () => Promise.resolve(),
    });
  }

  rename(from: string, to: string): Promise<void> {
    this.files.set(to, this.bytes(from));
    this.files.delete(from);
    return Promise.resolve();
  }

  remove(path: string): Promise<void> {
    this.files.delete(path);
    return Promise.resolve();
  }

  bytes(path: string): Buffer {
    return this.files.get(path) ?? Buffer.alloc(0);
  }
}

/** A folder that is gone at the end of `use`. */
export async function inFolder<R>(use: (folder: string) => Promise<R>): Promise<R> {
  const folder = mkdtempSync(join(tmpdir(), 'listwatch-recorder-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The bytes as a file, for what reads one. */
export async function asFile<R>(bytes: Buffer, use: (path: string) => Promise<R>): Promise<R> {
  return await inFolder(async (folder) => {
    const path = join(folder, 'a.listwatch');
    writeFileSync(path, bytes);
    return await use(path);
  });
}
