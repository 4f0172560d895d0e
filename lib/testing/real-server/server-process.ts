import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { plainText } from '../../kernel/text/plain-text.ts';
import { Latch } from '../../kernel/time/latch.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { sleep } from '../../kernel/time/wait.ts';

export interface ServerProcessOptions {
  readonly path: string;
  readonly flags: readonly string[];
  /** For messages. */
  readonly name: string;
  /** The file that gets its output. */
  readonly log: string;
  /** Whether that file stays after a failed start. */
  readonly keepsLog: boolean;
  readonly runtime: Runtime;
}

const LAST_LINES = 3;
const LONGEST_LINES = 1200;
const KEPT_CHARACTERS = 20_000;
const LOOK_EVERY_MS = 50;

/** A program of a real API server: its output in a file, its last lines for messages, and its end. */
export class ServerProcess {
  readonly #options: ServerProcessOptions;
  readonly #child: ChildProcess;
  readonly #ended: Latch;
  #output = '';
  #how = '';

  constructor(options: ServerProcessOptions) {
    this.#options = options;
    this.#ended = new Latch(`the end of ${options.name}`);
    const child = spawn(options.path, options.flags, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    const log = createWriteStream(options.log, { flags: 'a', mode: 0o600 });
    // A full disk is no reason to end the program; its last lines are still here.
    log.on('error', () => {});
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString()).slice(-KEPT_CHARACTERS);
        log.write(chunk);
      });
      stream.on('error', () => {});
    }
    child.on('error', (error) => {
      if (child.pid === undefined) this.#end(`cannot be started: ${error.message}`);
    });
    child.once('close', (code, signal) => {
      log.end();
      this.#end(code === null ? `ended by ${signal}` : `ended with ${code}`);
    });
  }

  get isRunning(): boolean {
    return !this.#ended.isOpen;
  }

  /** Everything that it has printed lately. */
  get printed(): string {
    return this.#output;
  }

  /**
   * Resolves when `isReady` gives no reason any more why it is not.
   * @throws {ListwatchError} code PROGRAM_FAILED when it ends before; TIMEOUT naming the last reason; the signal's reason.
   */
  async whenReady(
    isReady: () => Promise<string | undefined>,
    {
      timeoutMs,
      signal,
    }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<void> {
    const { runtime, name } = this.#options;
    const untilMs = runtime.monotonicMs() + timeoutMs;
    for (;;) {
      signal?.throwIfAborted();
      const reason = await isReady();
      if (!this.isRunning) {
        const text = `${name} ${this.#how} before it was ready; ${this.#lastLines}`;
        throw new ListwatchError('PROGRAM_FAILED', text);
      }
      if (reason === undefined) return;
      if (runtime.monotonicMs() >= untilMs) {
        const text = `${name} was not ready within ${timeoutMs / 1000} s: ${reason}; ${this.#lastLines}`;
        throw new ListwatchError('TIMEOUT', text);
      }
      await sleep(runtime, LOOK_EVERY_MS, { signal });
    }
  }

  /** Ends it by SIGTERM, and by SIGKILL after a time. Resolves when it is gone. */
  async stop(killAfterMs: number): Promise<void> {
    if (!this.isRunning) return;
    this.#child.kill('SIGTERM');
    const kill = this.#options.runtime.setTimer(killAfterMs, () => {
      this.#child.kill('SIGKILL');
    });
    await this.#ended.opened;
    kill.cancel();
  }

  get #lastLines(): string {
    const { keepsLog, log } = this.#options;
    const lines = this.#output.trim().split('\n').slice(-LAST_LINES);
    const place = keepsLog ? `its output is in ${log}` : 'the option folder keeps its output';
    return `${place}; it ends with: ${plainText(lines.join(' | '), LONGEST_LINES)}`;
  }

  #end(how: string): void {
    this.#how = how;
    this.#ended.open();
  }
}
