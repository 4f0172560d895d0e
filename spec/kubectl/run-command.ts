import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Command } from './scenario.ts';

/** Only a command that hangs runs as long. */
const HANG_MS = 60_000;

/** The output of kubectl and its exit. */
export interface Outcome {
  /** 0 of a command that was stopped because it printed its lines; -1 of one that hung. */
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  /** When it ended, or printed the lines after which the next command may begin. */
  readonly ready: Promise<unknown>;
  /** Stops a command that does not end by itself, as soon as it printed its last line. */
  readonly outcome: () => Promise<Outcome>;
}

/** Starts kubectl in the folder of its files. */
export function startCommand(
  binary: string,
  { args, env, input, lines }: Command,
  { folder, environment }: { readonly folder: string; readonly environment: NodeJS.ProcessEnv },
): RunningCommand {
  const child = spawn(binary, args, {
    cwd: folder,
    env: { ...environment, ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    timeout: HANG_MS,
    killSignal: 'SIGKILL',
  });
  // A command that reads nothing closes the pipe.
  child.stdin?.on('error', () => undefined);
  if (input !== undefined) createReadStream(join(folder, input)).pipe(child.stdin!);
  const printed = { stdout: '', stderr: '' };
  let reached: (() => void) | undefined;
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (piece: string) => {
      printed[name] += piece;
      reached?.();
    });
  }
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const printedLines = async (count: number): Promise<unknown> =>
    await Promise.race([
      ended,
      new Promise<void>((resolve) => {
        reached = () => {
          if (printed.stdout.split('\n').length > count) resolve();
        };
        reached();
      }),
    ]);
  return {
    ready: lines === undefined ? ended : printedLines(lines.before),
    outcome: async () => {
      if (lines === undefined) {
        const [exit] = await ended;
        return { exit: exit ?? -1, ...printed };
      }
      await printedLines(lines.last);
      const stopped = child.exitCode === null && child.signalCode === null;
      if (stopped) child.kill('SIGTERM');
      const [exit, signal] = await ended;
      const first = printed.stdout.split('\n').slice(0, lines.last);
      const bySignal = stopped || signal === 'SIGTERM';
      return { ...printed, exit: bySignal ? 0 : (exit ?? -1), stdout: `${first.join('\n')}\n` };
    },
  };
}
