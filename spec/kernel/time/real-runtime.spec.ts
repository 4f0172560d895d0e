import { expect } from 'chai';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';

describe('realRuntime', () => {
  it('fires a timer once, not before its delay', async () => {
    const startMs = realRuntime.monotonicMs();
    await new Promise<void>((resolve) => {
      realRuntime.setTimer(5, resolve);
    });
    // Node rounds timers down to whole milliseconds of its own clock.
    expect(realRuntime.monotonicMs() - startMs).to.be.at.least(4);
  });

  it('never fires a cancelled timer, and cancelling again is harmless', async () => {
    let fired = false;
    const timer = realRuntime.setTimer(0, () => {
      fired = true;
    });
    timer.cancel();
    timer.cancel();
    await new Promise<void>((resolve) => {
      realRuntime.setTimer(5, resolve);
    });
    expect(fired).to.equal(false);
  });

  it('does not fire at once for delays that Node cannot count', async () => {
    let fired = false;
    const timers = [2 ** 31, 2 ** 40, Infinity].map((delayMs) =>
      realRuntime.setTimer(delayMs, () => {
        fired = true;
      }),
    );
    await new Promise<void>((resolve) => {
      realRuntime.setTimer(5, resolve);
    });
    for (const timer of timers) timer.cancel();
    expect(fired).to.equal(false);
  });

  it('does not hold the process for a background timer', () => {
    const holding = (): number =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = holding();
    const background = realRuntime.setTimer(60_000, () => {}, { background: true });
    expect(holding()).to.equal(before);
    const foreground = realRuntime.setTimer(60_000, () => {});
    expect(holding()).to.equal(before + 1);
    for (const timer of [background, foreground]) timer.cancel();
  });

  it('runs queued tasks in order, after promise continuations', async () => {
    const seen: string[] = [];
    realRuntime.queueTask(() => seen.push('task 1'));
    void Promise.resolve().then(() => seen.push('continuation'));
    await new Promise<void>((resolve) => {
      realRuntime.queueTask(() => {
        seen.push('task 2');
        resolve();
      });
    });
    expect(seen).to.deep.equal(['continuation', 'task 1', 'task 2']);
  });

  it('draws numbers from 0 to 1', () => {
    for (let count = 0; count < 100; count += 1) {
      expect(realRuntime.random()).to.be.at.least(0).and.below(1);
    }
    expect(realRuntime.wallMs()).to.be.above(Date.UTC(2024, 0, 1));
  });
});
