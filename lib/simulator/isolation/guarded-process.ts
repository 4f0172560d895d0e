import { fork, type ChildProcess } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { sourceFolder } from '../../kernel/failure/own-file.ts';
import { nodeArguments } from '../../kernel/time/real-process.ts';
import { publishedEntry } from '../ambient/user-place.ts';
import type { IsolationSettings } from './isolation-settings.ts';
import { GUARD_FILE, type ProcessEnd } from './process-end.ts';

/** A run makes much garbage that is soon dead: a large young generation keeps it cheap. */
const FLAGS: readonly string[] = ['--max-semi-space-size=64'];

/** From source, the process that runs the specs may have got its loader in another way than by an argument. */
const LOADER: readonly string[] =
  sourceFolder() === undefined ? [] : ['--conditions=@listwatch/source', '--import', 'tsx'];

/** Arguments that name the program of this process, with their value. */
const OWN_PROGRAM: readonly string[] = ['-e', '--eval', '-p', '--print', '-pe'];

/** The arguments of node that its processes get: loaders and conditions, not the program. */
function inherited(all: readonly string[]): readonly string[] {
  return all.filter(
    (argument, index) =>
      !OWN_PROGRAM.includes(argument) &&
      !OWN_PROGRAM.includes(all[index - 1] ?? '') &&
      !argument.startsWith('--input-type'),
  );
}

/**
 * The place of a program of this package. In the published package this module lies in a chunk, whose place says nothing about that of the
 * programs.
 * @param path below `lib/simulator`, without its ending
 */
export function programPlace(path: string): URL {
  const sources = sourceFolder();
  return sources === undefined
    ? new URL(`./${path}.js`, publishedEntry())
    : pathToFileURL(`${sources}simulator/${path}.ts`);
}

/** Called with the events of a process. */
export interface ProcessListener {
  message(message: unknown): void;
  /** It is gone. `end`: its guard has said why. */
  gone(reason: string, end: ProcessEnd | undefined): void;
}

export interface StartOptions {
  /** Below `lib/simulator`. */
  readonly program: string;
  readonly argument: string;
  readonly settings: IsolationSettings | undefined;
  /** Whether what it prints is shown. */
  readonly prints: boolean;
}

/** Starts a program of this package in a process of its own. With `settings` it has a guard. */
export function startProcess(
  { program, argument, settings, prints }: StartOptions,
  listener: ProcessListener,
): ChildProcess {
  const heap = settings === undefined ? [] : [`--max-old-space-size=${settings.heapMb}`];
  const child = fork(programPlace(program), [argument], {
    execArgv: [...inherited(nodeArguments()), ...LOADER, ...FLAGS, ...heap],
    stdio: ['ignore', prints ? 'inherit' : 'ignore', 'inherit', 'ipc', 'pipe'],
  });
  let said: ProcessEnd | undefined;
  child.stdio[GUARD_FILE]?.on('data', (data: Uint8Array) => {
    said = JSON.parse(Buffer.from(data).toString().trim()) as ProcessEnd;
    child.kill('SIGKILL');
  });
  child.on('message', (message) => listener.message(message));
  child.on('error', (error) => listener.gone(error.message, undefined));
  child.on('close', (code, signal) => {
    // V8 ends a process that has no memory left.
    const isFull = settings !== undefined && (signal === 'SIGABRT' || code === 134);
    const end: ProcessEnd | undefined =
      said ?? (isFull ? { class: 'memory', places: [] } : undefined);
    listener.gone(`it ended with ${signal ?? code ?? ''}`, end);
  });
  return child;
}
