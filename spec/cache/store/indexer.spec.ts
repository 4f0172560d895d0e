import { expect } from 'chai';
import { Indexer } from '../../../lib/cache/store/indexer.ts';
import { KeyError } from '../../../lib/meta/key.ts';
import { codeOf, pod, type Pod } from '../support/objects.ts';

describe('Indexer', () => {
  it('computes keys by namespace and name', () => {
    const indexer = new Indexer<Pod>();
    const a = pod('a');
    indexer.add(a);
    indexer.update(pod('other/b'));
    expect(indexer.keys()).to.deep.equal(['shop/a', 'other/b']);
    expect(indexer.stored(pod('a'))).to.equal(a);
    expect(indexer.delete(pod('a'))).to.equal(a);
    expect(indexer.deleteKey('other/b')?.metadata.name).to.equal('b');
    expect(indexer.size).to.equal(0);
  });

  it('takes another KeyFunc', () => {
    const indexer = new Indexer<Pod>({ keyFunc: ({ metadata }) => metadata?.uid ?? '' });
    indexer.add(pod('a', { uid: 'u1' }));
    expect(indexer.get('u1')?.metadata.name).to.equal('a');
    expect(codeOf(() => indexer.add(pod('b')))).to.equal('KEY');
  });

  it('throws a KeyError with object and cause, and changes nothing', () => {
    const cause = new Error('boom');
    const indexer = new Indexer<Pod>({
      keyFunc: () => {
        throw cause;
      },
    });
    const object = pod('a');
    const calls = [
      () => indexer.add(object),
      () => indexer.delete(object),
      () => indexer.stored(object),
      () => indexer.replace([object], '5'),
    ];
    for (const call of calls) {
      try {
        call();
        expect.fail('expected an error');
      } catch (error) {
        expect(error).to.be.instanceOf(KeyError);
        expect(error).to.include({ code: 'KEY', object, cause });
      }
    }
    expect(indexer.size).to.equal(0);
    expect(indexer.resourceVersion).to.equal('');
  });

  it('replaces nothing when one object has no key', () => {
    const indexer = new Indexer<Pod>();
    indexer.add(pod('a'));
    const nameless = { metadata: {} } as Pod;
    expect(codeOf(() => indexer.replace([pod('b'), nameless], '5'))).to.equal('KEY');
    expect(indexer.keys()).to.deep.equal(['shop/a']);
  });

  it('applies the writes of a transaction that have a key, and says which have none', () => {
    const indexer = new Indexer<Pod>();
    indexer.add(pod('gone'));
    const nameless = { metadata: {} } as Pod;
    const rejected = indexer.transaction([
      { type: 'set', object: pod('a', { resourceVersion: '7' }) },
      { type: 'set', object: nameless },
      { type: 'delete', object: pod('gone', { resourceVersion: '8' }) },
    ]);
    expect(rejected.map(({ position, error }) => [position, error.code])).to.deep.equal([
      [1, 'KEY'],
    ]);
    expect(indexer.keys()).to.deep.equal(['shop/a']);
    expect(indexer.resourceVersion).to.equal('8');
  });

  it('carries the resource version of the last write of a transaction that has one', () => {
    const indexer = new Indexer<Pod>();
    indexer.transaction([
      { type: 'set', object: pod('a', { resourceVersion: '9' }) },
      { type: 'set', object: pod('b', { resourceVersion: '3' }) },
      { type: 'delete', object: pod('a') },
    ]);
    expect(indexer.resourceVersion).to.equal('3');
    indexer.transaction([{ type: 'delete', object: pod('b') }]);
    expect(indexer.resourceVersion).to.equal('3');
  });

  it('answers all questions of a store', () => {
    const byNode = ({ spec }: Pod): string[] => [spec?.nodeName ?? ''];
    const indexer = new Indexer<Pod>({ indexers: { byNode } });
    indexer.replace([pod('a', { nodeName: 'n1' }), pod('b', { nodeName: 'n2' })], '3');
    indexer.addIndexers({ byName: ({ metadata }) => [metadata.name!] });
    indexer.bookmark('4');
    expect(indexer.indexNames).to.deep.equal(['byNode', 'byName']);
    expect(indexer.byIndex('byName', 'a')).to.have.length(1);
    expect(indexer.index('byNode', pod('x', { nodeName: 'n2' }))).to.have.length(1);
    expect(indexer.indexKeys('byNode', 'n1')).to.deep.equal(['shop/a']);
    expect(indexer.indexValues('byNode')).to.deep.equal(['n1', 'n2']);
    expect(indexer.list()).to.have.length(2);
    expect(indexer.has('shop/b')).to.equal(true);
    expect(indexer.resourceVersion).to.equal('4');
  });
});
