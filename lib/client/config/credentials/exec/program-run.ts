import { spawn, type ChildProcess } from 'node:child_process';
import { sep } from 'node:path';
import { deferred } from '../../../../kernel/time/latch.ts';
import type { Runtime, Timer } from '../../../../kernel/time/runtime.ts';
import type { ExecEnvironment } from './exec-plugin-options.ts';

export interface ProgramRunOptions {
  /** The absolute path of the program. No shell reads it or the arguments. */
  readonly path: string;
  readonly args: readonly string[];
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** With it, the program has standard input and standard error of this process; otherwise no input. */
  readonly interactive: boolean;
  readonly timeoutMs: number;
  readonly signalGroup?: ExecEnvironment['signalGroup'];
  readonly runtime: Runtime;
  readonly onStderr: (chunk: Buffer) => void;
}

/**
 * - `exited`: with a code, or by a signal of another process
 * - `timeout`, `flood`, `stopped`: it was still running and is being killed
 * - `not-started`
 */
export type ProgramResult =
  | { readonly outcome: 'exited'; readonly code: number | null; readonly signal: string | null }
  | { readonly outcome: 'timeout' | 'stopped' }
  | { readonly outcome: 'flood'; readonly stream: 'output' | 'error' }
  | { readonly outcome: 'not-started'; readonly error: NodeJS.ErrnoException };

/** Maximum number of bytes that a program may print on standard output, and again on standard error. */
export const MOST_BYTES = 1_048_576;
/** After SIGTERM, a program has this time before SIGKILL. */
const KILL_AFTER_MS = 2_000;
/** Output that is still in the pipes when the program has ended arrives at once, unless a program that it started holds them. */
const DRAIN_MS = 1_000;

/**
 * One run of a program. With `signalGroup`, and unless it is interactive, it is the first of a group of its own, so that it is
 * stopped with all that it has started; the interrupt key of a terminal does not reach it.
 *
 * Guarantees: `result` settles within `timeoutMs` and `DRAIN_MS`. `ended` settles when the process is gone, or could not be
 * killed within `KILL_AFTER_MS` and `DRAIN_MS`. Neither rejects. Then no timer, pipe or process of it is left; a program that
 * the program itself has started in the background goes on only if the run was not stopped.
 */
export class ProgramRun {
  readonly result: Promise<ProgramResult>;
  readonly ended: Promise<void>;
  readonly #options: ProgramRunOptions;
  readonly #result = deferred<ProgramResult>();
  readonly #ended = deferred<void>();
  readonly #printed: Buffer[] = [];
  readonly #inGroup: boolean;
  #outputBytes = 0;
  #errorBytes = 0;
  #child: ChildProcess | undefined;
  #timer: Timer | undefined;
  #isStopping = false;

  constructor(options: ProgramRunOptions) {
    this.#options = options;
    this.result = this.#result.promise;
    this.ended = this.#ended.promise;
    // An interactive program has to stay in the group of the terminal, or it is stopped when it reads.
    this.#inGroup = !options.interactive && options.signalGroup !== undefined && sep === '/';
    try {
      this.#start();
    } catch (error) {
      this.#notStarted(error as NodeJS.ErrnoException);
    }
  }

  /** The number of bytes that the program has printed on standard output so far. */
  get printedBytes(): number {
    return this.#outputBytes;
  }

  /** The standard output of the program so far. */
  get printed(): Buffer {
    return Buffer.concat(this.#printed);
  }

  /** Ends the run if it has not ended: SIGTERM, and SIGKILL two seconds later. */
  stop(): void {
    this.#stop({ outcome: 'stopped' });
  }

  #start(): void {
    const { path, args, env, interactive, runtime, timeoutMs, onStderr } = this.#options;
    const child = spawn(path, args, {
      env,
      shell: false,
      windowsHide: true,
      detached: this.#inGroup,
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', interactive ? 'inherit' : 'pipe'],
    });
    this.#child = child;
    this.#timer = runtime.setTimer(timeoutMs, () => {
      this.#afterInput(() => {
        this.#stop({ outcome: 'timeout' });
      });
    });
    child.on('error', (error) => {
      // A failed kill is an error too; the timer of the kill goes on.
      if (child.pid === undefined) this.#notStarted(error);
    });
    // A pipe that breaks ends; without a listener its error would end this process.
    for (const stream of [child.stdout, child.stderr]) stream?.on('error', () => {});
    child.stdout?.on('data', (chunk: Buffer) => {
      if (this.#isStopping) return;
      this.#outputBytes += chunk.length;
      if (this.#outputBytes > MOST_BYTES) this.#stop({ outcome: 'flood', stream: 'output' });
      else this.#printed.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (this.#isStopping) return;
      this.#errorBytes += chunk.length;
      if (this.#errorBytes > MOST_BYTES) this.#stop({ outcome: 'flood', stream: 'error' });
      else onStderr(chunk);
    });
    child.once('exit', (code, signal) => {
      this.#exited({ outcome: 'exited', code, signal });
    });
  }

  #notStarted(error: NodeJS.ErrnoException): void {
    this.#timer?.cancel();
    this.#result.resolve({ outcome: 'not-started', error });
    this.#ended.resolve();
  }

  #exited(result: ProgramResult): void {
    const child = this.#child as ChildProcess;
    this.#timer?.cancel();
    if (this.#isStopping) {
      // Processes that the program has started do not outlive it.
      if (this.#inGroup) this.#signal('SIGKILL');
      this.#release();
      return;
    }
    const finish = (): void => {
      this.#timer?.cancel();
      this.#result.resolve(result);
      this.#release();
    };
    child.once('close', finish);
    this.#timer = this.#options.runtime.setTimer(DRAIN_MS, () => {
      this.#afterInput(finish);
    });
  }

  /**
   * When this process was busy, a timer is due before the end or the output of the program is seen, although they came in time.
   * A task runs after them.
   */
  #afterInput(callback: () => void): void {
    let isCancelled = false;
    this.#timer = {
      cancel: () => {
        isCancelled = true;
      },
    };
    this.#options.runtime.queueTask(() => {
      if (!isCancelled) callback();
    });
  }

  #stop(result: ProgramResult): void {
    if (this.#isStopping || this.#child === undefined) return;
    this.#isStopping = true;
    this.#timer?.cancel();
    this.#result.resolve(result);
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
      this.#exited(result);
      return;
    }
    this.#signal('SIGTERM');
    this.#timer = this.#options.runtime.setTimer(KILL_AFTER_MS, () => {
      this.#signal('SIGKILL');
      this.#timer = this.#options.runtime.setTimer(DRAIN_MS, () => {
        this.#release();
      });
    });
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { signalGroup } = this.#options;
    const { pid } = this.#child as ChildProcess;
    if (this.#inGroup && pid !== undefined && signalGroup?.(pid, signal) === true) return;
    this.#child?.kill(signal);
  }

  /** Closes the pipes, and lets this process end even if the program cannot be killed. */
  #release(): void {
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    this.#child?.unref();
    this.#ended.resolve();
  }
}
