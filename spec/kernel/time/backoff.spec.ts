import { expect } from 'chai';
import { Backoff } from '../../../lib/kernel/time/backoff.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

const steps = (backoff: Backoff, count: number): number[] =>
  Array.from({ length: count }, () => backoff.step());

describe('Backoff', () => {
  it('doubles up to its cap and stays there', () => {
    const backoff = new Backoff(new VirtualRuntime(), { baseMs: 800, capMs: 30_000, jitter: 0 });
    expect(steps(backoff, 8)).to.deep.equal([
      800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000,
    ]);
  });

  it('adds up to its share of the delay at random, and no more', () => {
    const backoff = new Backoff(new VirtualRuntime(), { baseMs: 100, capMs: 100, jitter: 0.5 });
    const delays = steps(backoff, 1000);
    for (const delayMs of delays) expect(delayMs).to.be.at.least(100).and.below(150);
    expect(Math.max(...delays) - Math.min(...delays)).to.be.above(45);
  });

  it('grows by its factor, and by none when that is 1', () => {
    const runtime = new VirtualRuntime();
    const options = { baseMs: 10, capMs: 1000, jitter: 0 };
    expect(steps(new Backoff(runtime, { ...options, factor: 3 }), 4)).to.deep.equal([
      10, 30, 90, 270,
    ]);
    expect(steps(new Backoff(runtime, { ...options, factor: 1 }), 3)).to.deep.equal([10, 10, 10]);
  });

  it('starts again after a quiet time, which begins when the last delay is over', async () => {
    const runtime = new VirtualRuntime();
    const backoff = new Backoff(runtime, {
      baseMs: 100,
      capMs: 400,
      jitter: 0,
      resetAfterMs: 1000,
    });
    expect(steps(backoff, 3)).to.deep.equal([100, 200, 400]);
    await runtime.advance(1400);
    expect(backoff.step()).to.equal(400);
    await runtime.advance(1401);
    expect(backoff.step()).to.equal(100);
  });

  it('does not start again in the middle of an outage, even when its delays are longer than the quiet time', async () => {
    const runtime = new VirtualRuntime();
    const backoff = new Backoff(runtime, { baseMs: 1, capMs: 300_000, jitter: 0 });
    for (let count = 0; count < 30; count += 1) await runtime.advance(backoff.step());
    expect(backoff.step()).to.equal(300_000);
  });

  it('starts again on reset', () => {
    const backoff = new Backoff(new VirtualRuntime(), { baseMs: 1, capMs: 9, jitter: 0 });
    steps(backoff, 5);
    backoff.reset();
    expect(backoff.step()).to.equal(1);
  });

  it('never exceeds its cap, not even when the base does', () => {
    const backoff = new Backoff(new VirtualRuntime(), { baseMs: 50, capMs: 9, jitter: 0 });
    expect(steps(backoff, 2)).to.deep.equal([9, 9]);
  });

  it('refuses numbers that would make it retry without a pause', () => {
    const runtime = new VirtualRuntime();
    for (const wrong of [
      { baseMs: undefined as unknown as number },
      { capMs: undefined as unknown as number },
      { baseMs: Number.NaN },
      { baseMs: -1 },
      { capMs: Number.NaN },
      { factor: 0.5 },
      { jitter: -2 },
      { resetAfterMs: Number.NaN },
      { cap: 5 },
    ]) {
      expect(() => new Backoff(runtime, { baseMs: 1, capMs: 10, ...wrong }), JSON.stringify(wrong))
        .to.throw('Backoff: ')
        .with.property('code', 'INVALID_OPTION');
    }
  });
});
