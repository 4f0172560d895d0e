import { spawn, type ChildProcess } from 'node:child_process';
import { sep } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { onAbort } from '../../kernel/time/abort.ts';
import { deferred } from '../../kernel/time/latch.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import type { CommandHost } from '../contract/command.ts';

export interface ChildProgramOptions extends Pick<CommandHost, 'signalGroup'> {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder in which it runs. @defaultValue the one of this process */
  readonly folder?: string | undefined;
  readonly runtime: Runtime;
  /** Stops the program. */
  readonly signal: AbortSignal;
  /** Stops the program after this time, milliseconds. Left out: it ends by itself, or at the signal. */
  readonly stopAfterMs?: number | undefined;
  /** Called with the output of both streams. */
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
/** After SIGKILL, pipes that are still held belong to programs that have left the group. */
const DRAIN_MS = 1_000;

/**
 * Runs a program to its end. It is the first of a group of its own, so that it is stopped with all that it has started: `npm start` ends
 * before the program that it runs. The interrupt key of a terminal does not reach it; the signal does.
 *
 * Guarantees: never rejects. When it resolves, the program and all that it started are gone, unless they left the group. It resolves
 * within `KILL_AFTER_MS` and `DRAIN_MS` of the end of the program, or of the stop.
 */
export async function runChildProgram(options: ChildProgramOptions): Promise<ChildResult> {
  return await new ChildProgram(options).run();
}

class ChildProgram {
  readonly #options: ChildProgramOptions;
  readonly #result = deferred<ChildResult>();
  readonly #timers: Timer[] = [];
  #child: ChildProcess | undefined;
  #stopped = false;
  #killed = false;
  #exit: ChildResult | undefined;

  constructor(options: ChildProgramOptions) {
    this.#options = options;
  }

  async run(): Promise<ChildResult> {
    const { command, env, folder, runtime, signal, stopAfterMs } = this.#options;
    const [file, ...parameters] = command;
    const child = spawn(file, parameters, {
      env,
      cwd: folder,
      detached: sep === '/',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#readOutput(child);
    child.on('error', (error) => {
      // A signal that could not be sent is an error too.
      if (child.pid === undefined) this.#result.resolve({ outcome: 'not-started', error });
    });
    child.once('exit', (code, byOther) => {
      this.#exit = this.#stopped
        ? { outcome: 'stopped', killed: this.#killed }
        : { outcome: 'ended', code, signal: byOther };
      // Ends the processes that it has started; usually there are none.
      this.#stop();
    });
    child.once('close', () => {
      this.#finish();
    });
    const release = onAbort(signal, () => {
      this.#stop();
    });
    if (stopAfterMs !== undefined) {
      this.#timers.push(
        runtime.setTimer(stopAfterMs, () => {
          this.#stop();
        }),
      );
    }
    try {
      return await this.#result.promise;
    } finally {
      release();
      for (const timer of this.#timers) timer.cancel();
    }
  }

  #stop(): void {
    const wasStopped = this.#stopped;
    this.#stopped = true;
    if (wasStopped) return;
    this.#signal('SIGTERM');
    const { runtime } = this.#options;
    const kill = runtime.setTimer(KILL_AFTER_MS, () => {
      this.#killed = true;
      this.#signal('SIGKILL');
      const drain = runtime.setTimer(DRAIN_MS, () => {
        this.#finish();
      });
      this.#timers.push(drain);
    });
    this.#timers.push(kill);
  }

  #finish(): void {
    const result = this.#exit ?? { outcome: 'stopped', killed: this.#killed };
    for (const stream of [this.#child?.stdout, this.#child?.stderr]) stream?.destroy();
    const killed = this.#killed;
    this.#result.resolve(result.outcome === 'stopped' ? { outcome: 'stopped', killed } : result);
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    if (sep === '/') this.#options.signalGroup(pid, signal);
    else this.#child?.kill(signal);
  }

  #readOutput(child: ChildProcess): void {
    for (const stream of [child.stdout, child.stderr]) {
      const decoder = new StringDecoder('utf8');
      stream?.on('data', (chunk: Buffer) => {
        this.#options.onOutput(decoder.write(chunk));
      });
      // A pipe that breaks ends; without a listener its error would end this process.
      stream?.on('error', () => {});
    }
  }
}
