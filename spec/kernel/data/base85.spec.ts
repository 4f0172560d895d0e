import { expect } from 'chai';
import { bytesOfBase85 } from '../../../lib/kernel/data/base85.ts';
import { base85Text } from '../../tables/base85-text.ts';

describe('bytesOfBase85', () => {
  it('reads the example of ZeroMQ RFC 32', () => {
    const bytes = [0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b];
    expect([...bytesOfBase85('HelloWorld')]).to.deep.equal(bytes);
    expect(base85Text(Buffer.from(bytes))).to.equal('HelloWorld');
  });

  it('reads bytes of every length and value', () => {
    for (const fill of [0, 1, 127, 128, 254, 255]) {
      for (let length = 0; length < 13; length += 1) {
        const bytes = Buffer.alloc(length, fill);
        const text = base85Text(bytes);
        expect(text).to.have.length(Math.ceil((length * 5) / 4));
        expect(bytesOfBase85(text).equals(bytes)).to.equal(true);
      }
    }
  });
});
