import { expect } from 'chai';
import { DataKeyCache, hashOf } from '../../../../lib/server/storage/encryption/data-key-cache.ts';

interface Key {
  readonly name: string;
}

describe('DataKeyCache', () => {
  it('unwraps a key once for all concurrent reads, and keeps it', async () => {
    const cache = new DataKeyCache<Key>(2);
    let unwrapped = 0;
    const unwrap = async (): Promise<Key> => {
      unwrapped += 1;
      return { name: 'a' };
    };
    const keys = await Promise.all([cache.load('a', unwrap), cache.load('a', unwrap)]);
    expect(keys[0]).to.equal(keys[1]);
    expect(cache.get('a')).to.equal(keys[0]);
    expect(unwrapped).to.equal(1);
  });

  it('does not remember failures', async () => {
    const cache = new DataKeyCache<Key>(2);
    const failed = await cache
      .load('a', () => Promise.reject(new Error('no')))
      .catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error);
    expect((await cache.load('a', async () => ({ name: 'a' }))).name).to.equal('a');
  });

  it('forgets the key that was not used for longest, and with size 0 all', () => {
    const cache = new DataKeyCache<Key>(2);
    for (const name of ['a', 'b']) cache.keep(name, { name });
    cache.get('a');
    cache.keep('c', { name: 'c' });
    expect(['a', 'b', 'c'].map((name) => cache.get(name)?.name)).to.deep.equal([
      'a',
      undefined,
      'c',
    ]);
    const none = new DataKeyCache<Key>(0);
    none.keep('a', { name: 'a' });
    expect(none.get('a')).to.equal(undefined);
  });

  it('distinguishes lists of parts that are alike when joined', () => {
    const hashes = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', '']].map((parts) =>
      hashOf(parts.map((part) => Buffer.from(part))),
    );
    expect(new Set(hashes).size).to.equal(4);
  });
});
