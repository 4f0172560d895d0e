import { expect } from 'chai';
import { prefixEnd } from '../../../../lib/server/mvcc/contract/key-value-store.ts';

describe('prefixEnd', () => {
  it('is the prefix with its last character replaced by the next one', () => {
    expect(prefixEnd('/registry/pods/')).to.equal('/registry/pods0');
    expect(prefixEnd('a')).to.equal('b');
  });

  it('steps over the surrogates', () => {
    expect(prefixEnd('x\ud7ff')).to.equal('x\ue000');
    expect(prefixEnd('x\u{103ff}')).to.equal('x\u{10400}');
  });

  it('shortens a prefix that ends in the last character', () => {
    expect(prefixEnd('a\u{10ffff}')).to.equal('b');
  });

  it('covers everything for the empty prefix', () => {
    expect(prefixEnd('')).to.equal('\u{10ffff}');
  });
});
