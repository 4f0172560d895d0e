import { expect } from 'chai';
import { printable } from '../../../../../lib/client/config/credentials/exec/printable.ts';

describe('printable', () => {
  it('makes one line of any text', () => {
    expect(printable(' a\r\n\tb\u2028c\u0000d\u0085e ', 99)).to.equal('a b c d e');
  });

  it('removes escape sequences of terminals', () => {
    const text = '\u001b[1;31mred\u001b[0m \u001b]0;title\u0007plain \u001b[2Jend';
    expect(printable(text, 99)).to.equal('red plain end');
  });

  it('removes characters that turn or hide text', () => {
    expect(printable('a\u202eb\u200bc\ufeffd', 99)).to.equal('a b c d');
  });

  it('keeps at most so many characters', () => {
    expect(printable('abcdef', 6)).to.equal('abcdef');
    expect(printable('abcdefg', 6)).to.equal('abcde…');
    expect(printable('x'.repeat(1e7), 6)).to.equal('xxxxx…');
  });
});
