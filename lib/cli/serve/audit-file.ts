import { open, rename, type FileHandle } from 'node:fs/promises';
import { errorMessage } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { RequestRecord } from '../../server/api/port/request-record.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { requestVerb } from './request-verb.ts';

export interface AuditFileOptions {
  readonly logger: Logger;
  /** Beyond it the file becomes `FILE.1`, in place of an earlier one. @defaultValue 64 MiB */
  readonly largestBytes?: number | undefined;
  /** The most that waits for the disk; further lines are dropped and counted. @defaultValue 4 Mi characters */
  readonly mostPending?: number | undefined;
}

const MIB = 1024 * 1024;

/** Longer paths are cut. */
const LONGEST_PATH = 1024;

/**
 * A file with one JSON line a request: time, verb, path without query, user, status, durationMs, and annotations if
 * there are any. Never a body or a token.
 *
 * Guarantees:
 * - A request does not wait for the disk. What waits is bounded; lines that are dropped are counted in a line of their own.
 * - Two files of `largestBytes` at most, and the last lines written at once.
 */
export class AuditFile {
  readonly #path: string;
  readonly #logger: Logger;
  readonly #largestBytes: number;
  readonly #mostPending: number;
  #file: FileHandle;
  #size: number;
  #lines: string[] = [];
  #pending = 0;
  #dropped = 0;
  #writing: Promise<void> | undefined;

  private constructor(path: string, file: FileHandle, size: number, options: AuditFileOptions) {
    this.#path = path;
    this.#file = file;
    this.#size = size;
    this.#logger = options.logger;
    this.#largestBytes = options.largestBytes ?? 64 * MIB;
    this.#mostPending = options.mostPending ?? 4 * MIB;
  }

  /** Opens a file to append to; only its owner may read a new one. @throws {UsageError} */
  static async open(path: string, options: AuditFileOptions): Promise<AuditFile> {
    try {
      const file = await openFile(path);
      return new AuditFile(path, file, (await file.stat()).size, options);
    } catch (error) {
      throw new UsageError(
        `--audit ${path} cannot be written; name a file in a folder that exists: ${errorMessage(error)}`,
      );
    }
  }

  add(record: RequestRecord): void {
    const line = auditLine(record);
    if (this.#pending + line.length > this.#mostPending) {
      this.#dropped += 1;
      return;
    }
    this.#lines.push(line);
    this.#pending += line.length;
    this.#writing ??= this.#write();
  }

  /** Writes what waits, and closes the file. */
  async close(): Promise<void> {
    await this.#writing;
    if (this.#dropped > 0) await this.#write();
    await this.#file.close();
  }

  /** Writes until nothing waits. Never rejects. */
  async #write(): Promise<void> {
    do {
      const lines = this.#lines;
      const dropped = this.#dropped;
      this.#lines = [];
      this.#pending = 0;
      this.#dropped = 0;
      if (dropped > 0) lines.push(`${JSON.stringify({ dropped })}\n`);
      try {
        await this.#append(Buffer.from(lines.join('')));
      } catch (error) {
        this.#dropped += lines.length + dropped - (dropped > 0 ? 1 : 0);
        this.#logger.error('audit lines were not written', {
          path: this.#path,
          lines: this.#dropped,
          error: errorMessage(error),
        });
      }
    } while (this.#lines.length > 0);
    this.#writing = undefined;
  }

  async #append(bytes: Buffer): Promise<void> {
    if (this.#size > 0 && this.#size + bytes.byteLength > this.#largestBytes)
      await this.#turnOver();
    await this.#file.appendFile(bytes);
    this.#size += bytes.byteLength;
  }

  async #turnOver(): Promise<void> {
    await rename(this.#path, `${this.#path}.1`);
    const next = await openFile(this.#path);
    const last = this.#file;
    this.#file = next;
    this.#size = 0;
    await last.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  return await open(path, 'a', 0o600);
}

function auditLine(record: RequestRecord): string {
  const { startedMs, method, url, user, status, durationMs, annotations } = record;
  const [path = ''] = url.split('?', 1);
  const line = {
    time: new Date(startedMs).toISOString(),
    verb: requestVerb(method, url),
    path: path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}...` : path,
    user: user ?? null,
    status,
    durationMs: Math.round(durationMs * 10) / 10,
    ...(annotations === undefined ? {} : { annotations }),
  };
  return `${JSON.stringify(line)}\n`;
}
