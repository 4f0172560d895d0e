import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { SLOTS } from '../../../lib/controller/sharding/rendezvous.ts';
import {
  decodeTable,
  EMPTY_TABLE,
  encodeTable,
} from '../../../lib/controller/sharding/slot-table.ts';

describe('The table of slots', () => {
  it('is read as it was written', () => {
    const owners = Array.from(
      { length: SLOTS },
      (_, slot) => [undefined, 'group-a', 'group-b'][slot % 3],
    );
    const table = { change: 7, owners };
    expect(decodeTable(encodeTable(table), 'x')).to.deep.equal(table);
    expect(decodeTable(encodeTable(EMPTY_TABLE), 'x')).to.deep.equal(EMPTY_TABLE);
  });

  it('fits into an annotation many times', () => {
    const owners = Array.from(
      { length: SLOTS },
      (_, slot) => `a-long-name-of-a-group-${slot % 10}`,
    );
    expect(encodeTable({ change: 1_000_000, owners }).length).to.be.below(2000);
  });

  const slots = (first: unknown): readonly unknown[] => [
    first,
    ...EMPTY_TABLE.owners.slice(1).map(() => -1),
  ];
  const text = (fields: object): string =>
    JSON.stringify({ format: 1, change: 3, members: ['group-a'], slots: slots(0), ...fields });

  it('of another version is refused, in one line that names the remedy', () => {
    expect(() => decodeTable(text({ format: 2 }), 'default/group')).to.throw(
      /^[^\n]*default\/group has a table of slots of format 2, and this version [^\n]* stop them first, or use another name$/,
    );
  });

  it('is read with a member that the specs of bad ones have too', () => {
    expect(decodeTable(text({}), 'x')).to.deep.include({ change: 3 });
  });

  const BAD: Readonly<Record<string, string | undefined>> = {
    missing: undefined,
    empty: '',
    null: 'null',
    'an empty object': '{}',
    'one of too few slots': text({ slots: [1] }),
    'cut off': '[',
    'one with a slot of a member that it does not name': text({ slots: slots(1) }),
    'one with a slot that is no number': text({ slots: slots('0') }),
    'one with a slot of a negative member': text({ slots: slots(-2) }),
    'one with a member that is no name': text({ members: [7] }),
    'one without a count of changes': text({ change: undefined }),
  };
  for (const [what, bad] of Object.entries(BAD)) {
    it(`is refused when it is ${what}, in one line that names the remedy`, () => {
      try {
        decodeTable(bad, 'default/group');
        expect.fail('it was read');
      } catch (error) {
        expect(isListwatchError(error, 'LEASE_INVALID')).to.equal(true);
        expect(String(error)).to.match(
          /^[^\n]*default\/group has no table of slots[^\n]*use another name, or delete it when no replica runs$/,
        );
      }
    });
  }
});
