import { expect } from 'chai';
import { RecentMap } from '../../../lib/kernel/data/recent-map.ts';

describe('RecentMap', () => {
  it('has at least its capacity of the newest entries, and never more than twice as many', () => {
    const map = new RecentMap<number, string>(4);
    for (let key = 1; key <= 100; key += 1) {
      map.set(key, `v${key}`);
      expect(map.size).to.be.at.most(8);
      for (let recent = Math.max(1, key - 3); recent <= key; recent += 1) {
        expect(map.get(recent)).to.equal(`v${recent}`);
      }
    }
    expect(map.has(90)).to.equal(false);
    expect(map.entries().map(([key]) => key)).to.include.members([97, 98, 99, 100]);
  });

  it('keeps the newest value of a key, and forgets what is deleted or cleared', () => {
    const map = new RecentMap<string, number>(2);
    for (const [key, value] of [
      ['a', 1],
      ['b', 2],
      ['a', 3],
    ] as const) {
      map.set(key, value);
    }
    expect(map.get('a')).to.equal(3);
    map.delete('a');
    expect([map.has('a'), map.get('a'), map.has('b')]).to.deep.equal([false, undefined, true]);
    map.clear();
    expect([map.size, map.entries()]).to.deep.equal([0, []]);
  });
});
