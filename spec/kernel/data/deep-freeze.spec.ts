import { expect } from 'chai';
import { deepFreeze } from '../../../lib/kernel/data/deep-freeze.ts';

describe('deepFreeze', () => {
  it('makes a modification of the object throw on its line, at any depth', () => {
    const object = deepFreeze({ metadata: { labels: { app: 'web' } }, items: [{ name: 'a' }] });
    const modifications = [
      () => Object.assign(object, { kind: 'Pod' }),
      () => Object.assign(object.metadata.labels, { app: 'db' }),
      () => object.items.push({ name: 'b' }),
      () => object.items.pop(),
      () => Object.assign(object.items[0]!, { name: 'b' }),
      () => Reflect.deleteProperty(object.metadata, 'labels') || fail(),
    ];
    for (const modify of modifications) expect(modify).to.throw(TypeError);
    expect(object).to.deep.equal({ metadata: { labels: { app: 'web' } }, items: [{ name: 'a' }] });
  });

  it('copes with cycles and shared parts', () => {
    const shared = { a: 1 };
    const cyclic: { shared: unknown; again: unknown; self?: unknown } = { shared, again: shared };
    cyclic.self = cyclic;
    deepFreeze(cyclic);
    expect([cyclic, shared].every((object) => Object.isFrozen(object))).to.equal(true);
  });

  it('leaves binary data and accessors alone', () => {
    let ran = 0;
    const object = {
      data: Buffer.from('abc'),
      numbers: new Uint8Array(2),
      get lazy(): object {
        ran += 1;
        return {};
      },
    };
    deepFreeze(object);
    expect(Object.isFrozen(object)).to.equal(true);
    object.numbers[0] = 7;
    expect(object.numbers[0]).to.equal(7);
    expect(ran).to.equal(0);
  });

  it('gives back what cannot be frozen as it is', () => {
    for (const value of [undefined, null, 'text', 5]) expect(deepFreeze(value)).to.equal(value);
  });

  it('does not run out of stack on an absurdly deep object', () => {
    let object: { below?: object } = {};
    const bottom = object;
    for (let depth = 0; depth < 100_000; depth += 1) object = { below: object };
    expect(deepFreeze(object)).to.equal(object);
    expect(Object.isFrozen(object)).to.equal(true);
    expect(Object.isFrozen(bottom)).to.equal(false);
  });
});

function fail(): never {
  throw new TypeError('a frozen property is not deleted');
}
