import { expect } from 'chai';
import { orderedForm } from '../../../../lib/server/mvcc/contract/ordered-form.ts';

describe('orderedForm', () => {
  it('leaves keys below U+D800 as they are', () => {
    for (const key of ['', '/registry/pods/a', 'żółw', '日本\ud7ff'.slice(0, 2)]) {
      expect(orderedForm(key)).to.equal(key);
    }
  });

  it('orders keys by their UTF-8 bytes, which JavaScript does not', () => {
    expect(['\u{10000}', '\uffee'].toSorted()).to.deep.equal(['\u{10000}', '\uffee']);
    const keys = [
      'a',
      'z',
      '\u07ff',
      '\u0800',
      '\ud7fb',
      '\ue000',
      '\uffee',
      '\u{10000}',
      '\u{1f600}',
      '\u{10ffff}',
    ];
    const pairs = keys.flatMap((left) => keys.map((right) => [`x${left}1`, `x${right}`] as const));
    for (const [left, right] of pairs) {
      const bytes = Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      const form = [orderedForm(left), orderedForm(right)] as const;
      expect(form[0] < form[1] ? -1 : 1, `${left} ${right}`).to.equal(bytes);
    }
  });
});
