import { expect } from 'chai';
import {
  errorMessage,
  isListwatchError,
  type ListwatchError,
} from '../../../lib/kernel/failure/errors.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { heapUsed } from '../../support/heap-used.ts';

async function codeOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'no error',
    (error: ListwatchError) => error.code,
  );
}

describe('VirtualRuntime', () => {
  it('runs tasks in the order they were queued, promise continuations in between', async () => {
    const runtime = new VirtualRuntime();
    const seen: string[] = [];
    const task = (name: string): void => {
      runtime.queueTask(() => {
        seen.push(name);
        void Promise.resolve()
          .then(() => seen.push(`${name} continued`))
          .then(() => seen.push(`${name} ended`));
      });
    };
    task('first');
    task('second');
    await runtime.settle();
    expect(seen).to.deep.equal([
      'first',
      'first continued',
      'first ended',
      'second',
      'second continued',
      'second ended',
    ]);
  });

  it('fires timers by time, then by the order they were set, and tasks before timers', async () => {
    const runtime = new VirtualRuntime();
    const seen: string[] = [];
    for (const [delayMs, name] of [
      [5, 'late'],
      [1, 'early'],
      [3, 'middle'],
      [1, 'early too'],
    ] as const) {
      runtime.setTimer(delayMs, () => seen.push(`${name} at ${runtime.monotonicMs()}`));
    }
    runtime.setTimer(1, () => runtime.queueTask(() => seen.push('a task of a timer')));
    runtime.setTimer(1, () => seen.push('after that task'));
    await runtime.advance(3);
    expect(seen).to.deep.equal([
      'early at 1',
      'early too at 1',
      'a task of a timer',
      'after that task',
      'middle at 3',
    ]);
    await runtime.advance(10);
    expect(seen.at(-1)).to.equal('late at 5');
    expect(runtime.monotonicMs()).to.equal(13);
  });

  it('keeps the heap in order through thousands of timers, some cancelled', async () => {
    const runtime = new VirtualRuntime({ seed: 3 });
    const fired: number[] = [];
    const timers = Array.from({ length: 3000 }, () => {
      const delayMs = Math.floor(runtime.random() * 500);
      return { delayMs, timer: runtime.setTimer(delayMs, () => fired.push(delayMs)) };
    });
    const kept = timers.filter(({ timer }, index) => {
      if (index % 3 === 0) timer.cancel();
      return index % 3 !== 0;
    });
    expect(runtime.pending).to.equal(kept.length);
    await runtime.advance(500);
    expect(fired).to.deep.equal(
      kept.map(({ delayMs }) => delayMs).toSorted((left, right) => left - right),
    );
    expect(runtime.pending).to.equal(0);
  });

  it('treats a delay that is negative or not a number as 0', async () => {
    const runtime = new VirtualRuntime();
    let fired = 0;
    for (const delayMs of [-5, Number.NaN]) runtime.setTimer(delayMs, () => (fired += 1));
    await runtime.settle();
    expect(fired).to.equal(2);
    expect(runtime.monotonicMs()).to.equal(0);
  });

  it('does not count background timers as pending, but fires them', async () => {
    const runtime = new VirtualRuntime();
    let fired = 0;
    runtime.setTimer(5, () => (fired += 1), { background: true });
    expect(runtime.pending).to.equal(0);
    await runtime.advance(5);
    expect(fired).to.equal(1);
  });

  it('says how much is still to run while it runs', async () => {
    const runtime = new VirtualRuntime();
    const pending: number[] = [];
    const note = (): void => {
      pending.push(runtime.pending);
    };
    for (let count = 0; count < 4; count += 1) runtime.queueTask(note);
    runtime.setTimer(5, note);
    expect(runtime.pending).to.equal(5);
    await runtime.advance(5);
    expect(pending).to.deep.equal([4, 3, 2, 1, 0]);
  });

  it('refuses unknown options', () => {
    const wrong = { sead: 7 } as object;
    expect(() => new VirtualRuntime(wrong)).to.throw('unknown option "sead"');
  });

  it('starts the wall clock at the given time', async () => {
    const runtime = new VirtualRuntime({ startWallMs: 1000 });
    await runtime.advance(50);
    expect(runtime.wallMs()).to.equal(1050);
    expect(new Date(new VirtualRuntime().wallMs()).toISOString()).to.equal(
      '2024-01-01T00:00:00.000Z',
    );
  });

  describe('run', () => {
    it('jumps over an hour of sleep and returns the result', async () => {
      const runtime = new VirtualRuntime();
      const result = await runtime.run(async () => {
        await sleep(runtime, 3_599_999);
        return 'rested';
      });
      expect(result).to.equal('rested');
      expect(runtime.monotonicMs()).to.equal(3_599_999);
    });

    it('passes a rejection on', async () => {
      const runtime = new VirtualRuntime();
      const failure = await runtime
        .run(() => Promise.reject(new Error('no')))
        .catch((error: unknown) => error);
      expect(failure).to.have.property('message', 'no');
    });

    for (const move of ['settle', 'advance'] as const) {
      it(`refuses ${move} in the work that it drives, at once and with the reason`, async () => {
        const runtime = new VirtualRuntime();
        const tick = (): void => void runtime.setTimer(10, tick);
        tick();
        const work = async (): Promise<string> => {
          await sleep(runtime, 25);
          return await codeOf(move === 'settle' ? runtime.settle() : runtime.advance(1000));
        };
        expect(await runtime.run(work, { limitMs: 1000 })).to.equal('VIRTUAL_NESTED');
        expect(runtime.monotonicMs()).to.be.lessThan(40);
        await runtime.advance(10);
      });
    }

    it('refuses it also in work that began before the run', async () => {
      const runtime = new VirtualRuntime();
      const tick = (): void => void runtime.setTimer(10, tick);
      tick();
      const work = codeOf(runtime.advance(1000));
      expect(await runtime.run(work, { limitMs: 1000 })).to.equal('VIRTUAL_NESTED');
    });

    it('leaves the runtime usable when its work fails, or takes too long', async () => {
      const runtime = new VirtualRuntime();
      const failing = runtime.run(() => Promise.reject(new Error('boom')));
      expect(await failing.catch(errorMessage)).to.equal('boom');
      expect(await codeOf(runtime.run(sleep(runtime, 100), { limitMs: 10 }))).to.equal(
        'VIRTUAL_TIME_LIMIT',
      );
      await runtime.advance(100);
      await runtime.settle();
    });

    it('fails when nothing is left that could settle the work', async () => {
      const runtime = new VirtualRuntime();
      runtime.setTimer(7, () => {});
      const failure = await runtime.run(new Promise(() => {})).catch((error: unknown) => error);
      expect(isListwatchError(failure, 'VIRTUAL_DEADLOCK')).to.equal(true);
      expect((failure as ListwatchError).message).to.include('stopped at 7 ms');
    });

    it('fails when the work takes longer than its limit', async () => {
      const runtime = new VirtualRuntime();
      const failure = await runtime
        .run(sleep(runtime, 1001), { limitMs: 1000 })
        .catch((error: unknown) => error);
      expect(isListwatchError(failure, 'VIRTUAL_TIME_LIMIT')).to.equal(true);
      await runtime.run(sleep(runtime, 1000), { limitMs: 1000 });
    });

    it('fails when tasks queue tasks and the clock never moves', async () => {
      const runtime = new VirtualRuntime({ maxTasksAtOneInstant: 500 });
      let stop = false;
      const again = (): void => {
        if (!stop) runtime.queueTask(again);
      };
      again();
      const failure = await runtime.settle().catch((error: unknown) => error);
      stop = true;
      expect(isListwatchError(failure, 'VIRTUAL_TIME_LIMIT')).to.equal(true);
      expect((failure as ListwatchError).message).to.include('500 tasks ran');
      await runtime.settle();
    });

    it('counts the tasks of each instant on their own', async () => {
      const runtime = new VirtualRuntime({ maxTasksAtOneInstant: 5 });
      const work = async (): Promise<number> => {
        for (let step = 0; step < 20; step += 1) await sleep(runtime, 1);
        return runtime.monotonicMs();
      };
      expect(await runtime.run(work())).to.equal(20);
      const later = work();
      await runtime.advance(20);
      expect(await later).to.equal(40);
    });
  });

  describe('timers that are cancelled', () => {
    it('take no memory until their time comes', async () => {
      const runtime = new VirtualRuntime();
      const heapAtStart = heapUsed();
      for (let index = 0; index < 100_000; index += 1) {
        runtime.setTimer(300_000 + index, () => {}).cancel();
      }
      expect(heapUsed() - heapAtStart).to.be.below(3e6);
      await runtime.advance(0);
    });

    it('leave the others in their order', async () => {
      const runtime = new VirtualRuntime();
      const random = seededRandom('cancel');
      const fired: number[] = [];
      const expected: number[] = [];
      for (let index = 0; index < 5000; index += 1) {
        const atMs = Math.floor(random() * 500);
        const timer = runtime.setTimer(atMs, () => fired.push(atMs));
        if (random() < 0.8) timer.cancel();
        else expected.push(atMs);
      }
      expect(runtime.pending).to.equal(expected.length);
      await runtime.advance(500);
      expect(fired).to.deep.equal(expected.toSorted((left, right) => left - right));
      expect(runtime.pending).to.equal(0);
    });

    it('may be cancelled again, also after they fired', async () => {
      const runtime = new VirtualRuntime();
      const timers = [1, 2, 3].map((delayMs) => runtime.setTimer(delayMs, () => {}));
      await runtime.advance(2);
      for (const timer of [...timers, ...timers]) timer.cancel();
      expect(runtime.pending).to.equal(0);
      runtime.setTimer(1, () => {});
      expect(runtime.pending).to.equal(1);
      await runtime.advance(1);
    });
  });

  describe('the clock', () => {
    it('refuses to be moved back, or by a value that is not a number', async () => {
      const runtime = new VirtualRuntime();
      for (const deltaMs of [-1, Number.NaN, Infinity]) {
        const failure = await runtime.advance(deltaMs).catch((error: unknown) => error);
        expect(failure, String(deltaMs)).to.include({ code: 'INVALID_OPTION' });
      }
      expect(runtime.monotonicMs()).to.equal(0);
    });

    it('never goes back, even if other code moves it meanwhile', async () => {
      const runtime = new VirtualRuntime();
      runtime.setTimer(100, () => {});
      const seen: number[] = [];
      const note = (): void => void seen.push(runtime.monotonicMs());
      await Promise.all([
        runtime.advance(10).then(note),
        runtime.advance(200).then(note),
        runtime.advance(150).then(note),
      ]);
      expect(seen).to.deep.equal(seen.toSorted((left, right) => left - right));
      expect(runtime.monotonicMs()).to.equal(200);
    });

    it('advances by a delay that is lost in rounding, so that a wait for it ends', async () => {
      const runtime = new VirtualRuntime();
      await runtime.advance(55_234.60890518216);
      const startMs = runtime.monotonicMs();
      let firedMs = 0;
      runtime.setTimer(1e-13, () => {
        firedMs = runtime.monotonicMs();
      });
      await runtime.advance(1);
      expect(firedMs).to.be.above(startMs);
    });

    it('refuses limits that are not numbers', async () => {
      for (const options of [{ maxTasksAtOneInstant: Number.NaN }, { startWallMs: Number.NaN }]) {
        expect(() => new VirtualRuntime(options)).to.throw('VirtualRuntime: option');
      }
      const run = new VirtualRuntime().run(Promise.resolve(), { limitMs: Number.NaN });
      expect(await run.catch((error: unknown) => error)).to.include({ code: 'INVALID_OPTION' });
    });
  });

  describe("order 'random'", () => {
    const orderOf = async (seed: number, kind: 'tasks' | 'timers'): Promise<string> => {
      const runtime = new VirtualRuntime({ seed, order: 'random' });
      let seen = '';
      for (const name of 'abcdef') {
        const note = (): void => {
          seen += name;
        };
        if (kind === 'tasks') runtime.queueTask(note);
        else runtime.setTimer(5, note);
      }
      await runtime.advance(5);
      return seen;
    };

    for (const kind of ['tasks', 'timers'] as const) {
      it(`draws the order of ${kind} from the seed, each once`, async () => {
        const seen = new Set<string>();
        for (let seed = 1; seed <= 20; seed += 1) {
          const order = await orderOf(seed, kind);
          expect(order.split('').toSorted().join('')).to.equal('abcdef');
          expect(await orderOf(seed, kind)).to.equal(order);
          seen.add(order);
        }
        expect(seen.size).to.be.at.least(15);
      });
    }

    it('does not fire a timer that another one cancels at the same instant', async () => {
      for (let seed = 1; seed <= 20; seed += 1) {
        const runtime = new VirtualRuntime({ seed, order: 'random' });
        let fired = 0;
        const timers = [0, 1].map((index) =>
          runtime.setTimer(5, () => {
            fired += 1;
            timers[1 - index]?.cancel();
          }),
        );
        await runtime.advance(5);
        expect(fired, `seed ${seed}`).to.equal(1);
      }
    });
  });
});
