import { expect } from 'chai';
import { ChunkReader } from '../../../../../lib/client/transport/connection/tap/chunk-reader.ts';

function readAll(texts: readonly string[]): { data: string[]; missing?: string; rest?: string } {
  const reader = new ChunkReader();
  const data: string[] = [];
  for (const text of texts) {
    const bytes = Buffer.from(text, 'latin1');
    const piece = reader.read(bytes, 0, bytes.length);
    if (piece !== undefined) data.push(piece.toString('latin1'));
    if (reader.stoppedAt >= 0) {
      return { data, missing: reader.missing, rest: text.slice(reader.stoppedAt) };
    }
  }
  return { data };
}

describe('ChunkReader', () => {
  it('joins the data of chunks that came together', () => {
    expect(readAll(['3\r\nabc\r\nA\r\n0123456789\r\n'])).to.deep.equal({ data: ['abc0123456789'] });
  });

  it('reads chunks that were cut anywhere', () => {
    const text = '3\r\nabc\r\n0a\r\n0123456789\r\n';
    expect(readAll(text.split(''))).to.deep.equal({ data: 'abc0123456789'.split('') });
  });

  it('stops where the last chunk begins, and knows what of it came before', () => {
    expect(readAll(['1\r\na\r\n0\r\nX: y\r\n\r\n'])).to.deep.equal({
      data: ['a'],
      missing: '0',
      rest: '\r\nX: y\r\n\r\n',
    });
    expect(readAll(['1\r\na\r\n00', '0', '\r\n\r\n'])).to.deep.equal({
      data: ['a'],
      missing: '000',
      rest: '\r\n\r\n',
    });
  });

  it('stops at an extension, at a size that is long, and at what is no size', () => {
    expect(readAll(['3;a=b\r\nabc\r\n'])).to.include({ missing: '3', rest: ';a=b\r\nabc\r\n' });
    expect(readAll(['123456789\r\n'])).to.include({ missing: '12345678', rest: '9\r\n' });
    expect(readAll(['ab', 'cx'])).to.include({ missing: 'abc', rest: 'x' });
    expect(readAll(['3\r', 'x'])).to.include({ missing: '3\r', rest: 'x' });
  });

  it('leaves the parser an error where the data of a chunk does not end', () => {
    expect(readAll(['1\r\nab'])).to.deep.equal({ data: ['a'], missing: 'x', rest: 'b' });
    expect(readAll(['1\r\na\r', 'b'])).to.deep.equal({ data: ['a'], missing: 'x', rest: 'b' });
  });

  it('gives pieces that do not change when more are read', () => {
    const reader = new ChunkReader();
    const bytes = Buffer.from('4\r\n....\r\n');
    const pieces: Buffer[] = [];
    for (let index = 0; index < 10_000; index += 1) {
      bytes.write(String(index).padStart(4, '0'), 3, 'latin1');
      pieces.push(reader.read(bytes, 0, bytes.length) as Buffer);
    }
    for (const [index, piece] of pieces.entries()) {
      expect(piece.toString()).to.equal(String(index).padStart(4, '0'));
    }
    const memories = new Set(pieces.map(({ buffer }) => buffer));
    expect(memories.size, 'pages').to.be.below(10);
  });
});
