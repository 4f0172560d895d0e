import { expect } from 'chai';
import { FreeSlots, slotSize } from '../../../../lib/cache/memory/slabs/free-slots.ts';

describe('FreeSlots', () => {
  it('finds a slot in which a record fits, the last one first, and each once', () => {
    const slots = new FreeSlots(() => false);
    slots.add(1, 0, slotSize(1000));
    slots.add(2, 4096, slotSize(1000));
    expect(slots.take(slotSize(1000) + 1)).to.equal(undefined);
    expect(slots.take(1000)).to.deep.equal({ slab: 2, start: 4096 });
    expect(slots.take(slotSize(1000))).to.deep.equal({ slab: 1, start: 0 });
    expect(slots.take(1000)).to.equal(undefined);
    expect(slots.count).to.equal(0);
  });

  it('gives a record no slot that is much longer', () => {
    const slots = new FreeSlots(() => false);
    slots.add(1, 0, slotSize(3000));
    expect(slots.take(2000)).to.equal(undefined);
    expect(slots.take(2900)).to.deep.equal({ slab: 1, start: 0 });
  });

  it('rounds sizes up by a few bytes, and takes no note of huge ones', () => {
    const slots = new FreeSlots(() => false);
    for (const size of [1, 31, 32, 33, 1000, 262_144]) {
      expect(slotSize(size)).to.be.within(size, size + 31);
      expect(slotSize(slotSize(size))).to.equal(slotSize(size));
      expect(slots.add(1, 0, slotSize(size))).to.equal(true);
    }
    expect(slots.add(1, 0, slotSize(262_145))).to.equal(false);
    expect(slots.count).to.equal(6);
  });

  it('finds none in a slab that is gone, and counts none', () => {
    const gone = new Set<number>();
    const slots = new FreeSlots((slab) => gone.has(slab));
    for (let slab = 0; slab < 100; slab += 1) {
      for (let place = 0; place < 50; place += 1) slots.add(slab, place * 1024, 1024);
    }
    for (let slab = 0; slab < 99; slab += 1) {
      gone.add(slab);
      slots.forget(50);
      expect(slots.count).to.equal(50 * (99 - slab));
    }
    for (let place = 49; place >= 0; place -= 1) {
      expect(slots.take(1024)).to.deep.equal({ slab: 99, start: place * 1024 });
    }
    expect(slots.take(1024)).to.equal(undefined);
    expect(slots.count).to.equal(0);
  });
});
