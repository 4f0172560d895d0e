import { expect } from 'chai';
import { LAST_RUNE, otherRanges } from '../../../../lib/server/custom/pattern/rune-set.ts';

describe('otherRanges', () => {
  it('are the code points between the ranges, before the first and after the last', () => {
    expect(otherRanges([0x30, 0x39, 0x41, 0x5a])).to.deep.equal([
      0,
      0x2f,
      0x3a,
      0x40,
      0x5b,
      LAST_RUNE,
    ]);
    expect(otherRanges([])).to.deep.equal([0, LAST_RUNE]);
    expect(otherRanges([0, LAST_RUNE])).to.deep.equal([]);
    expect(otherRanges([0, 8, 10, LAST_RUNE - 1])).to.deep.equal([9, 9, LAST_RUNE, LAST_RUNE]);
    expect(otherRanges([1, 1, 2, 2])).to.deep.equal([0, 0, 3, LAST_RUNE]);
  });
});
