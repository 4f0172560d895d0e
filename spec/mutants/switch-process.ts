import { spawn, type ChildProcess } from 'node:child_process';
import type { Asked, CheckAnswer, Reached } from './switch-messages.ts';

/** Longest time in which a process loads its spec files, or runs all of their tests. */
const WHOLE_MS = 1_800_000;
const TICK_MS = 250;

/** A process with spec files loaded over a tree whose mutants are behind switches. It is started when it is first asked. */
export class SwitchProcess implements Disposable {
  readonly #folder: string;
  readonly #specs: readonly string[];
  #child: ChildProcess | undefined;

  constructor(folder: string, specs: readonly string[]) {
    this.#folder = folder;
    this.#specs = specs;
  }

  async reach(): Promise<Reached> {
    const reached = await this.#ask({ kind: 'reach' }, WHOLE_MS);
    if (reached === undefined) throw new Error('the specs did not end');
    return reached as Reached;
  }

  /** Undefined when the process did not answer within the time; the next question starts another. */
  async check(
    asked: Omit<Extract<Asked, { kind: 'check' }>, 'kind'>,
    withinMs: number,
  ): Promise<CheckAnswer | undefined> {
    const answer = (await this.#ask({ kind: 'check', ...asked }, withinMs)) as
      | CheckAnswer
      | undefined;
    if (answer === undefined || answer.isDirty === true) this[Symbol.dispose]();
    return answer;
  }

  async #ask(asked: Asked, withinMs: number): Promise<unknown> {
    if (this.#child === undefined) {
      this.#child = this.#start();
      const ready = await this.#answer(this.#child, WHOLE_MS);
      if (ready === undefined) throw new Error('the specs cannot be loaded');
    }
    this.#child.send(asked);
    return await this.#answer(this.#child, withinMs);
  }

  #start(): ChildProcess {
    return spawn(
      process.execPath,
      ['--import', 'tsx', 'spec/mutants/switch-child.ts', ...this.#specs],
      { cwd: this.#folder, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'json' },
    );
  }

  async #answer(child: ChildProcess, withinMs: number): Promise<unknown> {
    return await new Promise((resolve) => {
      const end = (answer: unknown): void => {
        clearInterval(timer);
        child.removeAllListeners();
        resolve(answer);
      };
      // Counted, since a machine that stands still stops the process and its clock does not.
      let leftMs = withinMs;
      const timer = setInterval(() => {
        leftMs -= TICK_MS;
        if (leftMs < 0) end(undefined);
      }, TICK_MS);
      child.once('message', end);
      child.once('exit', () => end(undefined));
    });
  }

  [Symbol.dispose](): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}
