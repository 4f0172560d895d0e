import { expect } from 'chai';
import { checkKeys } from '../../../lib/conformance/history/register-history.ts';
import { checkRevisions } from '../../../lib/conformance/history/revision-checker.ts';
import { generateHistory } from './generated-history.ts';
import { faults, noFault } from './wrong-histories.ts';

const GOOD = 120;
const SEEDS_A_FAULT = 5;

describe('the checkers of histories, held against histories of which the verdict is known', () => {
  it(`accept all of ${GOOD} correct ones`, async () => {
    for (let seed = 1; seed <= GOOD; seed += 1) {
      const operations = await generateHistory({ seed, unknown: (seed % 4) * 0.08 });
      const revisions = checkRevisions({ operations });
      expect(revisions.verdict, `seed ${seed}: ${JSON.stringify(revisions, bigints)}`).to.equal(
        'linearizable',
      );
      const keys = checkKeys(operations);
      expect(keys.verdict, `seed ${seed}: ${keys.window.join('\n')}`).to.equal('linearizable');
    }
  });

  it('accept what the wrong ones are made of, where nothing is wrong about it', async () => {
    for (let seed = 1; seed <= SEEDS_A_FAULT; seed += 1) {
      // A write that was lost on its way may still be done, and have any revision: here there is none.
      const operations = noFault.apply(await generateHistory({ seed, unknown: 0 }))!;
      const revisions = checkRevisions({ operations });
      expect(revisions.verdict, JSON.stringify(revisions, bigints)).to.equal('linearizable');
      const keys = checkKeys(operations);
      expect(keys.verdict, keys.window.join('\n')).to.equal('linearizable');
    }
  });

  for (const { name, perKey, unknown, apply } of faults) {
    it(`refuse it when ${name}`, async () => {
      let found = 0;
      for (let seed = 1; found < SEEDS_A_FAULT; seed += 1) {
        const history = await generateHistory({ seed, unknown: unknown ?? 0.1 });
        const operations = apply(history);
        if (operations === undefined) continue;
        found += 1;
        const revisions = checkRevisions({ operations });
        expect(revisions.verdict, `seed ${seed}, revisions`).to.equal('illegal');
        const keys = checkKeys(operations);
        // Without revisions some faults are none.
        expect(keys.verdict, `seed ${seed}, keys`).to.equal(perKey ? 'illegal' : 'linearizable');
        if (perKey) expect(keys.window.length, keys.window.join('\n')).to.be.within(1, 12);
        if (revisions.verdict !== 'illegal') continue;
        expect(revisions.window.length, revisions.window.join('\n')).to.be.within(1, 40);
      }
    });
  }

  it(`are held against ${faults.length * SEEDS_A_FAULT} wrong ones, a hundred at least`, () => {
    expect(faults.length * SEEDS_A_FAULT).to.be.at.least(100);
    expect(new Set(faults.map(({ name }) => name)).size).to.equal(faults.length);
  });
});

function bigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
