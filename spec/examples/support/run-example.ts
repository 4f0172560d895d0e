import { spawn, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { plainProgram } from '../../support/plain-programs.ts';
import { HANG_MS } from '../../support/until.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Called with all of stdout whenever more of it has come. */
  readonly onOutput?: ((stdout: string, child: ChildProcess) => void) | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Runs a script below the root of the package, as JavaScript on plain Node. */
export async function runExample(
  script: string,
  args: readonly string[] = [],
  { onOutput, env }: RunOptions = {},
): Promise<Finished> {
  const program = await plainProgram(script);
  return await new Promise((done, failed) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: ROOT,
      env: { ...process.env, ...env },
      timeout: HANG_MS,
      killSignal: 'SIGKILL',
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      onOutput?.(stdout, child);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('error', failed);
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
}
