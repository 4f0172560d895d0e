import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ItemExponentialRateLimiter } from '../../../lib/controller/workqueue/limits/item-exponential-rate-limiter.ts';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';

describe('RateLimitingQueue', () => {
  const runtime = new VirtualRuntime();
  const rateLimiter = new ItemExponentialRateLimiter({ baseMs: 10, jitter: 0 });
  let queue: RateLimitingQueue;

  beforeEach(() => {
    queue = new RateLimitingQueue({ runtime, rateLimiter });
    rateLimiter.forget('a');
  });

  it('adds after the delay of the limiter and returns it', async () => {
    expect(queue.addRateLimited('a')).to.equal(10);
    await runtime.advance(9);
    expect(queue.size).to.equal(0);
    await runtime.advance(1);
    expect(queue.size).to.equal(1);
  });

  it('lets the earlier time win, and still counts the failure', async () => {
    expect([queue.addRateLimited('a'), queue.addRateLimited('a')]).to.deep.equal([10, 20]);
    await runtime.advance(10);
    expect([queue.size, queue.delayed, queue.numRequeues('a')]).to.deep.equal([1, 0, 2]);
  });

  it('does not cancel a scheduled add on forget', async () => {
    queue.addRateLimited('a');
    queue.forget('a');
    expect(queue.numRequeues('a')).to.equal(0);
    await runtime.advance(10);
    expect(queue.size).to.equal(1);
  });

  it('ignores keys once it is closing, and counts no failure for them', () => {
    queue.destroy();
    expect(queue.addRateLimited('a')).to.equal(undefined);
    expect([queue.delayed, queue.numRequeues('a')]).to.deep.equal([0, 0]);
  });
});
