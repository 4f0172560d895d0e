import { expect } from 'chai';
import { Expectations } from '../../../lib/controller/helpers/expectations.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

function object(name: string, uid: string, resourceVersion: string) {
  const metadata = { name, uid, resourceVersion, creationTimestamp: '2030-01-01T00:00:00Z' };
  return { apiVersion: 'v1', kind: 'Pod', metadata };
}

describe('expectations', () => {
  const runtime = new VirtualRuntime();
  const cache = new Map<string, ReturnType<typeof object>>();
  const left = (expected: Expectations): readonly string[] =>
    expected
      .pending('shop', ({ name }) => cache.get(name))
      .map(({ type, name }) => `${type} ${name}`);

  beforeEach(() => {
    cache.clear();
  });

  it('are met by the version that was written, a later one, or another object of that name', () => {
    const expected = new Expectations({ runtime });
    for (const name of ['a', 'b', 'c']) expected.written('shop', object(name, name, '100'));
    cache.set('a', object('a', 'a', '99'));
    expect(left(expected)).to.deep.equal(['written a', 'written b', 'written c']);
    cache.set('a', object('a', 'a', '100'));
    cache.set('b', object('b', 'b', '1000'));
    cache.set('c', object('c', 'new', '7'));
    expect(left(expected)).to.deep.equal([]);
    cache.clear();
    expect(left(expected)).to.deep.equal([]);
  });

  it('of a deletion are met when the object is gone, another one, or being deleted', () => {
    const expected = new Expectations({ runtime });
    cache.set('a', object('a', 'a', '5'));
    expected.written('shop', object('a', 'a', '6'));
    expected.deleted('shop', object('a', 'a', '6'));
    expect(left(expected)).to.deep.equal(['deleted a']);
    const { metadata } = object('a', 'a', '7');
    const deleting = { ...metadata, deletionTimestamp: metadata.creationTimestamp };
    cache.set('a', { ...object('a', 'a', '7'), metadata: deleting });
    expect(left(expected)).to.deep.equal([]);
  });

  it('end after their time, and those of too many keys are forgotten', async () => {
    const expected = new Expectations({ runtime, timeoutMs: 1_000, maxKeys: 2 });
    expected.written('shop', object('a', 'a', '1'));
    await runtime.advance(999);
    expect(left(expected)).to.have.length(1);
    await runtime.advance(1);
    expect(left(expected)).to.have.length(0);
    expected.written('shop', object('a', 'a', '1'));
    for (const key of ['other', 'third']) expected.written(key, object('a', 'a', '1'));
    expect(left(expected)).to.have.length(0);
    expected.written('shop', object('a', 'a', '1'));
    expected.forget('shop');
    expect(left(expected)).to.have.length(0);
  });

  it('refuse options that cannot be meant', () => {
    for (const options of [
      { maxKeys: 1.5 },
      { maxKeys: 0 },
      { timeoutMs: 0 },
      { max: 7 } as object,
    ]) {
      expect(() => new Expectations({ runtime, ...options }), JSON.stringify(options))
        .to.throw('Expectations: ')
        .with.property('code', 'INVALID_OPTION');
    }
  });
});
