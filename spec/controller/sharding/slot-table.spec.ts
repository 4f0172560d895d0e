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
    const table = Array.from(
      { length: SLOTS },
      (_, slot) => [undefined, 'group-a', 'group-b'][slot % 3],
    );
    expect(decodeTable(encodeTable(table), 'x')).to.deep.equal(table);
    expect(decodeTable(encodeTable(EMPTY_TABLE), 'x')).to.deep.equal(EMPTY_TABLE);
  });

  it('fits into an annotation many times', () => {
    const table = Array.from({ length: SLOTS }, (_, slot) => `a-long-name-of-a-group-${slot % 10}`);
    expect(encodeTable(table).length).to.be.below(2000);
  });

  for (const text of [undefined, '', 'null', '{}', '{"members":[],"slots":[1]}', '[']) {
    it(`is refused when it is ${text ?? 'missing'}, in one line that names the remedy`, () => {
      try {
        decodeTable(text, 'default/group');
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
