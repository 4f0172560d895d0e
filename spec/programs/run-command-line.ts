import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { CommandLine } from './program.ts';
import type { Ended } from './step-lines.ts';

export interface RunOptions {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly limitSeconds: number;
}

/** Runs a command with low priority to its end, and keeps what it writes. At the limit its whole group is ended. */
export async function runCommandLine(
  command: CommandLine,
  { folder, env = {}, limitSeconds }: RunOptions,
): Promise<Ended & { readonly code: number | null }> {
  const child = spawn('nice', ['-n', '5', ...command], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, limitSeconds * 1000);
  try {
    await once(child, 'close');
  } finally {
    clearTimeout(timer);
  }
  const code = child.exitCode;
  const how = isLate ? `ended after ${limitSeconds} s` : `exit code ${code ?? child.signalCode}`;
  return { stdout, stderr, how, code };
}
