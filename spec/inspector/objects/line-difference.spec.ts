import { expect } from 'chai';
import { lineDifference } from '../../../lib/inspector/objects/line-difference.ts';

const text = (before: readonly string[], after: readonly string[]): string =>
  lineDifference(before, after)
    .map((line) => line.mark + line.text)
    .join('|');

describe('lineDifference', () => {
  it('finds the lines that differ', () => {
    expect(text(['a', 'b', 'c'], ['a', 'b', 'c'])).to.equal(' a| b| c');
    expect(text(['a', 'b', 'c'], ['a', 'x', 'c'])).to.equal(' a|-b|+x| c');
    expect(text(['a', 'c', 'd', 'e'], ['b', 'c', 'e', 'f'])).to.equal('-a|+b| c|-d| e|+f');
    expect(text([], ['a'])).to.equal('+a');
    expect(text(['a', 'a'], ['a'])).to.equal(' a|-a');
  });

  it('restores both texts', () => {
    for (let seed = 1; seed < 200; seed += 1) {
      const letters = (factor: number): string[] =>
        Array.from(
          { length: (seed * factor) % 17 },
          (_, index) => 'abc'[((seed * factor * (index + 3)) % 7) % 3]!,
        );
      const [before, after] = [letters(7), letters(11)];
      const lines = lineDifference(before, after);
      const side = (mark: string): string[] =>
        lines.filter((line) => line.mark === ' ' || line.mark === mark).map((line) => line.text);
      expect(side('-')).to.deep.equal(before);
      expect(side('+')).to.deep.equal(after);
    }
  });

  it('shows texts that have too many differing lines as a whole', () => {
    const before = Array.from({ length: 3000 }, (_, index) => `a${index}`);
    const after = Array.from({ length: 3000 }, (_, index) => `b${index}`);
    const lines = lineDifference(before, after);
    expect(lines).to.have.length(6000);
    expect(lines[0]).to.deep.equal({ mark: '-', text: 'a0' });
    expect(lines[3000]).to.deep.equal({ mark: '+', text: 'b0' });
  });
});
