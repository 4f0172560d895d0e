import { expect } from 'chai';
import { shareOf } from '../../support/share.ts';
import { knownBugs } from './index.ts';
import { runWithoutFaults, type FaultFreeRun } from './support/fault-free-run.ts';

describe('the corpus of known bugs', () => {
  it('names each bug once', () => {
    const names = knownBugs.map(({ name }) => name);
    expect(names).to.deep.equal([...new Set(names)]);
  });

  for (const bug of shareOf(knownBugs, 3)) {
    describe(`${bug.name}, without faults`, () => {
      let wrong: FaultFreeRun;
      let fixed: FaultFreeRun;

      before(async () => {
        wrong = await runWithoutFaults(bug, bug.wrong);
        fixed = await runWithoutFaults(bug, bug.fixed);
      });

      it('reaches each step', () => {
        const titles = bug.workload.map(({ title }) => title);
        expect(wrong.reached, 'wrong').to.deep.equal(titles);
        expect(fixed.reached, 'fixed').to.deep.equal(titles);
      });

      it('breaks no invariant, and ends no controller', () => {
        expect(wrong.broken, 'wrong').to.deep.equal([]);
        expect(fixed.broken, 'fixed').to.deep.equal([]);
      });

      it('ends in the same state, wrong or fixed', () => {
        expect(wrong.state).to.deep.equal(fixed.state);
      });

      it('stops when the signal aborts', () => {
        expect(wrong.endless, 'wrong').to.deep.equal([]);
        expect(fixed.endless, 'fixed').to.deep.equal([]);
      });
    });
  }
});
