import { expect } from 'chai';
import { ListwatchError } from '../../lib/kernel/errors.ts';
import {
  KeyError,
  metaNamespaceKeyFunc,
  objectKey,
  splitMetaNamespaceKey,
} from '../../lib/meta/key.ts';
import type { HasMetadata } from '../../lib/meta/object.ts';

describe('metaNamespaceKeyFunc', () => {
  it('joins namespace and name, or gives the name alone', () => {
    expect(metaNamespaceKeyFunc({ metadata: { namespace: 'shop', name: 'web' } })).to.equal(
      'shop/web',
    );
    expect(metaNamespaceKeyFunc({ metadata: { name: 'node-1' } })).to.equal('node-1');
    expect(metaNamespaceKeyFunc({ metadata: { namespace: '', name: 'node-1' } })).to.equal(
      'node-1',
    );
  });

  it('keeps names apart that look like something else', () => {
    for (const name of ['__proto__', 'constructor', 'a.b', 'ä']) {
      expect(metaNamespaceKeyFunc({ metadata: { name } })).to.equal(name);
    }
  });

  it('says what is missing, and carries the object', () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [undefined, 'no metadata'],
      [null, 'no metadata'],
      ['text', 'no metadata'],
      [{}, 'no metadata'],
      [{ metadata: null }, 'no metadata'],
      [{ metadata: 'x' }, 'no metadata'],
      [{ metadata: {} }, 'no metadata.name'],
      [{ metadata: { name: '' } }, 'no metadata.name'],
      [{ metadata: { name: 5 } }, 'no metadata.name'],
    ];
    for (const [object, reason] of cases) {
      expect(() => metaNamespaceKeyFunc(object as HasMetadata))
        .to.throw(KeyError, reason)
        .with.property('object', object);
    }
  });
});

describe('splitMetaNamespaceKey', () => {
  it('takes a key apart, and objectKey puts it together again', () => {
    for (const key of ['shop/web', 'node-1', '']) {
      expect(objectKey(splitMetaNamespaceKey(key))).to.equal(key);
    }
    expect(splitMetaNamespaceKey('shop/web')).to.deep.equal({ namespace: 'shop', name: 'web' });
    expect(splitMetaNamespaceKey('')).to.deep.equal({ namespace: '', name: '' });
    expect(splitMetaNamespaceKey('/web')).to.deep.equal({ namespace: '', name: 'web' });
  });

  it('refuses more than one slash', () => {
    for (const key of ['a/b/c', '//', 'a//b']) {
      expect(() => splitMetaNamespaceKey(key))
        .to.throw(ListwatchError, 'is not of the form')
        .with.property('code', 'KEY');
    }
  });
});
