import { expect } from 'chai';
import {
  countOf,
  countText,
  shownText,
  sizeText,
  timeText,
} from '../../../lib/cli/terminal/shown-text.ts';

describe('texts for people', () => {
  it('have no control characters of a server, and one line', () => {
    expect(shownText('a\u001b[31m\r\n\tb\u202ec\u0007 ')).to.equal('a b c');
  });

  it('are cut where a server is long-winded', () => {
    expect(shownText('x'.repeat(400))).to.equal(`${'x'.repeat(298)} …`);
  });

  it('give sizes and times in the unit that fits', () => {
    const sizes = [0, 1023, 1536, 200 * 1024, 5 * 2 ** 20, 3 * 2 ** 30, 5000 * 2 ** 30];
    expect(sizes.map(sizeText)).to.deep.equal([
      '0 B',
      '1023 B',
      '1.5 KiB',
      '200 KiB',
      '5.0 MiB',
      '3.0 GiB',
      '5000 GiB',
    ]);
    expect([0.34, 12.4, 999.4, 1234].map(timeText)).to.deep.equal([
      '0.3 ms',
      '12 ms',
      '999 ms',
      '1.2 s',
    ]);
  });

  it('count with separators, the same in every locale', () => {
    expect([0, 999, 1000, 1234567].map(countText)).to.deep.equal([
      '0',
      '999',
      '1,000',
      '1,234,567',
    ]);
    expect([countOf(1, 'page'), countOf(2, 'page')]).to.deep.equal(['1 page', '2 pages']);
  });
});
