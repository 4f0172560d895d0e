import { expect } from 'chai';
import { ViewOpener } from '../../../lib/cache/memory/view-opener.ts';
import { DecodedView } from '../../../lib/meta/object-view.ts';
import { podOf, viewOf } from './kept-views.ts';

describe('lists that do not change, in ViewOpener', () => {
  const views = Array.from({ length: 10 }, (_, index) => viewOf(podOf(index)));

  it('are decoded once when their objects stay decoded, or came in decoded', () => {
    const opener = new ViewOpener();
    expect(opener.many(views)).to.equal(opener.many(views));
    const decoded = views.map(({ object }) => new DecodedView(object));
    const without = new ViewOpener(0);
    expect(without.many(decoded)).to.equal(without.many(decoded));
  });

  it('are decoded once within a budget, and again beyond it', () => {
    const bytes = views.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) * 2;
    for (const [budget, times] of [
      [bytes, 1],
      [bytes - 1, 2],
      [0, 2],
    ] as const) {
      const opener = new ViewOpener(budget);
      const lists = new Set([opener.many(views), opener.many(views)]);
      expect(lists.size).to.equal(times);
    }
  });

  it('give way to others, the least used first', () => {
    const bytes = views.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) * 2;
    const opener = new ViewOpener(bytes);
    const [halves, rest] = [views.slice(0, 5), views.slice(5)];
    const first = opener.many(halves);
    opener.many(rest);
    expect(opener.many(halves)).to.equal(first);
    opener.many(views);
    expect(opener.many(halves)).to.not.equal(first);
  });
});
