import { expect } from 'chai';
import {
  fieldsOf,
  mapEntryOf,
  mapFields,
  textOf,
} from '../../../../lib/server/storage/encryption/message-fields.ts';

describe('textOf', () => {
  it('keeps a byte order mark, as Go does', () => {
    expect(textOf(Buffer.from('\ufeffkek'))).to.equal('\ufeffkek');
  });

  it('refuses what is not UTF-8', () => {
    expect(() => textOf(Buffer.of(0xff))).to.throw();
  });
});

describe('a map in a message', () => {
  it('has an entry for each pair', () => {
    const [one, ...more] = mapFields(4, [['zone', Buffer.from('eu')]]);
    expect(more).to.deep.equal([]);
    const [entry] = fieldsOf(one ?? Buffer.of());
    expect(entry?.field).to.equal(4);
    const [name, value] = mapEntryOf(entry?.bytes ?? Buffer.of());
    expect([name, Buffer.from(value).toString()]).to.deep.equal(['zone', 'eu']);
  });
});
