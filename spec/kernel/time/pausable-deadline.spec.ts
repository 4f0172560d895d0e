import { expect } from 'chai';
import { PausableDeadline } from '../../../lib/kernel/time/pausable-deadline.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';

function deadline(timeoutMs: number): {
  runtime: VirtualRuntime;
  passedAt: number[];
  timer: PausableDeadline;
} {
  const runtime = new VirtualRuntime();
  const passedAt: number[] = [];
  const passed = (): void => void passedAt.push(runtime.monotonicMs());
  return { runtime, passedAt, timer: new PausableDeadline(runtime, timeoutMs, passed) };
}

describe('PausableDeadline', () => {
  it('calls once when its time is over', async () => {
    const { runtime, passedAt } = deadline(1000);
    await runtime.advance(5000);
    expect(passedAt).to.deep.equal([1000]);
  });

  it('does not count the time of its pauses, though they overlap or fail', async () => {
    const { runtime, passedAt, timer } = deadline(1000);
    await runtime.advance(400);
    timer.pauseWhile(sleep(runtime, 300));
    timer.pauseWhile(sleep(runtime, 700));
    await runtime.advance(900);
    timer.pauseWhile(sleep(runtime, 100).then(() => Promise.reject(new Error('full'))));
    await runtime.advance(5000);
    expect(passedAt).to.deep.equal([1800]);
  });

  it('is silent once it is cancelled, also in a pause', async () => {
    for (const pausedMs of [0, 500]) {
      const { runtime, passedAt, timer } = deadline(1000);
      if (pausedMs > 0) timer.pauseWhile(sleep(runtime, pausedMs));
      timer.cancel();
      await runtime.advance(5000);
      expect(passedAt).to.deep.equal([]);
      expect(runtime.pending).to.equal(0);
    }
  });
});
