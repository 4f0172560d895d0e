import { expect } from 'chai';
import { PieceJoiner } from '../../../../lib/client/rest/decode/piece-joiner.ts';

const SEMICOLON = 0x3b;

/** Takes parts that end with a semicolon, and keeps where they lay. */
class Parts {
  readonly texts: string[] = [];
  readonly places: Buffer[] = [];
  looks = 0;
  bytesLookedAt = 0;
  readonly joiner: PieceJoiner = new PieceJoiner((bytes, start, end) => {
    this.looks += 1;
    let at = start;
    for (;;) {
      const found = bytes.subarray(0, end).indexOf(SEMICOLON, at);
      this.bytesLookedAt += (found === -1 ? end : found) - at;
      if (found === -1) return at;
      this.texts.push(bytes.toString('latin1', at, found));
      this.places.push(bytes);
      this.joiner.partBytes = found + 1 - at;
      at = found + 1;
    }
  });
}

describe('PieceJoiner', () => {
  it('hands on the same parts wherever the pieces are cut', () => {
    const texts = [3000, 10, 1, 0, 5000, 2000, 64, 1500].map((length, index) =>
      String.fromCharCode(97 + index).repeat(length),
    );
    const bytes = Buffer.from(`${texts.join(';')};`);
    for (const size of [1, 7, 100, 1024, 1025, 3001, 4096, bytes.length]) {
      const parts = new Parts();
      for (let start = 0; start < bytes.length; start += size) {
        parts.joiner.push(Buffer.from(bytes.subarray(start, start + size)));
      }
      parts.joiner.end();
      expect(parts.texts, `pieces of ${size}`).to.deep.equal(texts);
    }
  });

  it('leaves parts within a piece where they lie, and copies only those over several', () => {
    const parts = new Parts();
    const pieces: Buffer[] = [];
    const stream = Buffer.from(`${'b'.repeat(3999)};`.repeat(40));
    for (let start = 0; start < stream.length; start += 45_000) {
      pieces.push(Buffer.from(stream.subarray(start, start + 45_000)));
    }
    for (const one of pieces) parts.joiner.push(one);
    parts.joiner.end();
    const inPlace = parts.places.filter((place) => pieces.includes(place));
    expect(parts.places).to.have.length(40);
    // Of four pieces three end within a part.
    expect(inPlace).to.have.length(37);
    const joined = parts.places.filter((place) => !pieces.includes(place));
    for (const place of joined) expect(place.length).to.be.below(2 * 4000);
  });

  it('scans a part of 20 MB a few times only, for pieces of any size', () => {
    const parts = new Parts();
    const size = 20 << 20;
    const piece = Buffer.alloc(16 << 10, 'x');
    for (let sent = 0; sent < size; sent += piece.length) parts.joiner.push(piece);
    parts.joiner.push(Buffer.from(';'));
    parts.joiner.end();
    expect(parts.texts.map(({ length }) => length)).to.deep.equal([size]);
    expect(parts.looks).to.be.below(20);
    expect(parts.bytesLookedAt).to.be.below(4 * size);
  });

  it('looks twice at a part that is as long as the one before it', () => {
    const parts = new Parts();
    const bytes = Buffer.from(`${'a'.repeat(3999)};`.repeat(100));
    for (let start = 0; start < bytes.length; start += 2500) {
      parts.joiner.push(bytes.subarray(start, start + 2500));
    }
    parts.joiner.end();
    expect(parts.texts).to.have.length(100);
    expect(parts.bytesLookedAt).to.be.below(2.5 * bytes.length);
  });

  it('never changes or uses again the memory of a part', () => {
    const parts = new Parts();
    const texts = Array.from({ length: 50 }, (_, index) => String(index % 10).repeat(900 + index));
    const bytes = Buffer.from(`${texts.join(';')};`);
    for (let start = 0; start < bytes.length; start += 333) {
      parts.joiner.push(Buffer.from(bytes.subarray(start, start + 333)));
    }
    parts.joiner.end();
    const isThere = (text: string, index: number): boolean =>
      parts.places[index]?.includes(`${text};`) === true;
    expect(parts.texts).to.deep.equal(texts);
    expect(parts.texts.every(isThere)).to.equal(true);
  });
});
