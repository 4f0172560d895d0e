import { expect } from 'chai';
import {
  memberOf,
  SlotAssignment,
  SLOTS,
  slotOf,
} from '../../../lib/controller/sharding/rendezvous.ts';

const slots = Array.from({ length: SLOTS }, (_, slot) => slot);
const members = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `group-${index}`);

describe('Rendezvous hashing', () => {
  it('gives each slot to one member, in any order of members', () => {
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

  it('assigns all slots at once, and again when the members change', () => {
    const assignment = new SlotAssignment();
    expect(new Set(assignment.of([]))).to.deep.equal(new Set([undefined]));
    for (const count of [3, 3, 4, 3]) {
      const all = members(count);
      const owners = assignment.of(all);
      expect(owners).to.deep.equal(slots.map((slot) => memberOf(slot, all)));
      expect(assignment.of([...all]), 'the same members').to.equal(owners);
    }
    const others = ['group-0', 'group-1', 'other'];
    expect(assignment.of(others)[0]).to.equal(memberOf(0, others));
    expect(assignment.of(others)).to.include('other').and.not.include('group-2');
  });

  it('spreads similar keys over all slots', () => {
    const used = new Set(Array.from({ length: 5000 }, (_, index) => slotOf(`shop/item-${index}`)));
    expect(used.size).to.equal(SLOTS);
  });
});
