import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';

/** Of an error that a program does not handle, on standard error. */
const MOST_ERROR_BYTES = 4096;
/** A reader sees them at once. */
const FIRST_LINES = 16;
const MESSAGE = /nothing listens there; check that/;

export interface Ended {
  readonly code: number | null;
  /** Standard output and standard error in one, for a terminal. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface ShellOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where standard error goes. @defaultValue 'pipe' */
  readonly into?: 'pipe' | 'file' | 'terminal';
}

/** Only a hang reaches this, milliseconds. */
const LIMIT_MS = 240_000;

/** Types a line, and waits for its end. */
export async function typeLine(line: string, options: ShellOptions): Promise<Ended> {
  const { cwd, env, into = 'pipe' } = options;
  const file = join(cwd, '.stderr');
  const sink = into === 'file' ? openSync(file, 'w') : undefined;
  const [program, ...parameters] =
    into === 'terminal' ? ['script', '-qec', line, '/dev/null'] : ['sh', '-c', line];
  const child = spawn(program, parameters, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', sink ?? 'pipe'],
    // Its own programs would live on, and keep the pipes open.
    detached: true,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, LIMIT_MS);
  const texts = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => (texts.stdout += piece));
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (texts.stderr += piece));
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  if (isLate) texts.stderr += `\n(it did not end within ${LIMIT_MS / 1000} s)`;
  if (sink !== undefined) {
    closeSync(sink);
    texts.stderr = readFileSync(file, 'utf8');
  }
  return { code, ...texts };
}

/** Why the error of a program cannot be read; undefined when it can: in a file, through a pipe and in a terminal. */
export async function unreadable(
  line: string,
  options: Omit<ShellOptions, 'into'>,
  runsTests: boolean = false,
): Promise<string | undefined> {
  const env = { ...options.env, SERVER: 'http://127.0.0.1:1' };
  for (const into of ['pipe', 'file', 'terminal'] as const) {
    const { code, stdout, stderr } = await typeLine(line, { ...options, env, into });
    // A test runner may report on standard output.
    const text = into === 'terminal' ? stdout : runsTests ? stdout + stderr : stderr;
    if (code === null) return `${into}: it did not end: ${text.slice(-500)}`;
    if (code === 0) return `${into}: it ended without an error`;
    const problem = problemOf(text, options.cwd);
    if (problem !== undefined) return `${into}: ${problem}\n${text.slice(0, 2_000)}`;
  }
  return undefined;
}

/** Why the text of an error cannot be read. The path of the project, which may be long, does not count. */
export function problemOf(text: string, folder: string): string | undefined {
  const bytes = Buffer.byteLength(text.replaceAll(folder, ''));
  if (bytes >= MOST_ERROR_BYTES) return `${bytes} bytes`;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const at = lines.findIndex((line) => MESSAGE.test(line));
  if (at < 0) return 'the message is not there';
  return at < FIRST_LINES ? undefined : `the message is in line ${at + 1}`;
}
