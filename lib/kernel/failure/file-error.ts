import { errorMessage, ListwatchError, type ErrorCode } from './errors.ts';

/** The remedy of an error of the file system, by its code. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'this process has no right to it: name another place',
  EEXIST: 'name a new file, or remove this one',
  EISDIR: 'this is a folder: name a file in it',
  ELOOP: 'this is a link, and links are not followed: name the file',
  ENOENT: 'correct the path, or make its folder first',
  ENOSPC: 'free space on its disk, or name another place',
  ENOTDIR: 'a part of the path is a file: name another place',
  EPERM: 'this process has no right to it: name another place',
  EROFS: 'nothing can be written there: name another place',
};

/**
 * The error of a file that cannot be read or written, in one line: `what` has failed, the cause and the remedy. Any other error is returned as it
 * is: only one of the file system concerns the file.
 */
export function fileError(code: ErrorCode, what: string, error: unknown): unknown {
  if (error instanceof ListwatchError || !(error instanceof Error)) return error;
  const { code: cause, syscall }: NodeJS.ErrnoException = error;
  if (typeof cause !== 'string' || cause === 'ABORT_ERR') return error;
  const remedy = REMEDIES[cause];
  const text = `${what}: ${causeOf(errorMessage(error), syscall)}${remedy === undefined ? '' : `; ${remedy}`}`;
  return new ListwatchError(code, text, { cause: error });
}

/** Without the call and its path, which may be that of a file beside it whose name is new each time: a log holds back repeated lines. */
function causeOf(message: string, syscall: string | undefined): string {
  const end = syscall === undefined ? -1 : message.lastIndexOf(`, ${syscall}`);
  return end === -1 ? message : message.slice(0, end);
}
