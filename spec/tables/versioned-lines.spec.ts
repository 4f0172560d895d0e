import { expect } from 'chai';
import { textOfMinor } from '../../lib/meta/releases/kubernetes-releases.ts';
import { versionedLines, type MinorLines } from './versioned-lines.ts';

describe('versionedLines', () => {
  const versions: readonly MinorLines[] = [
    [35, ['a', 'old', ' child', 'b', 'z']],
    [36, ['a', 'b', 'c', ' child', 'z']],
    [37, ['new', 'a', 'b', ' child', 'c', ' child']],
  ];

  it('are read back as each version has them, in its order', () => {
    const text = versionedLines(versions).join('\n');
    for (const [minor, lines] of versions) {
      expect(textOfMinor(text, minor).split('\n').filter(Boolean)).to.deep.equal(lines);
    }
  });

  it('mark the lines that not all versions have, with the first and the last one', () => {
    const lines = versionedLines([
      [35, ['all', 'first', 'two']],
      [36, ['all', 'middle', 'two']],
      [37, ['all', 'last']],
    ]);
    expect(lines).to.have.members([
      'all',
      '[..35]first',
      '[36..36]middle',
      '[..36]two',
      '[37..]last',
    ]);
  });

  it('refuse a line that a version between two others does not have', () => {
    const gap: readonly MinorLines[] = [
      [35, ['a']],
      [36, []],
      [37, ['a']],
    ];
    expect(() => versionedLines(gap)).to.throw('only 35 and 37 have a');
  });
});
