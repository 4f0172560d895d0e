import { expect } from 'chai';
import { PageCycle } from '../../lib/meta/page-cycle.ts';

/** After how many pages a circle behind some other pages is found; undefined: never. */
function foundAfter(before: number, length: number): number | undefined {
  const cycle = new PageCycle();
  for (let page = 0; page < 10_000; page += 1) {
    const token = page < before ? `first ${page}` : `circle ${(page - before) % length}`;
    if (cycle.repeats(token)) return page + 1;
  }
  return undefined;
}

describe('PageCycle', () => {
  it('finds a circle of any length, behind any number of pages, within three times both', () => {
    for (const before of [0, 1, 2, 7, 100]) {
      for (const length of [1, 2, 3, 10, 64, 100]) {
        const found = foundAfter(before, length);
        expect(found, `${before} and ${length}`).to.be.within(
          before + length + 1,
          3 * (before + length) + 1,
        );
      }
    }
  });

  it('finds none where every token is new', () => {
    expect(foundAfter(10_000, 1)).to.equal(undefined);
  });
});
