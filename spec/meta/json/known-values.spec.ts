import { expect } from 'chai';
import { takesKnownValues, withKnownValues } from '../../../lib/meta/json/known-values.ts';

const nothing = (): undefined => undefined;

interface Source {
  readonly name: string;
}

describe('withKnownValues', () => {
  it('gives what a source makes of the known values it is given', () => {
    const source: Source = { name: 'plain' };
    const given: unknown[] = [];
    takesKnownValues(source, (knownValueOf) => {
      given.push(knownValueOf);
      return { name: 'derived' };
    });
    expect(withKnownValues(source, nothing)).to.deep.equal({ name: 'derived' });
    expect(given).to.deep.equal([nothing]);
  });

  it('leaves a source alone that has said nothing, and one that is wrapped', () => {
    const source: Source = { name: 'plain' };
    expect(withKnownValues(source, nothing)).to.equal(source);
    takesKnownValues(source, () => ({ name: 'derived' }));
    for (const wrapper of [
      { ...source },
      Object.create(source) as Source,
      new Proxy(source, { get: (target, key) => Reflect.get(target, key) as unknown }),
    ]) {
      expect(withKnownValues(wrapper, nothing)).to.equal(wrapper);
    }
  });
});
