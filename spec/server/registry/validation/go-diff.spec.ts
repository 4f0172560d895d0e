import { expect } from 'chai';
import { goDiff } from '../../../../lib/server/registry/validation/go-diff.ts';

describe('goDiff', () => {
  it('shows the changed lines of indented JSON, with three lines around them', () => {
    const before = { A: 1, B: 2, C: 3, D: 4, E: 5, F: 6, G: null };
    expect(goDiff(before, { ...before, E: 7 })).to.equal(
      [
        '@@ -3,7 +3,7 @@',
        '  "B": 2,',
        '  "C": 3,',
        '  "D": 4,',
        '- "E": 5,',
        '+ "E": 7,',
        '  "F": 6,',
        '  "G": null',
        ' }',
        '',
      ].join('\n'),
    );
  });

  it('puts changes that are far from each other in groups of their own', () => {
    const before = Array.from({ length: 30 }, (_, index) => index);
    const after = before.map((one) => (one === 2 || one === 25 ? -1 : one));
    const text = goDiff(before, after);
    expect(text.match(/^@@ .*$/gm)).to.deep.equal(['@@ -1,7 +1,7 @@', '@@ -24,7 +24,7 @@']);
  });

  it('shows added and removed lines', () => {
    expect(goDiff({ A: [] }, { A: ['<'] })).to.equal(
      '@@ -1,3 +1,5 @@\n {\n- "A": []\n+ "A": [\n+  "\\u003c"\n+ ]\n }\n',
    );
  });

  it('is empty for equal values', () => {
    expect(goDiff({ a: 1 }, { a: 1 })).to.equal('');
  });
});
