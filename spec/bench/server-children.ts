import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { AS_INSTALLED } from './run-bench.ts';
import type { Call, Reply, Roles } from './server-child.ts';

const MAIN = join(import.meta.dirname, 'server-child.ts');

/** Where the processes leave their CPU profiles, if anywhere. */
const PROFILES = process.env['LISTWATCH_BENCH_PROFILES'];

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

type Answer<M> = M extends (...args: never) => infer R ? Awaited<R> : never;
type Arguments<M> = M extends (...args: infer A) => unknown ? A : never;

/** A process of its own that plays a role of a bench. */
export class ServerChild<R extends keyof Roles> implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  #calls = 0;

  constructor(role: R) {
    const profile = ['--cpu-prof', `--cpu-prof-dir=${PROFILES}/${role}`];
    this.#process = fork(MAIN, [role], {
      execArgv: [
        '--expose-gc',
        '--max-old-space-size=8192',
        '--import',
        AS_INSTALLED,
        ...(PROFILES === undefined ? [] : profile),
      ],
      serialization: 'advanced',
    });
    this.#process.on('message', ({ id, result, error }: Reply) => {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (error === undefined) pending?.resolve(result);
      else pending?.reject(new Error(`${role}: ${error}`));
    });
    this.#process.on('exit', (code, signal) => {
      const error = new Error(`the process of the ${role} ended: ${code ?? signal}`);
      for (const pending of this.#pending.values()) pending.reject(error);
      this.#pending.clear();
    });
  }

  async call<M extends keyof Roles[R] & string>(
    method: M,
    ...args: Arguments<Roles[R][M]>
  ): Promise<Answer<Roles[R][M]>> {
    this.#calls += 1;
    const call: Call = { id: this.#calls, method, args };
    const result = await new Promise<unknown>((resolve, reject) => {
      this.#pending.set(call.id, { resolve, reject });
      this.#process.send(call);
    });
    return result as Answer<Roles[R][M]>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = once(this.#process, 'exit');
    this.#process.disconnect();
    await gone;
  }
}
