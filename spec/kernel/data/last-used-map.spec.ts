import { expect } from 'chai';
import { LastUsedMap } from '../../../lib/kernel/data/last-used-map.ts';

const filled = (max: number, evicted?: (value: object) => void) => {
  const map = new LastUsedMap<string, { readonly of: string }>(max, evicted);
  for (const of of ['a', 'b', 'c']) map.set(of, { of });
  return map;
};
const names = (map: ReturnType<typeof filled>) => map.values().map((one) => one.of);

describe('LastUsedMap', () => {
  it('has the values that were used last, in that order', () => {
    const map = filled(3);
    expect(names(map)).to.deep.equal(['c', 'b', 'a']);
    expect(map.get('a')?.of).to.equal('a');
    expect(names(map)).to.deep.equal(['a', 'c', 'b']);
    map.set('b', { of: 'new b' });
    expect(names(map)).to.deep.equal(['new b', 'a', 'c']);
    expect(map.size).to.equal(3);
  });

  it('leaves out the value that was used longest ago, and tells which', () => {
    const evicted: object[] = [];
    const map = filled(2, (value) => evicted.push(value));
    expect(evicted).to.deep.equal([{ of: 'a' }]);
    map.get('b');
    map.set('d', { of: 'd' });
    expect(evicted).to.deep.equal([{ of: 'a' }, { of: 'c' }]);
    expect(names(map)).to.deep.equal(['d', 'b']);
  });

  it('does not count a look as a use, and tells of no value that is deleted or replaced', () => {
    const evicted: object[] = [];
    const map = filled(3, (value) => evicted.push(value));
    expect(map.peek('a')?.of).to.equal('a');
    expect(map.peek('z')).to.equal(undefined);
    map.set('c', { of: 'new c' });
    expect(map.delete('b')).to.equal(true);
    expect(map.delete('b')).to.equal(false);
    expect(map.get('b')).to.equal(undefined);
    expect(names(map)).to.deep.equal(['new c', 'a']);
    expect(evicted).to.deep.equal([]);
  });
});
