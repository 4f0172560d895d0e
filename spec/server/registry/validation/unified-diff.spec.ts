import { expect } from 'chai';
import { unifiedDiff } from '../../../../lib/server/registry/validation/unified-diff.ts';

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `line ${at}`);
const changed = (lines: readonly string[], ...places: number[]): string[] =>
  lines.map((line, at) => (places.includes(at) ? 'changed' : line));
const differ = (before: readonly string[], after: readonly string[]): string =>
  unifiedDiff(before.join('\n'), after.join('\n'));
const headsOf = (text: string): string[] => text.match(/^@@ .*$/gm) ?? [];

/** Two texts with a line for each letter, and the lines that Python's difflib writes, of which the Go library is a copy. */
const ROWS: readonly (readonly [before: string, after: string, lines: string])[] = [
  ['abXr', 'abXXr', '@@ -1,4 +1,5 @@| a| b| X|+X| r'],
  ['abXXr', 'abXr', '@@ -1,5 +1,4 @@| a| b| X|-X| r'],
  ['rXab', 'rXXab', '@@ -1,4 +1,5 @@| r|+X| X| a| b'],
  ['rXXab', 'rXab', '@@ -1,5 +1,4 @@| r|-X| X| a| b'],
  ['abcdefgh', 'abcdefgh', ''],
  ['abcd', 'Xabcd', '@@ -1,3 +1,4 @@|+X| a| b| c'],
  ['abcd', 'abcdX', '@@ -2,3 +2,4 @@| b| c| d|+X'],
  ['abcdefgh', 'Xabcdefgh', '@@ -1,3 +1,4 @@|+X| a| b| c'],
  ['abcdefgh', 'abcdefghX', '@@ -6,3 +6,4 @@| f| g| h|+X'],
  [
    'abcdefghijklm',
    'abXdefghijYlm',
    '@@ -1,6 +1,6 @@| a| b|-c|+X| d| e| f|@@ -8,6 +8,6 @@| h| i| j|-k|+Y| l| m',
  ],
  ['abcXdefghiYjkl', 'abcdefghijkl', '@@ -1,14 +1,12 @@| a| b| c|-X| d| e| f| g| h| i|-Y| j| k| l'],
  [
    'abcXdefghijYjkl',
    'abcdefghijjkl',
    '@@ -1,7 +1,6 @@| a| b| c|-X| d| e| f|@@ -9,7 +8,6 @@| h| i| j|-Y| j| k| l',
  ],
  ['abcabba', 'cbabac', '@@ -1,7 +1,6 @@|+c|+b| a| b|+a| c|-a|-b|-b|-a'],
  ['aab', 'baa', '@@ -1,3 +1,3 @@|+b| a| a|-b'],
  ['xabxab', 'abxxaby', '@@ -1,6 +1,7 @@|+a|+b|+x| x| a| b|-x|-a|-b|+y'],
  ['abcdefg', 'gfedcba', '@@ -1,7 +1,7 @@|+g|+f|+e|+d|+c|+b| a|-b|-c|-d|-e|-f|-g'],
  ['', 'a', '@@ -1 +1 @@|-|+a'],
  ['a', '', '@@ -1 +1 @@|-a|+'],
  ['a', 'b', '@@ -1 +1 @@|-a|+b'],
  ['abcdeabcdf', 'abcdfabcde', '@@ -1,10 +1,10 @@|+a|+b|+c|+d|+f| a| b| c| d| e|-a|-b|-c|-d|-f'],
  ['ababab', 'bababa', '@@ -1,6 +1,6 @@|+b| a| b| a| b| a|-b'],
];

describe('unifiedDiff', () => {
  for (const [before, after, lines] of ROWS) {
    it(`of ${before || 'nothing'} and ${after || 'nothing'} is ${lines || 'empty'}`, () => {
      const text = differ(before.split(''), after.split(''));
      expect(text.split('\n').slice(0, -1).join('|')).to.equal(lines);
    });
  }

  it('is empty for equal texts', () => {
    expect(unifiedDiff('a\nb', 'a\nb')).to.equal('');
    const long = numbered(5000);
    expect(differ(long, long)).to.equal('');
  });

  it('counts lines that are frequent to the match they stand beside', () => {
    const lines = numbered(300).flatMap((line) => ['---', line]);
    expect(differ(lines, changed(lines, 301))).to.equal(
      '@@ -299,7 +299,7 @@\n ---\n line 149\n ---\n-line 150\n+changed\n ---\n line 151\n ---\n',
    );
  });

  it('counts the frequent lines before a match and after it, up to the first that differs', () => {
    const frequent = Array.from({ length: 5 }, () => ['p', 'q', '', 'r', 's', '']).flat();
    const rest = [...numbered(200), ...frequent];
    const linesOf = (before: string[], after: string[]): string[] =>
      differ(before, [...after, ...rest])
        .split('\n')
        .filter((line) => line.startsWith(' '));
    const both = ['p', 'q', 'm', 'r', 's'];
    expect(linesOf(['a0', ...both, 'a1'], ['b0', ...both, 'b1'])).to.deep.equal(
      both.map((line) => ` ${line}`),
    );
    const left = ['p', 'q', 'm'];
    expect(linesOf(['a0', ...left, 'a1'], ['b0', ...left, 'b1'])).to.deep.equal([' p', ' q', ' m']);
  });

  for (const [length, times, isMatch] of [
    [199, 4, true],
    [200, 3, true],
    [200, 4, false],
    [299, 4, false],
    [300, 4, true],
    [300, 5, false],
  ] as const) {
    it(`${isMatch ? 'finds' : 'does not look for'} a line that is there ${times} times in ${length} lines`, () => {
      const after = [...numbered(length - times), ...Array.from({ length: times }, () => 'often')];
      const text = differ(['often'], after);
      expect(text.includes('\n-often\n'), text.slice(0, 80)).to.equal(!isMatch);
    });
  }

  it('compares texts of more than 4000 lines from their ends', () => {
    const lines = numbered(4001);
    const after = changed(lines, 10, 3990);
    expect(headsOf(differ(lines, after))).to.deep.equal(['@@ -8,3987 +8,3987 @@']);
    expect(headsOf(differ(lines.slice(1), after.slice(1)))).to.deep.equal([
      '@@ -7,7 +7,7 @@',
      '@@ -3987,7 +3987,7 @@',
    ]);
    expect(differ(lines, changed(lines, 2500))).to.equal(
      '@@ -2498,7 +2498,7 @@\n line 2497\n line 2498\n line 2499\n-line 2500\n+changed\n line 2501\n line 2502\n line 2503\n',
    );
    expect(headsOf(differ(lines, lines.slice(0, 4000)))).to.deep.equal(['@@ -3998,4 +3998,3 @@']);
    expect(headsOf(differ(lines.slice(0, 10), lines))).to.deep.equal(['@@ -8,3 +8,3994 @@']);
  });
});
