import { expect } from 'chai';
import { unifiedDiff } from '../../../../lib/server/registry/validation/unified-diff.ts';

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `line ${at}`);
const changed = (lines: readonly string[], at: number): string =>
  lines.with(at, 'changed').join('\n');

describe('unifiedDiff', () => {
  it('is empty for equal texts', () => {
    expect(unifiedDiff('a\nb', 'a\nb')).to.equal('');
    const long = numbered(5000).join('\n');
    expect(unifiedDiff(long, long)).to.equal('');
  });

  it('takes the match within the range, not an equal line before it', () => {
    expect(unifiedDiff('L1\nL2\nL3\nd\nx', 'x\nL1\nL2\nL3\ne\nx')).to.equal(
      '@@ -1,5 +1,6 @@\n+x\n L1\n L2\n L3\n-d\n+e\n x\n',
    );
  });

  it('counts lines that are frequent to the match they stand beside', () => {
    const lines = numbered(300).flatMap((line) => ['---', line]);
    expect(unifiedDiff(lines.join('\n'), changed(lines, 301))).to.equal(
      '@@ -299,7 +299,7 @@\n ---\n line 149\n ---\n-line 150\n+changed\n ---\n line 151\n ---\n',
    );
  });

  it('compares texts of more than 4000 lines from their ends', () => {
    const lines = numbered(5000);
    expect(unifiedDiff(lines.join('\n'), changed(lines, 2500))).to.equal(
      '@@ -2498,7 +2498,7 @@\n line 2497\n line 2498\n line 2499\n-line 2500\n+changed\n line 2501\n line 2502\n line 2503\n',
    );
  });
});
