import { expect } from 'chai';
import { asBuffer } from '../../../lib/kernel/data/as-buffer.ts';

describe('asBuffer', () => {
  it('shows the bytes of a view, not those around it', () => {
    const whole = Uint8Array.from([1, 2, 3, 4, 5]);
    const view = whole.subarray(1, 4);
    const buffer = asBuffer(view);
    expect([...buffer]).to.deep.equal([2, 3, 4]);
    view[0] = 9;
    expect(buffer[0], 'nothing is copied').to.equal(9);
  });

  it('returns a Buffer as it is', () => {
    const buffer = Buffer.from('abc');
    expect(asBuffer(buffer)).to.equal(buffer);
  });
});
