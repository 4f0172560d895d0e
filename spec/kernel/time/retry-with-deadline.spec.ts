import { expect } from 'chai';
import { RetryWithDeadline } from '../../../lib/kernel/time/retry-with-deadline.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

function rig(maxRetryMs: number): {
  readonly runtime: VirtualRuntime;
  readonly retry: RetryWithDeadline;
  /** A failure after this time; whether it may be retried. */
  readonly failAfter: (delayMs: number) => Promise<boolean>;
} {
  const runtime = new VirtualRuntime();
  const retry = new RetryWithDeadline({ runtime, maxRetryMs, resetAfterMs: 60_000 });
  return {
    runtime,
    retry,
    failAfter: async (delayMs) => {
      await runtime.advance(delayMs);
      retry.after();
      return retry.shouldRetry();
    },
  };
}

describe('RetryWithDeadline', () => {
  it('allows nothing without a time', async () => {
    const { failAfter } = rig(0);
    expect(await failAfter(0)).to.equal(false);
    expect(await failAfter(1)).to.equal(false);
  });

  it('allows what comes within a time of any length', async () => {
    const { failAfter } = rig(1);
    expect(await failAfter(0)).to.equal(true);
    expect(await failAfter(1)).to.equal(true);
    expect(await failAfter(1)).to.equal(false);
  });

  it('allows nothing before a failure', () => {
    expect(rig(1000).retry.shouldRetry()).to.equal(false);
  });

  it('allows retries until the time since the first failure is over, then says no once', async () => {
    const { failAfter } = rig(30_000);
    for (let second = 0; second <= 30; second += 1) {
      expect(await failAfter(second === 0 ? 0 : 1000), `second ${second}`).to.equal(true);
    }
    expect(await failAfter(1000)).to.equal(false);
    expect(await failAfter(1000), 'a new time begins').to.equal(true);
  });

  it('begins again after a gap of the reset time, counted from the last failure', async () => {
    const { failAfter } = rig(90_000);
    expect(await failAfter(0)).to.equal(true);
    expect(await failAfter(59_999)).to.equal(true);
    expect(await failAfter(59_999), 'the first failure counts').to.equal(false);
    const other = rig(30_000);
    expect(await other.failAfter(0)).to.equal(true);
    expect(await other.failAfter(60_000)).to.equal(true);
    expect(await other.failAfter(30_000)).to.equal(true);
    expect(await other.failAfter(1)).to.equal(false);
  });
});
