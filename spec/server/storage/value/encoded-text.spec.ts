import { expect } from 'chai';
import { encodedText, isEncodedText } from '../../../../lib/server/storage/value/encoded-text.ts';

describe('encodedText', () => {
  // Ends of slabs fall into texts of every length, with units of one, two, three and four bytes.
  it('is the text in UTF-8 after any other text, and is not changed', () => {
    const texts = Array.from({ length: 400 }, (_, index) => 'aé€😀'.repeat(index * 3) + index);
    const encoded = texts.map(encodedText);
    expect(encoded.map((bytes) => Buffer.from(bytes).toString('utf8'))).to.deep.equal(texts);
  });

  it('is recognised, short and long; bytes from elsewhere are not', () => {
    for (const text of ['', 'short', 'x'.repeat(5_000), '€'.repeat(5_000)]) {
      expect(isEncodedText(encodedText(text)), `${text.length} units`).to.equal(true);
      expect(isEncodedText(Buffer.from(text)), `${text.length} units of Node`).to.equal(false);
    }
    expect(isEncodedText(new Uint8Array(3))).to.equal(false);
  });

  it('takes memory for some dozen short texts at a time', () => {
    const memories = new Set(
      Array.from({ length: 100 }, (_, index) => encodedText(`${index}`.padEnd(500, 'x')).buffer),
    );
    expect(memories.size).to.be.within(2, 4);
  });
});
