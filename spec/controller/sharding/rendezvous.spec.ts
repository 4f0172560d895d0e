import { expect } from 'chai';
import { memberOf, SLOTS, slotOf } from '../../../lib/controller/sharding/rendezvous.ts';

const slots = Array.from({ length: SLOTS }, (_, slot) => slot);
const members = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `group-${index}`);

describe('Rendezvous hashing', () => {
  it('gives each slot to one member, whatever the order of the members', () => {
    const all = members(5);
    for (const slot of slots) {
      expect(memberOf(slot, all)).to.equal(memberOf(slot, all.toReversed()));
    }
    expect(memberOf(1, [])).to.equal(undefined);
  });

  it('divides the slots evenly: none of ten members has more than twice its share', () => {
    for (const count of [2, 3, 5, 10]) {
      const all = members(count);
      for (const member of all) {
        const share = slots.filter((slot) => memberOf(slot, all) === member).length;
        expect(share, `${member} of ${count}`).to.be.within(SLOTS / count / 2, (SLOTS / count) * 2);
      }
    }
  });

  it('moves only the slots of a member that goes, and only those that a new one gets', () => {
    const all = members(6);
    const less = all.slice(0, 5);
    for (const slot of slots) {
      const before = memberOf(slot, all);
      if (before !== 'group-5') expect(memberOf(slot, less)).to.equal(before);
    }
  });

  it('spreads similar keys over all slots', () => {
    const used = new Set(Array.from({ length: 5000 }, (_, index) => slotOf(`shop/item-${index}`)));
    expect(used.size).to.equal(SLOTS);
  });
});
