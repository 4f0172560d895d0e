import { expect } from 'chai';
import { runInSlices, runToEnd } from '../../../lib/kernel/time/sliced-steps.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

const STEPS = 12_000;

/** Steps that are counted, and how many were taken in each task. */
class Bench {
  readonly runtime = new VirtualRuntime();
  readonly tasks: number[] = [];
  taken = 0;

  *steps(): Generator<void> {
    for (let step = 0; step < STEPS; step += 1) {
      this.taken += 1;
      yield;
    }
  }

  /** A runtime that notes each new task, with a clock on which a look takes `lookMs`. */
  noting(lookMs: number): Runtime {
    let nowMs = 0;
    let before = 0;
    return Object.assign(Object.create(this.runtime) as Runtime, {
      monotonicMs: (): number => (nowMs += lookMs),
      queueTask: (task: () => void): void => {
        this.tasks.push(this.taken - before);
        before = this.taken;
        this.runtime.queueTask(task);
      },
    });
  }
}

describe('steps in slices', () => {
  it('are taken to their end, so many a task', async () => {
    const bench = new Bench();
    await bench.runtime.run(runInSlices(bench.steps(), bench.noting(0)));
    expect(bench.taken).to.equal(STEPS);
    expect(bench.tasks).to.deep.equal([5000, 5000]);
  });

  it('look at the clock now and then, and leave the rest to the next task when it is late', async () => {
    const bench = new Bench();
    await bench.runtime.run(runInSlices(bench.steps(), bench.noting(1)));
    expect(bench.taken).to.equal(STEPS);
    expect(Math.max(...bench.tasks)).to.be.within(2, 100);
  });

  it('stop between two slices when the signal aborts', async () => {
    const bench = new Bench();
    const abort = new AbortController();
    const done = runInSlices(bench.steps(), bench.noting(0), abort.signal);
    abort.abort();
    await bench.runtime.run(done);
    expect(bench.taken).to.equal(5000);
  });

  it('are taken in one go when they have to be', () => {
    const bench = new Bench();
    runToEnd(bench.steps());
    expect(bench.taken).to.equal(STEPS);
  });
});
