import { expect } from 'chai';
import {
  metadataIndexFunc,
  metaNamespaceIndexFunc,
  NAMESPACE_INDEX,
  type IndexFunctionError,
  type Indexers,
} from '../../../lib/cache/store/indexers.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { codeOf, pod, type Pod } from '../support/objects.ts';

const byNode = ({ spec }: Pod): string[] => (spec?.nodeName === undefined ? [] : [spec.nodeName]);
const byLabelValue = metadataIndexFunc(({ labels }) => Object.values(labels ?? {}));
const indexers: Indexers<Pod> = { byNode, byLabelValue };

function names(pods: readonly Pod[]): string[] {
  return pods.map(({ metadata }) => metadata.name!).toSorted();
}

describe('ThreadSafeStore', () => {
  it('adds, replaces, gets, lists and deletes by key', () => {
    const store = new ThreadSafeStore<Pod>();
    const [a, newA] = [pod('a'), pod('a')];
    store.add('shop/a', a);
    store.add('shop/b', pod('b'));
    expect(store.get('shop/a')).to.equal(a);
    store.update('shop/a', newA);
    expect(store.get('shop/a')).to.equal(newA);
    expect(store.size).to.equal(2);
    expect(store.keys()).to.have.members(['shop/a', 'shop/b']);
    expect(names(store.list())).to.deep.equal(['a', 'b']);
    expect(store.delete('shop/a')).to.equal(newA);
    expect(store.delete('shop/a')).to.equal(undefined);
    expect(store.has('shop/a')).to.equal(false);
    expect(names(store.list())).to.deep.equal(['b']);
  });

  it('takes any string for a key or an index value', () => {
    const store = new ThreadSafeStore<Pod>({ indexers });
    for (const hostile of ['__proto__', 'constructor', 'hasOwnProperty', '']) {
      store.add(hostile, pod('x', { nodeName: hostile }));
      expect(names(store.byIndex('byNode', hostile))).to.deep.equal(['x']);
      expect(store.has(hostile)).to.equal(true);
    }
    expect(store.get('toString')).to.equal(undefined);
    expect(store.byIndex('byNode', 'toString')).to.deep.equal([]);
    expect(codeOf(() => store.byIndex('__proto__', 'x'))).to.equal('UNKNOWN_INDEX');
  });

  describe('indexes', () => {
    it('follows an object through add, update and delete, with several values', () => {
      const store = new ThreadSafeStore<Pod>({ indexers });
      store.add('a', pod('a', { labels: { x: 'red', y: 'blue' } }));
      store.add('b', pod('b', { labels: { x: 'red' } }));
      expect(store.indexKeys('byLabelValue', 'red')).to.deep.equal(['a', 'b']);
      store.update('a', pod('a', { labels: { x: 'blue', y: 'green' } }));
      expect(store.indexKeys('byLabelValue', 'red')).to.deep.equal(['b']);
      expect(store.indexKeys('byLabelValue', 'green')).to.deep.equal(['a']);
      store.delete('a');
      expect(store.indexKeys('byLabelValue', 'blue')).to.deep.equal([]);
      expect(names(store.byIndex('byLabelValue', 'red'))).to.deep.equal(['b']);
    });

    it('keeps the value that a lone object has before and after', () => {
      const store = new ThreadSafeStore<Pod>({ indexers });
      store.add('a', pod('a', { labels: { x: 'red', y: 'blue' } }));
      store.update('a', pod('a', { labels: { x: 'red', y: 'green' } }));
      expect(store.indexKeys('byLabelValue', 'red')).to.deep.equal(['a']);
      expect(store.indexValues('byLabelValue')).to.have.members(['red', 'green']);
    });

    it('keeps no value without an object', () => {
      const store = new ThreadSafeStore<Pod>({ indexers });
      store.add('a', pod('a', { nodeName: 'n1' }));
      store.add('b', pod('b', { nodeName: 'n1' }));
      store.delete('a');
      expect(store.indexValues('byNode')).to.deep.equal(['n1']);
      store.update('b', pod('b', { nodeName: 'n2' }));
      expect(store.indexValues('byNode')).to.deep.equal(['n2']);
      store.delete('b');
      expect(store.indexValues('byNode')).to.deep.equal([]);
    });

    it('leaves no stale entry of an object that was mutated after it was stored', () => {
      const store = new ThreadSafeStore<Pod>({ indexers });
      const mutable = { metadata: { name: 'a' }, spec: { nodeName: 'n1' } };
      store.add('a', mutable);
      mutable.spec.nodeName = 'n2';
      store.update('a', pod('a', { nodeName: 'n3' }));
      expect(store.indexValues('byNode')).to.deep.equal(['n3']);
    });

    it('does not keep the array that an index function reuses', () => {
      const reused: string[] = [];
      const store = new ThreadSafeStore<Pod>({
        indexers: {
          reusing: ({ metadata }) => {
            reused.length = 0;
            reused.push(metadata.name!, 'all');
            return reused;
          },
        },
      });
      store.add('a', pod('a'));
      store.add('b', pod('b'));
      store.delete('a');
      expect(store.indexValues('reusing')).to.have.members(['b', 'all']);
      expect(store.indexKeys('reusing', 'all')).to.deep.equal(['b']);
    });

    it('files an object once under a value that is given twice', () => {
      const store = new ThreadSafeStore<Pod>({ indexers: { twice: () => ['x', 'x'] } });
      store.add('a', pod('a'));
      expect(store.byIndex('twice', 'x')).to.have.length(1);
      store.delete('a');
      expect(store.indexValues('twice')).to.deep.equal([]);
    });

    it('gives the same frozen array until something under the value changes', () => {
      const store = new ThreadSafeStore<Pod>({ indexers });
      store.add('a', pod('a', { nodeName: 'n1' }));
      const before = store.byIndex('byNode', 'n1');
      store.add('b', pod('b', { nodeName: 'n2' }));
      expect(store.byIndex('byNode', 'n1')).to.equal(before);
      expect(Object.isFrozen(before)).to.equal(true);
      store.update('a', pod('a', { nodeName: 'n1', labels: { new: 'yes' } }));
      expect(store.byIndex('byNode', 'n1')).not.to.equal(before);
      expect(store.byIndex('byNode', 'n1')[0]?.metadata.labels).to.deep.equal({ new: 'yes' });
      expect(before[0]?.metadata.labels).to.equal(undefined);
    });

    it('finds the objects that share a value with a probe, each once', () => {
      const store = new ThreadSafeStore<Pod>({ indexers });
      store.add('a', pod('a', { labels: { x: 'red', y: 'blue' } }));
      store.add('b', pod('b', { labels: { x: 'blue' } }));
      store.add('c', pod('c', { labels: { x: 'green' } }));
      const probe = pod('p', { labels: { x: 'red', y: 'blue' } });
      expect(names(store.index('byLabelValue', probe))).to.deep.equal(['a', 'b']);
      expect(store.index('byLabelValue', pod('p'))).to.deep.equal([]);
    });

    it('says which indexes there are when asked for another one', () => {
      const store = new ThreadSafeStore<Pod>({ indexers });
      for (const call of [
        () => store.byIndex('nope', 'x'),
        () => store.index('nope', pod('x')),
        () => store.indexKeys('nope', 'x'),
        () => store.indexValues('nope'),
      ]) {
        expect(call).to.throw('there is no index "nope"; known are: byNode, byLabelValue');
        expect(codeOf(call)).to.equal('UNKNOWN_INDEX');
      }
    });

    it('adds indexes over what is stored, all or none', () => {
      const store = new ThreadSafeStore<Pod>();
      store.add('a', pod('a', { nodeName: 'n1' }));
      store.addIndexers({ byNode });
      expect(names(store.byIndex('byNode', 'n1'))).to.deep.equal(['a']);
      const conflict = (): void => store.addIndexers({ other: byNode, byNode });
      expect(codeOf(conflict)).to.equal('INDEX_CONFLICT');
      expect(store.indexNames).to.deep.equal(['byNode']);
    });
  });

  describe('removed indexes', () => {
    it('are gone, and the others go on as before', () => {
      const store = new ThreadSafeStore<Pod>({ indexers: { first: () => ['x'], ...indexers } });
      store.add('a', pod('a', { nodeName: 'n1', labels: { x: 'red' } }));
      store.removeIndexers(['byNode']);
      expect(store.indexNames).to.deep.equal(['first', 'byLabelValue']);
      expect(codeOf(() => store.byIndex('byNode', 'n1'))).to.equal('UNKNOWN_INDEX');
      store.update('a', pod('a', { nodeName: 'n2', labels: { x: 'blue' } }));
      expect(store.indexValues('byLabelValue')).to.deep.equal(['blue']);
      expect(store.indexValuesOf('first', 'a')).to.deep.equal(['x']);
      expect(store.indexValuesOf('byLabelValue', 'missing')).to.deep.equal([]);
      store.delete('a');
      expect(store.indexValues('byLabelValue')).to.deep.equal([]);
    });

    it('leave their name to a new one', () => {
      const store = new ThreadSafeStore<Pod>({ indexers });
      store.add('a', pod('a', { nodeName: 'n1', labels: { x: 'red' } }));
      store.removeIndexers(['byNode', 'byLabelValue']);
      store.addIndexers({ byNode: ({ metadata }) => [metadata.name!] });
      expect(store.indexKeys('byNode', 'a')).to.deep.equal(['a']);
      expect(Object.keys(store.indexers)).to.deep.equal(['byNode']);
    });

    it('all exist, or none is removed', () => {
      const store = new ThreadSafeStore<Pod>({ indexers });
      expect(codeOf(() => store.removeIndexers(['byNode', 'nope']))).to.equal('UNKNOWN_INDEX');
      expect(store.indexNames).to.deep.equal(['byNode', 'byLabelValue']);
    });
  });

  it('adds up the sizes of what it holds, as they were when it was stored', () => {
    const sized = (name: string, sizeBytes: unknown): Pod =>
      Object.assign(pod(name), { sizeBytes }) as Pod;
    const store = new ThreadSafeStore<Pod>({ indexers });
    const growing = sized('a', 100);
    store.add('a', growing);
    store.add('b', sized('b', 50));
    store.add('c', pod('c'));
    store.add('d', sized('d', 'big'));
    expect(store.bytes).to.equal(150);
    Object.assign(growing, { sizeBytes: 999 });
    store.update('a', sized('a', 70));
    expect(store.bytes).to.equal(120);
    store.delete('b');
    store.delete('b');
    expect(store.bytes).to.equal(70);
    const transaction = store.begin();
    transaction.set('a', sized('a', 10));
    transaction.delete('c');
    store.commit(transaction, '');
    expect(store.bytes).to.equal(10);
    store.replace([['x', sized('x', 5)]], '1');
    expect(store.bytes).to.equal(5);
    store.replace([], '2');
    expect(store.bytes).to.equal(0);
  });

  describe('index functions that fail', () => {
    const failing = {
      throwing: (): string[] => {
        throw new Error('no node');
      },
      text: (() => 'n1') as unknown as () => string[],
      nothing: (() => undefined) as unknown as () => string[],
      numbers: (() => [1]) as unknown as () => string[],
      promise: (() => Promise.reject(new Error('late'))) as unknown as () => string[],
    };

    for (const [name, indexFunc] of Object.entries(failing)) {
      it(`stores the object without a value in that index, and reports it (${name})`, () => {
        const errors: IndexFunctionError[] = [];
        const store = new ThreadSafeStore<Pod>({
          indexers: { [name]: indexFunc, byNode },
          onError: (error) => errors.push(error),
        });
        store.add('shop/a', pod('a', { nodeName: 'n1' }));
        expect(store.has('shop/a')).to.equal(true);
        expect(store.indexValues(name)).to.deep.equal([]);
        expect(names(store.byIndex('byNode', 'n1'))).to.deep.equal(['a']);
        store.delete('shop/a');
        store.replace([], '1');
        expect(errors).to.have.length(1);
        expect(errors[0]).to.include({ code: 'INDEX_FUNCTION', index: name, key: 'shop/a' });
        expect(errors[0]?.message).to.include(`index "${name}"`).and.include('"shop/a"');
      });
    }

    it('takes the object out of the index when its new state fails', () => {
      const store = new ThreadSafeStore<Pod>({
        indexers: { strict: ({ spec }) => [spec!.nodeName!] },
        onError: () => {},
      });
      store.add('a', pod('a', { nodeName: 'n1' }));
      store.update('a', pod('a'));
      expect(store.has('a')).to.equal(true);
      expect(store.indexValues('strict')).to.deep.equal([]);
    });

    it('throws the first failure after the write took effect when there is no error hook', () => {
      const store = new ThreadSafeStore<Pod>({ indexers: { throwing: failing.throwing } });
      expect(codeOf(() => store.add('a', pod('a')))).to.equal('INDEX_FUNCTION');
      expect(store.has('a')).to.equal(true);
      const replace = (): void => store.replace([['b', pod('b')]], '7');
      expect(codeOf(replace)).to.equal('INDEX_FUNCTION');
      expect(store.keys()).to.deep.equal(['b']);
      expect(store.resourceVersion).to.equal('7');
    });

    it('has run all index functions before anything changes', () => {
      const seen: (Pod | undefined)[] = [];
      const before = pod('a', { nodeName: 'n1' });
      const store: ThreadSafeStore<Pod> = new ThreadSafeStore<Pod>({
        indexers: {
          byNode,
          looking: ({ metadata }) => {
            seen.push(store.get(metadata.name!));
            return [];
          },
        },
      });
      store.add('a', before);
      store.update('a', pod('a', { nodeName: 'n2' }));
      expect(seen).to.deep.equal([undefined, before]);
      const after = store.get('a');
      seen.length = 0;
      const transaction = store.begin();
      transaction.delete('a');
      transaction.set('a', pod('a'));
      store.commit(transaction, '');
      store.replace([['a', before]], '1');
      expect(seen[0]).to.equal(after);
      expect(seen[1]?.spec).to.equal(undefined);
    });
  });

  describe('replace', () => {
    it('swaps content, indexes and resource version in one step; the last of one key wins', () => {
      const store = new ThreadSafeStore<Pod>({ indexers });
      store.add('a', pod('a', { nodeName: 'n1' }));
      store.replace(
        [
          ['b', pod('b', { nodeName: 'n1' })],
          ['c', pod('c', { nodeName: 'n2' })],
          ['c', pod('c', { nodeName: 'n3' })],
        ],
        '10',
      );
      expect(store.keys()).to.deep.equal(['b', 'c']);
      expect(store.indexValues('byNode')).to.have.members(['n1', 'n3']);
      expect(store.resourceVersion).to.equal('10');
      store.replace([], '');
      expect(store.size).to.equal(0);
      expect(store.indexValues('byNode')).to.deep.equal([]);
      expect(store.resourceVersion).to.equal('');
    });

    it('does not run index functions again for objects that stay', () => {
      let calls = 0;
      const counting = (object: Pod): string[] => {
        calls += 1;
        return byNode(object);
      };
      const store = new ThreadSafeStore<Pod>({ indexers: { counting } });
      const [a, b] = [pod('a', { nodeName: 'n1' }), pod('b', { nodeName: 'n1' })];
      store.add('a', a);
      store.add('b', b);
      calls = 0;
      store.replace(
        [
          ['a', a],
          ['b', pod('b', { nodeName: 'n2' })],
        ],
        '5',
      );
      expect(calls).to.equal(1);
      expect(names(store.byIndex('counting', 'n1'))).to.deep.equal(['a']);
    });

    it('is independent of the map it was given', () => {
      const store = new ThreadSafeStore<Pod>();
      const contents = new Map([['a', pod('a')]]);
      store.replace(contents, '1');
      contents.clear();
      expect(store.size).to.equal(1);
    });
  });

  it('carries the resource version of the last applied change', () => {
    const store = new ThreadSafeStore<Pod>();
    expect(store.resourceVersion).to.equal('');
    store.add('a', pod('a', { resourceVersion: '1' }));
    expect(store.resourceVersion).to.equal('1');
    store.add('b', pod('b'));
    expect(store.resourceVersion).to.equal('1');
    store.delete('b');
    expect(store.resourceVersion).to.equal('1');
    store.delete('a', pod('a', { resourceVersion: '2' }));
    expect(store.resourceVersion).to.equal('2');
    const transaction = store.begin();
    transaction.set('a', pod('a', { resourceVersion: '9' }));
    transaction.set('b', pod('b', { resourceVersion: '3' }));
    store.commit(transaction, '4');
    expect(store.resourceVersion).to.equal('4');
    store.replace([], '5');
    expect(store.resourceVersion).to.equal('5');
    store.bookmark('6');
    expect(store.resourceVersion).to.equal('6');
  });

  it('equals a scan after thousands of random writes', () => {
    const store = new ThreadSafeStore<Pod>({
      indexers: { ...indexers, [NAMESPACE_INDEX]: metaNamespaceIndexFunc },
    });
    const next = seededRandom(1);
    const random = (below: number): number => Math.floor(next() * below);
    for (let step = 0; step < 5000; step += 1) {
      const key = `ns${random(3)}/p${random(40)}`;
      if (random(4) === 0) store.delete(key);
      else {
        const labels = { x: `v${random(5)}`, y: `v${random(5)}` };
        store.add(key, pod(key, { nodeName: `n${random(6)}`, labels }));
      }
      if (random(500) === 0) store.replace([...store.entries()].slice(random(20)), String(step));
    }
    for (const [name, indexFunc] of Object.entries({
      ...indexers,
      namespace: metaNamespaceIndexFunc,
    })) {
      const expected = new Map<string, string[]>();
      for (const [key, object] of store.entries()) {
        for (const value of new Set(indexFunc(object))) {
          expected.set(value, [...(expected.get(value) ?? []), key]);
        }
      }
      expect(store.indexValues(name)).to.have.members([...expected.keys()]);
      for (const [value, keys] of expected) {
        expect(store.indexKeys(name, value)).to.deep.equal(keys.toSorted());
        expect(store.byIndex(name, value)).to.have.members(keys.map((key) => store.get(key)));
      }
    }
  });
});
