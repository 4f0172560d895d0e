import { expect } from 'chai';
import { plainCause, plainText } from '../../../lib/kernel/text/plain-text.ts';

describe('plainText', () => {
  const CASES: readonly (readonly [string, string, string])[] = [
    ['a text as it is', 'all is well', 'all is well'],
    ['a line for several', 'one\r\n\ttwo\u2028three', 'one two three'],
    ['no colours', '\u001B[1;31mred\u001B[0m alarm', 'red alarm'],
    ['no title of a window', 'a\u001B]0;owned\u0007b', 'ab'],
    ['no control characters', 'a\u0000b\u0007c\u009Bd', 'a b c d'],
    ['no other direction of text', 'invoice\u202Efdp.exe', 'invoice fdp.exe'],
    ['no characters that hide text', 'a\u200Bb\uFEFFc\uD800d', 'a b c d'],
    ['no escape character that begins nothing', 'a\u001B', 'a'],
    ['other scripts', 'größe 大 😀', 'größe 大 😀'],
    ['nothing for nothing', ' \n ', ''],
  ];
  for (const [title, text, plain] of CASES) {
    it(`leaves ${title}`, () => {
      expect(plainText(text, 100)).to.equal(plain);
    });
  }

  it('cuts a long text, and shows that', () => {
    expect(plainText('x'.repeat(20), 20)).to.equal('x'.repeat(20));
    expect(plainText('x'.repeat(1e7), 20)).to.equal(`${'x'.repeat(18)} …`);
    expect(plainText('x'.repeat(21), 20)).to.equal(`${'x'.repeat(18)} …`);
    expect(plainText(`${'x'.repeat(10)}${' '.repeat(1_000)}y`, 20)).to.equal(`${'x'.repeat(10)} …`);
  });
});

describe('plainCause', () => {
  it('leaves a text that is not too long', () => {
    expect(plainCause('a\r\nb\u001B[1;31mc', 5)).to.equal('a bc');
    expect(plainCause('x'.repeat(20), 20)).to.equal('x'.repeat(20));
  });

  it('keeps beginning and end of a long text, within the length', () => {
    const cause = 'failed calling webhook: failed to verify certificate: unknown authority';
    expect(plainCause(cause, 45)).to.equal('failed calling webhook: fail … nown authority');
    expect(plainCause(`a${'x'.repeat(1e7)}z`, 20)).to.equal(
      `a${'x'.repeat(11)} … ${'x'.repeat(4)}z`,
    );
    for (let longest = 3; longest < 60; longest += 1) {
      expect(plainCause(cause, longest).length).to.be.at.most(longest);
    }
  });

  it('removes control characters from the end of a text that is not read as a whole', () => {
    const text = `${'x'.repeat(1_000)}\u001B[2J\u0007end`;
    expect(plainCause(text, 20)).to.equal(`${'x'.repeat(12)} … x end`);
  });
});
