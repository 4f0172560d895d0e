import { expect } from 'chai';
import { RingMemory, type RingPiece } from '../../../lib/recorder/ring/ring-memory.ts';

const SLAB_BYTES = 1024 * 1024;
const HALF = SLAB_BYTES / 2;

/** Half a slab of one byte. */
const half = (byte: number): Buffer => Buffer.alloc(HALF, byte);
const isFilledWith = ({ bytes }: RingPiece, byte: number): boolean => bytes.equals(half(byte));

/** Two pieces in each of several slabs, the last of which has room for nothing more. */
function filled(memory: RingMemory, slabs: number): RingPiece[] {
  return Array.from({ length: slabs * 2 }, (_, at) => memory.copy(half(at)));
}

describe('the memory of the last minutes', () => {
  it('fills a slab again when nothing in it is in use', () => {
    const memory = new RingMemory();
    const [first, second, third] = filled(memory, 2) as [RingPiece, RingPiece, RingPiece];
    memory.release(first);
    expect(memory.copy(half(7)).slab.bytes).to.not.equal(first.slab.bytes);
    memory.release(second);
    memory.copy(half(8));
    const again = memory.copy(half(9));
    expect(again.slab.bytes).to.equal(first.slab.bytes);
    expect(isFilledWith(again, 9)).to.equal(true);
    expect(isFilledWith(third, 2)).to.equal(true);
  });

  it('does not give away the slab that it fills', () => {
    const memory = new RingMemory();
    memory.release(memory.copy(half(1)));
    const second = memory.copy(half(2));
    const third = memory.copy(half(3));
    expect(third.slab.bytes).to.not.equal(second.slab.bytes);
    expect([isFilledWith(second, 2), isFilledWith(third, 3)]).to.deep.equal([true, true]);
  });

  it('leaves pieces as they are while a reader has pinned them', () => {
    const memory = new RingMemory();
    const [first, second] = filled(memory, 2) as [RingPiece, RingPiece];
    {
      using _ = memory.pin();
      memory.release(first);
      memory.release(second);
      for (let at = 0; at < 4; at += 1) memory.copy(half(9));
      expect([isFilledWith(first, 0), isFilledWith(second, 1)]).to.deep.equal([true, true]);
    }
    const later = filled(memory, 2);
    for (const piece of later.slice(0, 2)) memory.release(piece);
    expect(memory.copy(half(5)).slab.bytes).to.equal(later[0]?.slab.bytes);
  });

  it('keeps eight slabs to be filled again, and the others not', () => {
    const memory = new RingMemory();
    const pieces = filled(memory, 12);
    const known = new Set(pieces.map(({ slab }) => slab.bytes));
    for (const piece of pieces) memory.release(piece);
    const again = filled(memory, 12).filter(({ slab }) => known.has(slab.bytes));
    expect(again).to.have.length(2 * 8);
  });

  it('takes a record that is larger than a slab, and does not keep its memory', () => {
    const memory = new RingMemory();
    const large = Buffer.alloc(SLAB_BYTES + 1, 4);
    const piece = memory.copy(large);
    expect(piece.bytes.equals(large)).to.equal(true);
    expect(piece.length).to.equal(large.length);
    memory.copy(half(1));
    memory.release(piece);
    expect(memory.copy(large).slab.bytes).to.not.equal(piece.slab.bytes);
  });
});
