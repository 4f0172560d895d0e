import { spawn, type ChildProcess } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { onAbort } from '../../kernel/time/abort.ts';
import { deferred } from '../../kernel/time/latch.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';

export interface ChildProgramOptions {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder in which it runs. @defaultValue the one of this process */
  readonly folder?: string | undefined;
  readonly runtime: Runtime;
  /** Stops the program. */
  readonly signal: AbortSignal;
  /** Stops the program after this time, milliseconds. Left out: it ends by itself, or at the signal. */
  readonly stopAfterMs?: number | undefined;
  /** What the program prints, on either stream. */
  readonly onOutput: (text: string) => void;
}

/**
 * - `ended`: by itself, with a code or by a signal of another process
 * - `stopped`: after it was asked to, in time or not
 * - `not-started`
 */
export type ChildResult =
  | { readonly outcome: 'ended'; readonly code: number | null; readonly signal: string | null }
  | { readonly outcome: 'stopped'; readonly killed: boolean }
  | { readonly outcome: 'not-started'; readonly error: NodeJS.ErrnoException };

/** Between SIGTERM and SIGKILL: as long as a kubelet waits. */
export const KILL_AFTER_MS = 30_000;

/** Runs a program to its end. Never rejects; when it resolves, the process is gone. */
export async function runChildProgram(options: ChildProgramOptions): Promise<ChildResult> {
  const { command, env, folder, runtime, signal, stopAfterMs, onOutput } = options;
  const [file, ...parameters] = command;
  const child = spawn(file, parameters, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = deferred<ChildResult>();
  const timers: Timer[] = [];
  let stopping = false;
  let killed = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    child.kill('SIGTERM');
    const kill = runtime.setTimer(KILL_AFTER_MS, () => {
      killed = true;
      child.kill('SIGKILL');
    });
    timers.push(kill);
  };
  readOutput(child, onOutput);
  child.on('error', (error) => {
    // A signal that could not be sent is an error too.
    if (child.pid === undefined) ended.resolve({ outcome: 'not-started', error });
  });
  child.once('close', (code, byOther) => {
    ended.resolve(
      stopping ? { outcome: 'stopped', killed } : { outcome: 'ended', code, signal: byOther },
    );
  });
  const release = onAbort(signal, stop);
  if (stopAfterMs !== undefined) timers.push(runtime.setTimer(stopAfterMs, stop));
  try {
    return await ended.promise;
  } finally {
    release();
    for (const timer of timers) timer.cancel();
  }
}

function readOutput(child: ChildProcess, onOutput: (text: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder('utf8');
    stream?.on('data', (chunk: Buffer) => {
      onOutput(decoder.write(chunk));
    });
    // A pipe that breaks ends; without a listener its error would end this process.
    stream?.on('error', () => {});
  }
}
