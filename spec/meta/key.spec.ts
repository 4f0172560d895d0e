import { expect } from 'chai';
import { ListwatchError } from '../../lib/kernel/failure/errors.ts';
import { randomInteger, randomText, seededRandom } from '../../lib/kernel/time/random.ts';
import {
  KeyError,
  metaNamespaceKeyFunc,
  objectKey,
  splitMetaNamespaceKey,
} from '../../lib/meta/key.ts';
import type { HasMetadata } from '../../lib/meta/object.ts';
import { DecodeCounts, UndecodedView } from '../cache/support/undecoded-view.ts';

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

  it('does not decode a view over bytes', () => {
    const counts = new DecodeCounts();
    expect(
      metaNamespaceKeyFunc(new UndecodedView({ namespace: 'shop', name: 'web' }, counts)),
    ).to.equal('shop/web');
    expect(counts).to.deep.equal({ metadata: 0, objects: 0 });
  });

  it('gives the text that a view has for all caches', () => {
    class SharedView extends UndecodedView {
      override get sharedKey(): string | undefined {
        return 'shop/web';
      }
    }
    const view = new SharedView({ namespace: 'shop', name: 'web' }, new DecodeCounts());
    expect(metaNamespaceKeyFunc(view)).to.equal('shop/web');
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

describe('KeyError', () => {
  it('keeps object and cause in reach, also when it is wrapped again', () => {
    const cause = new Error('no such field');
    const object = { kind: 'Pod' };
    const inner = new KeyError(object, 'nothing to go by', cause);
    expect(inner.message).to.equal('no key for the object: nothing to go by');
    expect(inner.cause).to.equal(cause);
    const outer = new KeyError({ kind: 'List' }, 'an item has none', inner);
    const wrapped = new Error('cannot be stored', { cause: outer });
    expect((wrapped.cause as KeyError).cause).to.equal(inner);
    expect(((wrapped.cause as KeyError).cause as KeyError).cause).to.equal(cause);
    expect(((wrapped.cause as KeyError).cause as KeyError).object).to.equal(object);
  });
});

describe('splitMetaNamespaceKey', () => {
  it('undoes objectKey for any two names without a slash', () => {
    const runtime = { random: seededRandom(5) };
    const alphabet = 'abz019-._ é%:\\';
    for (let round = 0; round < 500; round += 1) {
      const namespace = randomText(runtime, randomInteger(runtime, 0, 4), alphabet);
      const name = randomText(runtime, randomInteger(runtime, 0, 4), alphabet);
      const key = objectKey({ namespace, name });
      expect(splitMetaNamespaceKey(key)).to.deep.equal({ namespace, name });
      expect(objectKey(splitMetaNamespaceKey(key))).to.equal(key);
    }
  });

  it('takes a leading slash for an empty namespace, which is not written again', () => {
    expect(objectKey(splitMetaNamespaceKey('/web'))).to.equal('web');
  });

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
        .to.throw(ListwatchError, 'expected name or namespace/name')
        .with.property('code', 'KEY');
    }
  });
});
