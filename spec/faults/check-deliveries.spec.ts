import { expect } from 'chai';
import { checkDeliveries, type Gap } from './check-deliveries.ts';
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

function checked(
  notified: readonly string[],
  gap: Gap = NOWHERE,
): ReturnType<typeof checkDeliveries> {
  return checkDeliveries([{ handler: 'h', notified: changes(...notified) }], HISTORY, gap);
}

describe('the checker of the fault matrix', () => {
  const nothing = { lost: [], repeated: [], disordered: [], invented: [] };

  it('finds no fault in the history itself, in any interleaving of keys', () => {
    expect(checkDeliveries([{ handler: 'h', notified: HISTORY }], HISTORY, NOWHERE)).to.deep.equal(
      nothing,
    );
    const byKey = HISTORY.toSorted((left, right) => (left.key < right.key ? -1 : 1));
    expect(checkDeliveries([{ handler: 'h', notified: byKey }], HISTORY, NOWHERE)).to.deep.equal(
      nothing,
    );
  });

  it('names what was lost, the last change as well as one in the middle', () => {
    const { lost } = checked(['add a@1', 'add b@2', 'delete a@4', 'add a@5']);
    expect(lost).to.deep.equal(['h: update a@3', 'h: update b@6']);
  });

  it('lets changes be merged inside the gap, and nowhere else', () => {
    const notified = ['add a@1', 'add b@2', 'update a@5', 'update b@6'];
    expect(checked(notified, { from: 2, to: 5 })).to.deep.equal(nothing);
    expect(checked(notified, { from: 3, to: 5 }).lost).to.deep.equal(['h: update a@3']);
  });

  it('takes a missed deletion with the last known state for one', () => {
    const notified = ['add a@1', 'add b@2', 'delete a@1', 'add a@5', 'update b@6'];
    expect(checked(notified, { from: 2, to: 3 })).to.deep.equal(nothing);
  });

  it('names events that were delivered twice, came too late, or never happened', () => {
    const notified = HISTORY.map(
      ({ type, key, resourceVersion }) => `${type} ${key}@${resourceVersion}`,
    );
    expect(checked([...notified, 'update b@6']).repeated).to.deep.equal(['h: update b@6']);
    expect(checked([...notified, 'update b@2']).disordered).to.deep.equal([
      'h: update b@2, after update b@6',
    ]);
    expect(checked([...notified, 'update b@7']).invented).to.deep.equal(['h: update b@7']);
    expect(checked([...notified, 'add c@7']).invented).to.deep.equal(['h: add c@7']);
  });

  it('names an addition of what is there, and a change of what is not', () => {
    expect(checked(['add a@1', 'add a@3'], { from: 0, to: 6 }).disordered).to.deep.equal([
      'h: add a@3 out of turn',
    ]);
    expect(checked(['update a@1'], { from: 0, to: 6 }).disordered).to.deep.equal([
      'h: update a@1 out of turn',
    ]);
  });
});
