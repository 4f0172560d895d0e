import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** How a run of specs ended: all passed, one failed, or it was still running at its limit. */
export interface SpecRun {
  readonly outcome: 'passed' | 'failed' | 'timed out';
  readonly tookMs: number;
  /** The spec file that failed, where mocha names it. */
  readonly failed?: string | undefined;
  /** The end of the output, to be shown where a run ends as it should not. */
  readonly output: string;
}

const KEPT_OUTPUT = 200_000;

/** Runs spec files in a process of their own, up to the first failure. */
export async function runSpecs(
  folder: string,
  specs: readonly string[],
  limitMs: number,
): Promise<SpecRun> {
  const startedAtMs = performance.now();
  const mocha = join('node_modules', 'mocha', 'bin', 'mocha.js');
  const child = spawn(
    process.execPath,
    [mocha, '--bail', '--reporter', 'json-stream', '--timeout', String(limitMs), ...specs],
    {
      cwd: folder,
      // A mutant may be noticed by a case that `npm test` leaves out.
      env: { ...process.env, LISTWATCH_WHOLE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  let output = '';
  const keep = (piece: Buffer): void => {
    output = (output + piece.toString('utf8')).slice(-KEPT_OUTPUT);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return await new Promise((resolve, reject) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      endGroup(child.pid);
    }, limitMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      const ended = code === 0 ? 'passed' : 'failed';
      const tookMs = performance.now() - startedAtMs;
      resolve({ outcome: late ? 'timed out' : ended, tookMs, failed: failedFile(output), output });
    });
  });
}

/** The file of the first failure in the lines of the reporter. */
function failedFile(output: string): string | undefined {
  const line = output.split('\n').find((one) => one.startsWith('["fail",'));
  return line === undefined ? undefined : /"file":"([^"]+)"/.exec(line)?.[1];
}

/** Mocha runs the specs in a child of its own, which has to end with it. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
