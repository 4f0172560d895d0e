import { expect } from 'chai';
import { judge, type Gap } from './judge.ts';
import type { Delivery } from './contestants/contestant.ts';
import type { TrueChange } from './world/server-history.ts';

/** `add a@1`, `update a@2`, `delete a@3`. */
function changes(...texts: readonly string[]): (Delivery & TrueChange)[] {
  return texts.map((text) => {
    const [type, key, resourceVersion] = text.split(/[ @]/) as [Delivery['type'], string, string];
    return { type, key, resourceVersion };
  });
}

const HISTORY = changes('add a@1', 'add b@2', 'update a@3', 'delete a@4', 'add a@5', 'update b@6');
const NOWHERE: Gap = { from: 0, to: 0 };

function judged(told: readonly string[], gap: Gap = NOWHERE): ReturnType<typeof judge> {
  return judge([{ handler: 'h', told: changes(...told) }], HISTORY, gap);
}

describe('the judge of the fault matrix', () => {
  const nothing = { lost: [], repeated: [], disordered: [], invented: [] };

  it('finds nothing wrong with the history itself, however keys interleave', () => {
    expect(judge([{ handler: 'h', told: HISTORY }], HISTORY, NOWHERE)).to.deep.equal(nothing);
    const byKey = HISTORY.toSorted((left, right) => (left.key < right.key ? -1 : 1));
    expect(judge([{ handler: 'h', told: byKey }], HISTORY, NOWHERE)).to.deep.equal(nothing);
  });

  it('names what was lost, the last change as well as one in the middle', () => {
    const { lost } = judged(['add a@1', 'add b@2', 'delete a@4', 'add a@5']);
    expect(lost).to.deep.equal(['h: update a@3', 'h: update b@6']);
  });

  it('lets changes be merged inside the gap, and nowhere else', () => {
    const told = ['add a@1', 'add b@2', 'update a@5', 'update b@6'];
    expect(judged(told, { from: 2, to: 5 })).to.deep.equal(nothing);
    expect(judged(told, { from: 3, to: 5 }).lost).to.deep.equal(['h: update a@3']);
  });

  it('takes a missed deletion with the last known state for one', () => {
    const told = ['add a@1', 'add b@2', 'delete a@1', 'add a@5', 'update b@6'];
    expect(judged(told, { from: 2, to: 3 })).to.deep.equal(nothing);
  });

  it('names events that were delivered twice, came too late, or never happened', () => {
    const told = HISTORY.map(
      ({ type, key, resourceVersion }) => `${type} ${key}@${resourceVersion}`,
    );
    expect(judged([...told, 'update b@6']).repeated).to.deep.equal(['h: update b@6']);
    expect(judged([...told, 'update b@2']).disordered).to.deep.equal([
      'h: update b@2, after update b@6',
    ]);
    expect(judged([...told, 'update b@7']).invented).to.deep.equal(['h: update b@7']);
    expect(judged([...told, 'add c@7']).invented).to.deep.equal(['h: add c@7']);
  });

  it('names an addition of what is there, and a change of what is not', () => {
    expect(judged(['add a@1', 'add a@3'], { from: 0, to: 6 }).disordered).to.deep.equal([
      'h: add a@3 out of turn',
    ]);
    expect(judged(['update a@1'], { from: 0, to: 6 }).disordered).to.deep.equal([
      'h: update a@1 out of turn',
    ]);
  });
});
