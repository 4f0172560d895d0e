import { expect } from 'chai';
import { isExpired } from '../../../lib/meta/failure/failures.ts';
import { CacherHarness } from './cacher-harness.ts';

describe('Cacher.forgetHistory', () => {
  let harness: CacherHarness;

  beforeEach(() => {
    harness = new CacherHarness();
  });

  afterEach(async () => {
    await harness.stop();
    expect(harness.runtime.pending).to.equal(0);
  });

  it('drops its history up to a version on request, also without a change since then', async () => {
    const created = await harness.create('a');
    const running = await harness.record({ resourceVersion: created });
    await harness.writeElsewhere();
    const now = await harness.cacher.getCurrentResourceVersion();
    await harness.runtime.run(harness.cacher.forgetHistory(now));

    const late = await harness.record({ resourceVersion: created });
    const current = await harness.record({ resourceVersion: now });
    await harness.create('b');
    await harness.runtime.settle();
    expect(isExpired(late.error)).to.equal(true);
    expect(current.lines).to.have.length(1);
    expect(running.lines).to.deep.equal(current.lines);
  });

  it('has nothing to do in a cache that was never used', async () => {
    await harness.runtime.run(harness.cacher.forgetHistory('1'));
    expect(harness.cacher.status.readiness).to.equal('pending');
  });
});
