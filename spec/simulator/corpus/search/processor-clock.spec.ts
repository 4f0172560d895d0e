import { expect } from 'chai';
import type { BugTask } from './bug-result.ts';
import { ProcessorClock } from './processor-clock.ts';
import { searchBug } from './search-bug.ts';

describe('the budget of a search', () => {
  const task: BugTask = { name: 'strimzi-8401', version: 'fixed', seeds: 0, budgetMs: 1000 };

  it('is processor time: a machine with much other work runs the same plans', async () => {
    let nowMs = 0;
    const result = await searchBug(task, { processorMs: () => 0, elapsedMs: () => (nowMs += 50) });
    expect(result.searchMs).to.be.greaterThan(task.budgetMs);
    expect(result.complete).to.equal(true);
  });

  it('is over when the process has used it', async () => {
    let usedMs = 0;
    const result = await searchBug(task, {
      processorMs: () => (usedMs += 150),
      elapsedMs: () => 0,
    });
    expect(result.complete).to.equal(false);
    expect(result.runs).to.be.within(1, 7);
  });

  it('is over after fifteen times as long by the clock, so that no search is endless', () => {
    let nowMs = 0;
    const clock = new ProcessorClock({ processorMs: () => 0, elapsedMs: () => nowMs });
    nowMs = 15_000;
    expect(clock.monotonicMs()).to.equal(1000);
    expect([clock.processorMs, clock.elapsedMs]).to.deep.equal([0, 15_000]);
  });
});
