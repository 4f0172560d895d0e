import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { TimeBudget } from '../../../../lib/server/cacher/watchers/event-dispatcher.ts';

describe('TimeBudget', () => {
  it('starts with 100 ms and gives them out once', () => {
    const budget = new TimeBudget(new VirtualRuntime());
    expect(budget.takeAvailable()).to.equal(100);
    expect(budget.takeAvailable()).to.equal(0);
  });

  it('gains 50 ms a second, up to 100 ms', async () => {
    const runtime = new VirtualRuntime();
    const budget = new TimeBudget(runtime);
    budget.takeAvailable();
    await runtime.advance(1000);
    expect(budget.takeAvailable()).to.equal(50);
    await runtime.advance(60_000);
    expect(budget.takeAvailable()).to.equal(100);
  });

  it('takes back what was not used, and never more than fits', async () => {
    const runtime = new VirtualRuntime();
    const budget = new TimeBudget(runtime);
    budget.takeAvailable();
    budget.returnUnused(30);
    budget.returnUnused(-5);
    expect(budget.takeAvailable()).to.equal(30);
    budget.returnUnused(90);
    await runtime.advance(1000);
    expect(budget.takeAvailable()).to.equal(100);
  });
});
