import { expect } from 'chai';
import { boundedObject } from '../../../lib/inspector/objects/bounded-object.ts';

describe('boundedObject', () => {
  it('copies what is small as it is', () => {
    const value = { a: [1, null, { b: 'text' }], c: true };
    const { value: copy, note } = boundedObject(value, 1000);
    expect(JSON.stringify(copy)).to.equal(JSON.stringify(value));
    expect(note).to.equal(undefined);
  });

  it('cuts long texts, and says by how much', () => {
    const { value, note } = boundedObject({ text: 'x'.repeat(5000) }, 100_000);
    expect(JSON.stringify(value)).to.match(/x… \(1000 more characters\)"/);
    expect(note).to.equal('1 long texts are cut, by 1000 characters');
  });

  it('leaves out what comes after its budget', () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    const { value, note } = boundedObject({ items, more: 1 }, 10_000);
    expect(JSON.stringify(value).length).to.be.lessThan(20_000);
    expect(note).to.match(/^\d+ fields and items are left out$/);
  });
});
