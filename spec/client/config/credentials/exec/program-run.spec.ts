import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  ProgramRun,
  type ProgramRunOptions,
} from '../../../../../lib/client/config/credentials/exec/program-run.ts';
import { realRuntime } from '../../../../../lib/kernel/real-runtime.ts';
import type { Runtime } from '../../../../../lib/kernel/runtime.ts';
import { HANG_MS } from '../../../../support/until.ts';
import { ScratchDirectory } from '../../../support/scratch-directory.ts';
import { noTerminal } from './plugin-script.ts';

/** Timers fire when the spec says so, in the middle of other work, as those of a busy process do. */
class TimersByHand implements Runtime {
  readonly #callbacks = new Set<() => void>();

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
    realRuntime.queueTask(task);
  }

  get pending(): number {
    return this.#callbacks.size;
  }

  fire(): void {
    const due = [...this.#callbacks];
    this.#callbacks.clear();
    for (const callback of due) callback();
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

/** Whether a process has ended and waits for its parent to notice. */
function isZombie(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  const state = existsSync(file)
    ? /\) (\S)/.exec(readFileSync(file, 'utf8'))![1]!
    : execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return state.startsWith('Z');
}

/** Blocks the event loop until `condition` holds. */
function blockUntil(condition: () => boolean): void {
  const giveUpAtMs = performance.now() + HANG_MS;
  while (!condition()) {
    if (performance.now() > giveUpAtMs) throw new Error('the condition never held');
  }
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

  it('does not call a program late that has ended in time while this process was busy', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new TimersByHand();
    const path = `${scratch.path}/pid`;
    const code = `require('node:fs').writeFileSync(${JSON.stringify(path)}, String(process.pid)); process.stdout.write('out')`;
    const run = new ProgramRun(optionsOf(code, { runtime }));
    // As a timer of Node, which comes before the input that has arrived meanwhile.
    await new Promise<void>((resolve) => {
      setTimeout(() => {
        blockUntil(() => existsSync(path) && isZombie(Number(readFileSync(path, 'utf8'))));
        runtime.fire();
        resolve();
      }, 0);
    });
    expect(await run.result).to.deep.equal({ outcome: 'exited', code: 0, signal: null });
    expect(run.printed.toString()).to.equal('out');
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
