import { expect } from 'chai';
import { KeyNumbers } from '../../../../lib/controller/builder/source/key-numbers.ts';

describe('KeyNumbers', () => {
  it('gives each key a number from 0 on, and always the same', () => {
    const numbers = new KeyNumbers();
    const given = ['a', 'b', 'a', 'c', 'b'].map((key) => numbers.of(key));
    expect(given).to.deep.equal([0, 1, 0, 2, 1]);
  });

  it('gives the number of a key that has gone to another one', () => {
    const numbers = new KeyNumbers();
    for (const key of ['a', 'b', 'c']) numbers.of(key);
    numbers.release('b');
    numbers.release('b');
    expect(['d', 'e', 'b'].map((key) => numbers.of(key))).to.deep.equal([1, 3, 4]);
  });
});
