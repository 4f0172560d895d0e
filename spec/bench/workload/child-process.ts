import { spawn } from 'node:child_process';

/** Longest run of a process, milliseconds; a contestant gives up before. */
const DEADLINE_MS = 900_000;

/**
 * Runs a program and gives what it printed. What it writes to stderr is passed on, or, with `quiet`, kept for the error.
 * @throws {Error} with the end of stderr when it fails
 */
export async function run(
  command: string,
  args: readonly string[],
  options: {
    readonly cwd?: string | undefined;
    readonly env?: NodeJS.ProcessEnv | undefined;
    readonly quiet?: boolean | undefined;
  } = {},
): Promise<string> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', options.quiet === true ? 'pipe' : 'inherit'],
    timeout: DEADLINE_MS,
  });
  let output = '';
  let complaint = '';
  child.stdout?.on('data', (piece: Buffer) => {
    output += piece.toString();
  });
  child.stderr?.on('data', (piece: Buffer) => {
    complaint = (complaint + piece.toString()).slice(-2000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) {
    throw new Error(`${command} ${args[0] ?? ''} ended with ${code ?? 'a signal'}: ${complaint}`);
  }
  return output;
}

/** The JSON in the last line that a program prints. */
export async function lastLineOf<T>(command: string, args: readonly string[]): Promise<T> {
  const output = await run(command, args);
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as T;
}
