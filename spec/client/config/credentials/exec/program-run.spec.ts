import { expect } from 'chai';
import {
  ProgramRun,
  type ProgramRunOptions,
} from '../../../../../lib/client/config/credentials/exec/program-run.ts';
import { realRuntime } from '../../../../../lib/kernel/time/real-runtime.ts';
import type { Runtime } from '../../../../../lib/kernel/time/runtime.ts';
import { HANG_MS } from '../../../../support/until.ts';
import { noTerminal } from './plugin-script.ts';

/** Timers fire, and tasks run, when the spec says so. */
class TimersByHand implements Runtime {
  readonly #callbacks = new Set<() => void>();
  readonly #tasks: (() => void)[] = [];

  wallMs(): number {
    return 0;
  }

  monotonicMs(): number {
    return 0;
  }

  random(): number {
    return 0;
  }

  setTimer(_: number, callback: () => void): { cancel: () => void } {
    const own = (): void => {
      callback();
    };
    this.#callbacks.add(own);
    return { cancel: () => void this.#callbacks.delete(own) };
  }

  queueTask(task: () => void): void {
    this.#tasks.push(task);
  }

  get pending(): number {
    return this.#callbacks.size;
  }

  fire(): void {
    const due = [...this.#callbacks];
    this.#callbacks.clear();
    for (const callback of due) callback();
  }

  runTasks(): void {
    for (const task of this.#tasks.splice(0)) task();
  }
}

function optionsOf(code: string, more: Partial<ProgramRunOptions> = {}): ProgramRunOptions {
  const { env, signalGroup } = noTerminal();
  return {
    path: process.execPath,
    args: ['-e', code],
    env,
    interactive: false,
    timeoutMs: HANG_MS,
    signalGroup,
    runtime: realRuntime,
    onStderr: () => {},
    ...more,
  };
}

describe('ProgramRun', () => {
  it('gives code and output of a program that ends', async () => {
    const run = new ProgramRun(optionsOf(`process.stdout.write('out'); process.exitCode = 4`));
    expect(await run.result).to.deep.equal({ outcome: 'exited', code: 4, signal: null });
    expect(run.printed.toString()).to.equal('out');
    await run.ended;
  });

  it('takes output of exactly 1 MiB, and not a byte more', async () => {
    const print = (bytes: number): string => `process.stdout.write('x'.repeat(${bytes}))`;
    const most = new ProgramRun(optionsOf(print(1_048_576)));
    expect((await most.result).outcome).to.equal('exited');
    expect(most.printedBytes).to.equal(1_048_576);
    const more = new ProgramRun(optionsOf(print(1_048_577)));
    expect(await more.result).to.deep.equal({ outcome: 'flood', stream: 'output' });
    await Promise.all([most.ended, more.ended]);
  });

  it('does not call a program late whose end arrives before the task after the timer', async () => {
    const runtime = new TimersByHand();
    const run = new ProgramRun(optionsOf(`process.stdout.write('out')`, { runtime }));
    // The timer is due; the task that it queues runs after the input that has arrived meanwhile.
    runtime.fire();
    expect(await run.result).to.deep.equal({ outcome: 'exited', code: 0, signal: null });
    runtime.runTasks();
    expect(run.printed.toString()).to.equal('out');
    await run.ended;
    expect(runtime.pending).to.equal(0);
  });

  it('calls it late when its end has not arrived by then', async () => {
    const runtime = new TimersByHand();
    const run = new ProgramRun(optionsOf(`setInterval(() => {}, 1000)`, { runtime }));
    runtime.fire();
    runtime.runTasks();
    expect(await run.result).to.deep.equal({ outcome: 'timeout' });
    await run.ended;
    expect(runtime.pending).to.equal(0);
  });

  it('can be stopped twice, and after its end', async () => {
    const run = new ProgramRun(optionsOf(`setInterval(() => {}, 1000)`));
    run.stop();
    run.stop();
    expect(await run.result).to.deep.equal({ outcome: 'stopped' });
    await run.ended;
    run.stop();
    const other = new ProgramRun(optionsOf(''));
    await other.ended;
    other.stop();
    expect((await other.result).outcome).to.equal('exited');
  });

  it('stops only the program itself without a way to signal its group', async () => {
    const run = new ProgramRun(
      optionsOf(`setInterval(() => {}, 1000)`, { signalGroup: undefined }),
    );
    run.stop();
    await run.ended;
    expect(await run.result).to.deep.equal({ outcome: 'stopped' });
  });

  it('stops an interactive program without its group, which is that of the terminal', async () => {
    const signalled: string[] = [];
    const run = new ProgramRun(
      optionsOf(`setInterval(() => {}, 1000)`, {
        interactive: true,
        signalGroup: (_, signal) => signalled.push(signal) > 0,
      }),
    );
    run.stop();
    await run.ended;
    expect(signalled).to.deep.equal([]);
  });

  it('gives up on a program that cannot be killed, and leaves no timer', async () => {
    const runtime = new TimersByHand();
    const signalled: string[] = [];
    let pid = 0;
    const run = new ProgramRun(
      optionsOf(`setInterval(() => {}, 1000)`, {
        runtime,
        // A program that does not end at any signal, as one that waits for a dead disk.
        signalGroup: (group, signal) => {
          pid = group;
          return signalled.push(signal) > 0;
        },
      }),
    );
    run.stop();
    runtime.fire();
    runtime.fire();
    await run.ended;
    expect(signalled).to.deep.equal(['SIGTERM', 'SIGKILL']);
    expect(runtime.pending).to.equal(0);
    process.kill(-pid, 'SIGKILL');
  });

  it('reports a file that is no program', async () => {
    const run = new ProgramRun(optionsOf('', { path: '/nowhere/aws' }));
    const result = await run.result;
    expect(result.outcome === 'not-started' && result.error.code).to.equal('ENOENT');
    await run.ended;
  });
});
