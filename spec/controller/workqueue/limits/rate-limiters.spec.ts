import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { BucketRateLimiter } from '../../../../lib/controller/workqueue/limits/bucket-rate-limiter.ts';
import { ItemExponentialRateLimiter } from '../../../../lib/controller/workqueue/limits/item-exponential-rate-limiter.ts';
import {
  MaxOfRateLimiter,
  clientGoRateLimiter,
  defaultRateLimiter,
} from '../../../../lib/controller/workqueue/limits/rate-limiter-presets.ts';
import type { RateLimiter } from '../../../../lib/controller/workqueue/limits/rate-limiter.ts';

function delays(limiter: RateLimiter, key: string, count: number): number[] {
  return Array.from({ length: count }, () => limiter.nextDelayMs(key));
}

describe('ItemExponentialRateLimiter', () => {
  it('doubles from 5 ms: 5.12 s at the 11th failure, 655.36 s at the 18th, 1000 s from then on', () => {
    const limiter = new ItemExponentialRateLimiter({ jitter: 0 });
    const all = delays(limiter, 'a', 20);
    expect(all.slice(0, 4)).to.deep.equal([5, 10, 20, 40]);
    expect([all[10], all[14], all[17], all[18], all[19]]).to.deep.equal([
      5_120, 81_920, 655_360, 1_000_000, 1_000_000,
    ]);
  });

  it('stays at the cap after any number of failures', () => {
    const limiter = new ItemExponentialRateLimiter({ jitter: 0 });
    delays(limiter, 'a', 2_000);
    expect(limiter.nextDelayMs('a')).to.equal(1_000_000);
    expect(delays(new ItemExponentialRateLimiter({ baseMs: 0 }), 'a', 2_000).at(-1)).to.equal(0);
  });

  it('counts each key by itself and starts anew after forget', () => {
    const limiter = new ItemExponentialRateLimiter({ jitter: 0 });
    delays(limiter, 'a', 3);
    expect([limiter.numRequeues('a'), limiter.numRequeues('b')]).to.deep.equal([3, 0]);
    expect(limiter.nextDelayMs('b')).to.equal(5);
    limiter.forget('a');
    expect([limiter.numRequeues('a'), limiter.nextDelayMs('a')]).to.deep.equal([0, 5]);
  });

  it('adds at random up to a tenth, from the runtime', () => {
    const spread = delays(
      new ItemExponentialRateLimiter({
        baseMs: 100,
        capMs: 100,
        runtime: new VirtualRuntime({ seed: 3 }),
      }),
      'a',
      200,
    );
    expect(Math.min(...spread)).to.be.within(100, 102);
    expect(Math.max(...spread)).to.be.within(108, 110);
  });

  it('refuses numbers out of range', () => {
    for (const options of [{ baseMs: -1 }, { capMs: NaN }, { jitter: -0.1 }]) {
      expect(() => new ItemExponentialRateLimiter(options)).to.throw(/ItemExponentialRateLimiter/);
    }
  });
});

describe('BucketRateLimiter', () => {
  it('lets the burst pass and spaces the rest by the rate, over all keys', () => {
    const runtime = new VirtualRuntime();
    const limiter = new BucketRateLimiter({ perSecond: 10, burst: 3, runtime });
    expect(delays(limiter, 'a', 5)).to.deep.equal([0, 0, 0, 100, 200]);
    expect(limiter.numRequeues()).to.equal(0);
  });

  it('refills with time, up to the burst', async () => {
    const runtime = new VirtualRuntime();
    const limiter = new BucketRateLimiter({ perSecond: 10, burst: 3, runtime });
    delays(limiter, 'a', 3);
    await runtime.advance(100);
    expect(delays(limiter, 'a', 2)).to.deep.equal([0, 100]);
    await runtime.advance(3_600_000);
    expect(delays(limiter, 'a', 4)).to.deep.equal([0, 0, 0, 100]);
  });
});

describe('MaxOfRateLimiter', () => {
  it('asks every member and takes the longest delay and the largest count', () => {
    const fast = new ItemExponentialRateLimiter({ baseMs: 1, capMs: 1_000, jitter: 0 });
    const slow = new ItemExponentialRateLimiter({ baseMs: 3, capMs: 6, jitter: 0 });
    const limiter = new MaxOfRateLimiter(fast, slow);
    slow.nextDelayMs('a');
    expect(delays(limiter, 'a', 4)).to.deep.equal([6, 6, 6, 8]);
    expect([fast.numRequeues('a'), limiter.numRequeues('a')]).to.deep.equal([4, 5]);
    limiter.forget('a');
    expect(limiter.numRequeues('a')).to.equal(0);
  });
});

describe('the presets', () => {
  it('default: no limit over all keys', () => {
    const limiter = defaultRateLimiter(new VirtualRuntime());
    const first = Array.from({ length: 1_000 }, (_, index) => limiter.nextDelayMs(`key-${index}`));
    expect(Math.max(...first)).to.be.lessThan(6);
  });

  it('clientGoRateLimiter: after 100 retries at once, 10 a second', () => {
    const limiter = clientGoRateLimiter(new VirtualRuntime());
    const first = Array.from({ length: 102 }, (_, index) => limiter.nextDelayMs(`key-${index}`));
    expect([first[0], first[99], first[100], first[101]]).to.deep.equal([5, 5, 100, 200]);
  });
});
