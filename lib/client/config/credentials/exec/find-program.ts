import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path';

export interface ProgramSearch {
  /** Environment variables; PATH, and on Windows PATHEXT, are read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder to which a path in the command is relative. */
  readonly directory?: string | undefined;
  /** Whether the endings of PATHEXT may be left out. @defaultValue whether this is Windows */
  readonly onWindows?: boolean | undefined;
}

/**
 * - `found`: the absolute path of a file that can be executed
 * - `missing`: there is no such file
 * - `not-executable`: there is a file, but it may not be executed
 * - `directory`: it is a directory
 * - `batch-file`: a file of Windows that only a shell can run
 */
export type FoundProgram =
  | { readonly outcome: 'found'; readonly path: string }
  | { readonly outcome: 'missing'; readonly path?: string | undefined }
  | { readonly outcome: 'not-executable' | 'directory' | 'batch-file'; readonly path: string };

const ON_WINDOWS = sep === '\\';

/** Whether a command is a path. Otherwise it is a name for PATH. */
export function isPath(command: string): boolean {
  return command.includes('/') || (ON_WINDOWS && command.includes('\\'));
}

/**
 * Looks a program up as Go's os/exec does: a name in the directories of PATH, a path as it is. Relative directories in PATH are
 * skipped, so that the current directory never provides the program.
 */
export async function findProgram(command: string, search: ProgramSearch): Promise<FoundProgram> {
  if (isPath(command)) {
    const path = search.directory === undefined ? command : resolve(search.directory, command);
    const found = await firstOf(path, search);
    return found.outcome === 'hidden' ? { outcome: 'not-executable', path: found.path } : found;
  }
  let second: FoundProgram | undefined;
  for (const directory of directoriesOf(search)) {
    const found = await firstOf(join(directory, command), search);
    if (found.outcome === 'found') return found;
    if (found.outcome === 'not-executable' || found.outcome === 'batch-file') second ??= found;
  }
  return second ?? { outcome: 'missing' };
}

function directoriesOf(search: ProgramSearch): string[] {
  return (variable('PATH', search) ?? '')
    .split(delimiter)
    .filter((directory) => isAbsolute(directory));
}

/** The files that a path may mean: on Windows, the ending may be left out. */
function candidatesOf(path: string, search: ProgramSearch): string[] {
  if (!isWindows(search)) return [path];
  const endings = (variable('PATHEXT', search) || '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean);
  const hasEnding = endings.some((ending) => path.toLowerCase().endsWith(ending.toLowerCase()));
  return hasEnding ? [path] : endings.map((ending) => path + ending);
}

/** In a folder that may not be searched, a file may be there or not: a name is looked up in the next one. */
type Looked = FoundProgram | { readonly outcome: 'hidden'; readonly path: string };

async function firstOf(path: string, search: ProgramSearch): Promise<Looked> {
  const candidates = candidatesOf(path, search);
  for (const path of candidates) {
    const found = await look(path, isWindows(search));
    if (found.outcome !== 'missing') return found;
  }
  return { outcome: 'missing', path: candidates[0] };
}

async function look(path: string, onWindows: boolean): Promise<Looked> {
  try {
    const file = await stat(path);
    if (file.isDirectory()) return { outcome: 'directory', path };
  } catch (error) {
    return { outcome: isForbidden(error) ? 'hidden' : 'missing', path };
  }
  try {
    await access(path, constants.X_OK);
  } catch (error) {
    return { outcome: isForbidden(error) ? 'not-executable' : 'missing', path };
  }
  // Node runs batch files only through a shell.
  if (onWindows && /\.(?:bat|cmd)$/i.test(path)) return { outcome: 'batch-file', path };
  return { outcome: 'found', path };
}

function isForbidden(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM';
}

/** Names of variables are not case-sensitive on Windows. */
function variable(name: string, search: ProgramSearch): string | undefined {
  const { env } = search;
  if (!isWindows(search) || env[name] !== undefined) return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

function isWindows({ onWindows = ON_WINDOWS }: ProgramSearch): boolean {
  return onWindows;
}
