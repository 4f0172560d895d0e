import { expect } from 'chai';
import {
  keyNamespaceIndexFunc,
  metaNamespaceIndexFunc,
  NAMESPACE_INDEX,
} from '../../../lib/cache/store/indexers.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { metaNamespaceKeyFunc } from '../../../lib/meta/key.ts';
import type { HasMetadata } from '../../../lib/meta/object.ts';
import { pod } from '../support/objects.ts';

describe('the index by namespace', () => {
  it('is the same when it is computed from the key, and does not look at stored objects', () => {
    const named = [pod('shop/a'), pod('a/b'), pod('/node'), pod('x/a'), pod('x/b')];
    const byObject = new ThreadSafeStore<HasMetadata>({
      indexers: { [NAMESPACE_INDEX]: metaNamespaceIndexFunc },
    });
    const byKey = new ThreadSafeStore<HasMetadata>({
      indexers: { [NAMESPACE_INDEX]: keyNamespaceIndexFunc },
    });
    for (const object of named) {
      const key = metaNamespaceKeyFunc(object);
      byObject.add(key, object);
      byKey.add(key, {});
    }
    const values = byObject.indexValues(NAMESPACE_INDEX);
    expect(values).to.have.members(['shop', 'a', '', 'x']);
    expect(byKey.indexValues(NAMESPACE_INDEX)).to.have.members(values);
    for (const value of values) {
      const keys = byObject.indexKeys(NAMESPACE_INDEX, value);
      expect(byKey.indexKeys(NAMESPACE_INDEX, value)).to.deep.equal(keys);
    }
    expect(byKey.index(NAMESPACE_INDEX, pod('x/any'))).to.have.length(2);
  });
});
