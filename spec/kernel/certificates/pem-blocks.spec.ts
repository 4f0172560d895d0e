import { expect } from 'chai';
import { pemBlocks } from '../../../lib/kernel/certificates/pem-blocks.ts';

const A = Buffer.from('a').toString('base64');
const B = Buffer.from('b').toString('base64');

/** Each block as its type, a sign for headers, and its bytes. */
function shown(...lines: readonly string[]): string[] {
  return pemBlocks(lines.join('\n')).map(
    ({ type, hasHeaders, bytes }) => `${type}${hasHeaders ? '+' : ''}:${bytes.toString()}`,
  );
}

describe('pemBlocks', () => {
  it('reads blocks in their order, with text between them and white space at ends of lines', () => {
    const first = ['-----BEGIN A----- ', ` ${A}\r`, '-----END A-----\t\r'];
    const second = ['-----BEGIN B B-----', B.slice(0, 2), B.slice(2), '-----END B B-----'];
    expect(shown('text', ...first, 'text - text', ...second)).to.deep.equal(['A:a', 'B B:b']);
  });

  it('reads an empty block', () => {
    expect(shown('-----BEGIN A-----', '-----END A-----')).to.deep.equal(['A:']);
  });

  it('reads a block with headers, whose names may have a hyphen', () => {
    const lines = ['-----BEGIN A-----', 'Proc-Type: 4,ENCRYPTED', 'x:', '', A, '-----END A-----'];
    expect(shown(...lines)).to.deep.equal(['A+:a']);
  });

  for (const [what, ...lines] of [
    ['that has no end', '-----BEGIN B-----', B],
    ['whose end is of another type', '-----BEGIN B-----', B, '-----END C-----'],
    ['whose end has more in its line', '-----BEGIN B-----', B, '-----END B----- x'],
    ['that is no base64', '-----BEGIN B-----', '_', '-----END B-----'],
    ['of headers alone', '-----BEGIN B-----', 'x: y', '-----END B-----'],
    ['that begins within a line', 'x -----BEGIN B-----', B, '-----END B-----'],
    ['whose first line has no end', '-----BEGIN B', B, '-----END B-----'],
  ] as const) {
    it(`skips a block ${what}`, () => {
      const whole = ['-----BEGIN A-----', A, '-----END A-----'];
      expect(shown(...lines, ...whole, ...lines)).to.deep.equal(['A:a']);
    });
  }

  it('takes a time in proportion to the text', () => {
    const headers = 'a:\n'.repeat(300_000);
    expect(pemBlocks(`-----BEGIN A-----\n${headers}`)).to.deep.equal([]);
    expect(pemBlocks(`-----BEGIN A-----\n${headers}\n-----END A-----`)).to.have.length(1);
    expect(pemBlocks('\n-----END A-----'.repeat(50_000))).to.deep.equal([]);
    expect(pemBlocks('-----BEGIN CERTIFICATE-----\n'.repeat(50_000))).to.deep.equal([]);
  });
});
