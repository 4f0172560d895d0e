import { expect } from 'chai';
import { collectionKey, objectKey } from '../../../../lib/server/registry/writes/store-parts.ts';
import type { StoreParts } from '../../../../lib/server/registry/writes/store-parts.ts';
import { kindNamed } from '../support/kind-named.ts';

const partsOf = (kind: string): StoreParts => ({ kind: kindNamed(kind) }) as unknown as StoreParts;

describe('the key of an object', () => {
  it('has the namespace of a kind in namespaces, and no other', () => {
    expect(objectKey(partsOf('configmaps'), 'shop', 'a')).to.equal('/registry/configmaps/shop/a');
    expect(objectKey(partsOf('nodes'), '', 'a')).to.match(/\/a$/);
    expect(objectKey(partsOf('nodes'), 'shop', 'a')).to.equal(objectKey(partsOf('nodes'), '', 'a'));
    expect(collectionKey(partsOf('configmaps'), '')).to.equal('/registry/configmaps/');
    expect(collectionKey(partsOf('configmaps'), 'shop')).to.equal('/registry/configmaps/shop/');
  });

  it('needs a name that is one segment of a path, and a namespace', () => {
    const key = (namespace: string, name: string): (() => string) => {
      return () => objectKey(partsOf('configmaps'), namespace, name);
    };
    expect(key('shop', '')).to.throw('name is required');
    for (const name of ['.', '..', 'a/b', 'a%b']) {
      expect(key('shop', name), name).to.throw('Name parameter invalid');
      expect(key(name, 'a'), name).to.throw('invalid namespace');
    }
    expect(key('', 'a')).to.throw(
      'an empty namespace may not be set when a resource name is provided',
    );
  });
});
