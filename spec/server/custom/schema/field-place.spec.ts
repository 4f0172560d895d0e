import { expect } from 'chai';
import { FieldPlace } from '../../../../lib/server/custom/schema/field-place.ts';

describe('FieldPlace', () => {
  it('is the root until a step is made, and after the last is taken back', () => {
    const place = new FieldPlace();
    expect([place.isRoot, place.name]).to.deep.equal([true, '']);
    place.enter('spec');
    expect([place.isRoot, place.name]).to.deep.equal([false, 'spec']);
    place.enter('items');
    place.enter(0);
    place.enter('name');
    expect(place.name).to.equal('spec.items[0].name');
    for (let step = 0; step < 4; step += 1) place.leave();
    expect([place.isRoot, place.name]).to.deep.equal([true, '']);
  });

  it('names the field of a cause below its root, which is nil where there is none', () => {
    const plain = new FieldPlace();
    const below = new FieldPlace('spec.schema');
    const rows: readonly (readonly [name: string, plain: string, below: string])[] = [
      ['', '<nil>', 'spec.schema'],
      ['.', '<nil>', 'spec.schema'],
      ['a', 'a', 'spec.schema.a'],
      ['.a', 'a', 'spec.schema.a'],
    ];
    for (const [name, one, other] of rows) {
      expect([plain.fieldOf(name), below.fieldOf(name)]).to.deep.equal([one, other]);
    }
    expect([plain.nowhere, below.nowhere]).to.deep.equal(['<nil>', 'spec.schema']);
  });
});
