import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errorMessage, ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { sleep, withDeadline } from '../../../kernel/time/wait.ts';

export interface ReadTextFileOptions {
  /** Larger files are refused. */
  readonly largestBytes: number;
  readonly runtime: Runtime;
}

type File = Awaited<ReturnType<typeof open>>;

/** A file system that does not answer for so long counts as unreadable; so does a pipe that nothing is written to. */
const LONGEST_READ_MS = 10_000;

/** Between two looks at an empty pipe. */
const PIPE_POLL_MS = 10;

const READ_BYTES = 65_536;

/**
 * The text of a file or of a pipe, such as the process substitution of a shell. UTF-8, or UTF-16 with a byte order mark, as
 * Windows PowerShell writes it.
 * @throws {ListwatchError} code CONFIG_INVALID naming the path; the cause of a missing file has the code ENOENT.
 */
export async function readTextFile(path: string, options: ReadTextFileOptions): Promise<string> {
  const { runtime } = options;
  try {
    const reading = readBytes(path, options);
    const bytes = await withDeadline(runtime, reading, {
      // The limit of a pipe, which says more, comes first.
      timeoutMs: LONGEST_READ_MS + 1_000,
      describe: () => `the file ${path}`,
    });
    return textOf(bytes);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Whether the error of `readTextFile` says that there is no such file. */
export function isMissingFile(error: unknown): boolean {
  const cause: unknown = error instanceof ListwatchError ? error.cause : undefined;
  return cause instanceof Error && (cause as NodeJS.ErrnoException).code === 'ENOENT';
}

async function readBytes(path: string, options: ReadTextFileOptions): Promise<Buffer> {
  // O_NONBLOCK: a pipe without a writer is opened at once, instead of blocking a thread of Node's pool for ever.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (found.isDirectory()) throw invalid(path, 'it is a directory; name a file');
    if (found.size > options.largestBytes) throw tooLarge(path, options.largestBytes);
    return await readToEnd(path, file, found.isFIFO(), options);
  } finally {
    await file.close();
  }
}

/** Reads to the end and not by the size, which is 0 for some file systems and changes while a file is written. */
async function readToEnd(
  path: string,
  file: File,
  isPipe: boolean,
  { largestBytes, runtime }: ReadTextFileOptions,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const untilMs = runtime.monotonicMs() + LONGEST_READ_MS;
  let length = 0;
  for (;;) {
    const piece = await readPiece(file);
    if (piece === undefined || (isPipe && piece.length === 0 && length === 0)) {
      if (runtime.monotonicMs() >= untilMs) throw invalid(path, SILENT);
      await sleep(runtime, PIPE_POLL_MS);
      continue;
    }
    if (piece.length === 0) return Buffer.concat(pieces, length);
    length += piece.length;
    if (length > largestBytes) throw tooLarge(path, largestBytes);
    pieces.push(piece);
  }
}

/** Undefined: the pipe is empty and still has a writer. */
async function readPiece(file: File): Promise<Buffer | undefined> {
  try {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(READ_BYTES) });
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}

function textOf(bytes: Buffer): string {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  if (mark === 0xfffe) return new TextDecoder('utf-16le').decode(bytes);
  if (mark === 0xfeff) return new TextDecoder('utf-16be').decode(bytes);
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

const SILENT = `nothing was written to the pipe within ${LONGEST_READ_MS / 1_000} s; name a file`;

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; correct the path',
  EACCES: 'permission denied; make it readable for the user of this process',
  EPERM: 'permission denied; make it readable for the user of this process',
  EISDIR: 'it is a directory; name a file',
  ENOTDIR: 'a part of the path is a file and not a directory',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'the path is too long',
};

/** The error of a file that cannot be read, with its remedy. */
export function unreadable(path: string, error: unknown): ListwatchError {
  if (error instanceof ListwatchError) {
    if (error.code !== 'TIMEOUT') return error;
    return invalid(path, `the file system did not answer within ${LONGEST_READ_MS / 1_000} s`);
  }
  const { code } = error as NodeJS.ErrnoException;
  const problem = PROBLEMS[code ?? ''] ?? `it cannot be read: ${errorMessage(error)}`;
  return invalid(path, problem, error);
}

function tooLarge(path: string, largestBytes: number): ListwatchError {
  return invalid(path, `it is larger than ${largestBytes} bytes; name another file`);
}

function invalid(path: string, problem: string, cause?: unknown): ListwatchError {
  return new ListwatchError('CONFIG_INVALID', `${path}: ${problem}`, { cause });
}
