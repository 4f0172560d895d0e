import { expect } from 'chai';
import { BucketRateLimiter } from '../../../lib/controller/workqueue/limits/bucket-rate-limiter.ts';
import { DelayingQueue } from '../../../lib/controller/workqueue/delaying-queue.ts';
import { ItemExponentialRateLimiter } from '../../../lib/controller/workqueue/limits/item-exponential-rate-limiter.ts';
import { defaultRateLimiter } from '../../../lib/controller/workqueue/limits/rate-limiter-presets.ts';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';
import { WorkQueue } from '../../../lib/controller/workqueue/work-queue.ts';

describe('A queue or a rate limiter', () => {
  const makers: Readonly<Record<string, (options: object) => unknown>> = {
    WorkQueue: (options) => new WorkQueue(options),
    DelayingQueue: (options) => new DelayingQueue(options),
    RateLimitingQueue: (options) => new RateLimitingQueue(options),
    ItemExponentialRateLimiter: (options) => new ItemExponentialRateLimiter(options),
    BucketRateLimiter: (options) => new BucketRateLimiter(options),
  };
  for (const [name, make] of Object.entries(makers)) {
    it(`refuses options it does not know, so that no typing error is a default: ${name}`, () => {
      expect(() => make({ colour: 'x' }))
        .to.throw(`${name}: unknown option "colour"; known are`)
        .with.property('code', 'INVALID_OPTION');
      make({});
    });
  }

  it('takes the options it knows', () => {
    const rateLimiter = defaultRateLimiter();
    expect(new RateLimitingQueue({ name: 'shops', rateLimiter }).name).to.equal('shops');
    expect(() => new RateLimitingQueue({ rateLimitr: 1 } as object)).to.throw('rateLimiter');
  });
});
