import { expect } from 'chai';
import { metadataIndexFunc, type IndexFunctionError } from '../../../lib/cache/store/indexers.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { codeOf, pod, type Pod } from '../support/objects.ts';

const byTeam = metadataIndexFunc(({ labels }) => Object.values(labels ?? {}));

/** An index function that says on which objects it ran. */
function counted(): { ran: string[]; byNode: (object: Pod) => string[] } {
  const ran: string[] = [];
  const byNode = ({ metadata, spec }: Pod): string[] => {
    ran.push(metadata.name!);
    return spec?.nodeName === undefined ? [] : [spec.nodeName];
  };
  return { ran, byNode };
}

/** The objects that a commit replaced. */
function displacedBy(displaced: Iterable<Pod | undefined>): Pod[] {
  return [...displaced].filter((object) => object !== undefined);
}

for (const mostInPlace of [0, 1, 2000]) {
  describe(`a transaction with up to ${mostInPlace} writes in place`, () => {
    it('is not visible until it is committed, and whole from then on', () => {
      const { byNode } = counted();
      const store = new ThreadSafeStore<Pod>({ mostInPlace, indexers: { byNode, byTeam } });
      const [a, d] = [pod('a', { nodeName: 'n1' }), pod('d', { nodeName: 'n1' })];
      store.replace(
        [
          ['a', a],
          ['b', pod('b', { nodeName: 'n1' })],
          ['d', d],
        ],
        '1',
      );
      const before = { list: store.list(), n1: store.byIndex('byNode', 'n1') };
      const transaction = store.begin();
      const newB = pod('b', { nodeName: 'n2' });
      const c = pod('c', { nodeName: 'n2', labels: { x: 'red', y: 'blue' } });
      transaction.set('b', newB);
      transaction.set('c', c);
      transaction.delete('a');
      transaction.delete('never');
      for (const steps = transaction.prepare(); steps.next().done !== true; ) {
        expect(store.list()).to.equal(before.list);
      }
      expect(store.byIndex('byNode', 'n1')).to.equal(before.n1);
      expect(store.byIndex('byNode', 'n2')).to.deep.equal([]);
      expect(store.has('c')).to.equal(false);
      expect(store.resourceVersion).to.equal('1');
      store.commit(transaction, '2');
      expect(store.list()).to.have.members([newB, c, d]);
      expect(store.byIndex('byNode', 'n1')).to.deep.equal([d]);
      expect(store.indexValues('byNode')).to.have.members(['n1', 'n2']);
      expect(store.byIndex('byNode', 'n2')).to.have.members([newB, c]);
      expect(store.indexKeys('byTeam', 'blue')).to.deep.equal(['c']);
      expect(store.resourceVersion).to.equal('2');
      expect(store.size).to.equal(3);
    });

    it('is applied in order, the last write of a key counts', () => {
      const { byNode } = counted();
      const store = new ThreadSafeStore<Pod>({ mostInPlace, indexers: { byNode } });
      store.add('stays', pod('stays'));
      const transaction = store.begin();
      transaction.set('a', pod('a', { nodeName: 'n1' }));
      transaction.delete('a');
      transaction.set('b', pod('b', { nodeName: 'n1' }));
      transaction.set('b', pod('b', { nodeName: 'n2' }));
      transaction.delete('stays');
      transaction.set('stays', pod('stays', { nodeName: 'n3' }));
      store.commit(transaction, '1');
      expect(store.keys()).to.have.members(['b', 'stays']);
      expect(store.indexValues('byNode')).to.have.members(['n2', 'n3']);
    });

    it('changes the sum of the sizes', () => {
      const store = new ThreadSafeStore<Pod & { sizeBytes: number }>({ mostInPlace });
      store.add('a', { ...pod('a'), sizeBytes: 100 });
      store.add('c', { ...pod('c'), sizeBytes: 1000 });
      const transaction = store.begin();
      transaction.delete('a');
      transaction.set('b', { ...pod('b'), sizeBytes: 7 });
      transaction.set('b', { ...pod('b'), sizeBytes: 8 });
      expect(store.bytes).to.equal(1100);
      store.commit(transaction, '1');
      expect(store.bytes).to.equal(1008);
    });

    it('runs index functions while it is put together, once on each object and not on those that stay', () => {
      const { ran, byNode } = counted();
      const store = new ThreadSafeStore<Pod>({ mostInPlace, indexers: { byNode } });
      store.add('a', pod('a', { nodeName: 'n1' }));
      store.add('gone', pod('gone', { nodeName: 'n1' }));
      const transaction = store.begin();
      transaction.set('b', pod('b', { nodeName: 'n1' }));
      transaction.set('c', pod('c', { nodeName: 'n2' }));
      transaction.delete('gone');
      expect(ran).to.deep.equal(['a', 'gone', 'b', 'c']);
      expect([...transaction.prepare()]).to.have.lengthOf.at.most(2);
      store.commit(transaction, '2');
      expect(ran).to.deep.equal(['a', 'gone', 'b', 'c']);
      expect(store.indexKeys('byNode', 'n1')).to.deep.equal(['a', 'b']);
      store.delete('a');
      expect(store.indexKeys('byNode', 'n1')).to.deep.equal(['b']);
    });

    it('lets index functions read the store as it is', () => {
      const sizes: number[] = [];
      const store: ThreadSafeStore<Pod> = new ThreadSafeStore<Pod>({
        mostInPlace,
        indexers: {
          bySize: () => {
            sizes.push(store.size);
            return [];
          },
        },
      });
      const transaction = store.begin();
      for (const name of ['a', 'b', 'c']) transaction.set(name, pod(name));
      store.commit(transaction, '1');
      expect(sizes).to.deep.equal([0, 0, 0]);
    });

    it('reports failed index functions once it has been committed, and stores the objects', () => {
      const errors: IndexFunctionError[] = [];
      const seen: boolean[] = [];
      const store: ThreadSafeStore<Pod> = new ThreadSafeStore<Pod>({
        mostInPlace,
        indexers: {
          broken: ({ metadata }) => {
            if (metadata.name === 'bad') throw new Error('cannot');
            return ['fine'];
          },
        },
        onError: (error) => {
          errors.push(error);
          seen.push(store.has('bad'));
        },
      });
      store.add('stays', pod('stays'));
      const transaction = store.begin();
      transaction.set('bad', pod('bad'));
      transaction.set('good', pod('good'));
      expect(errors).to.have.length(0);
      store.commit(transaction, '1');
      expect(errors.map(({ index, key }) => [index, key])).to.deep.equal([['broken', 'bad']]);
      expect(seen).to.deep.equal([true]);
      expect(store.indexKeys('broken', 'fine')).to.deep.equal(['good', 'stays']);
    });

    it('is brought the indexes that were added meanwhile, and rid of those that were removed', () => {
      const { ran, byNode } = counted();
      const store = new ThreadSafeStore<Pod>({ mostInPlace, indexers: { byTeam, byNode } });
      store.add('stays', pod('stays', { nodeName: 'n3' }));
      const transaction = store.begin();
      transaction.set('a', pod('a', { nodeName: 'n1', labels: { x: 'red' } }));
      store.removeIndexers(['byTeam']);
      store.addIndexers({ byName: ({ metadata }) => [metadata.name!], other: () => ['x', 'y'] });
      transaction.set('b', pod('b', { nodeName: 'n1' }));
      store.commit(transaction, '1');
      expect(store.indexNames).to.deep.equal(['byNode', 'byName', 'other']);
      expect(ran.filter((name) => name !== 'stays')).to.deep.equal(['a', 'b']);
      for (const write of [
        (): unknown => undefined,
        (): unknown => store.add('c', pod('c', { nodeName: 'n2' })),
      ]) {
        write();
        expect(store.indexKeys('byNode', 'n1')).to.deep.equal(['a', 'b']);
        expect(store.indexKeys('byNode', 'n3')).to.deep.equal(['stays']);
        expect(store.indexKeys('byName', 'a')).to.deep.equal(['a']);
        expect(store.indexKeys('byName', 'stays')).to.deep.equal(['stays']);
        expect(store.indexValuesOf('other', 'b')).to.deep.equal(['x', 'y']);
        expect(codeOf(() => store.byIndex('byTeam', 'red'))).to.equal('UNKNOWN_INDEX');
      }
    });

    it('distinguishes an index from another one that has taken its name', () => {
      const store = new ThreadSafeStore<Pod>({ mostInPlace, indexers: { own: () => ['before'] } });
      store.add('stays', pod('stays'));
      const transaction = store.begin();
      transaction.set('a', pod('a'));
      store.removeIndexers(['own']);
      store.addIndexers({ own: () => ['after'] });
      transaction.set('b', pod('b'));
      store.commit(transaction, '1');
      expect(store.indexKeys('own', 'after')).to.deep.equal(['a', 'b', 'stays']);
      expect(store.indexValues('own')).to.deep.equal(['after']);
    });

    it('can be committed once', () => {
      const store = new ThreadSafeStore<Pod>({ mostInPlace });
      const transaction = store.begin();
      store.commit(transaction, '1');
      expect(codeOf(() => transaction.set('a', pod('a')))).to.equal('ASSERTION');
      expect(codeOf(() => transaction.delete('a'))).to.equal('ASSERTION');
      expect(codeOf(() => store.commit(transaction, '2'))).to.equal('ASSERTION');
      expect(store.size).to.equal(0);
    });

    it('displaces nothing that is stored again', () => {
      const store = new ThreadSafeStore<Pod>({ mostInPlace });
      const [a, between] = [pod('a'), pod('a')];
      store.add('a', a);
      const transaction = store.begin();
      transaction.set('a', between);
      transaction.delete('a');
      transaction.set('a', a);
      expect(displacedBy(store.commit(transaction, '1'))).to.deep.equal([between]);
    });

    it('says once that it displaced what came and went within it', () => {
      const store = new ThreadSafeStore<Pod>({ mostInPlace });
      store.add('stays', pod('stays'));
      const [a, b] = [pod('a'), pod('a')];
      const transaction = store.begin();
      transaction.set('a', a);
      transaction.set('a', b);
      transaction.set('a', a);
      transaction.delete('a');
      const displaced = displacedBy(store.commit(transaction, '1'));
      expect(displaced).to.have.length(2);
      expect(displaced).to.have.members([a, b]);
    });

    it('says exactly what it displaced, for all writes', () => {
      const random = seededRandom(11 + mostInPlace);
      const below = (limit: number): number => Math.floor(random() * limit);
      const store = new ThreadSafeStore<Pod>({ mostInPlace, indexers: { byTeam } });
      const pool = Array.from({ length: 30 }, (_, index) => pod(`p${index % 6}`));
      for (let round = 0; round < 2000; round += 1) {
        const held = new Set(store.list());
        const transaction = store.begin();
        for (let writes = below(8); writes > 0; writes -= 1) {
          const object = pool[below(pool.length)]!;
          const key = object.metadata.name!;
          if (random() < 0.3) transaction.delete(key);
          else {
            transaction.set(key, object);
            held.add(object);
          }
          if (random() < 0.2) transaction.prepare().next();
        }
        const displaced = displacedBy(store.commit(transaction, String(round)));
        const left = [...held].filter((object) => !store.list().includes(object));
        expect(displaced).to.have.length(left.length);
        expect(displaced).to.have.members(left);
      }
    });
  });
}

describe('ThreadSafeStore', () => {
  it('says what a new content displaced one object a step, those that stay too', () => {
    const store = new ThreadSafeStore<Pod>({ mostInPlace: 0 });
    const [a, stays, c] = [pod('a'), pod('b'), pod('c')];
    store.replace(Object.entries({ a, b: stays, c }), '1');
    const transaction = store.begin();
    transaction.delete('a');
    transaction.set('c', pod('c'));
    expect([...store.commit(transaction, '2')]).to.deep.equal([a, undefined, c]);
  });

  it('builds the first content of a store beside it, and brings over nothing', () => {
    const store = new ThreadSafeStore<Pod>();
    const transaction = store.begin();
    for (const name of ['a', 'b', 'c']) transaction.set(name, pod(name));
    expect([...transaction.prepare()]).to.have.length(0);
    expect([...store.commit(transaction, '1')]).to.have.length(0);
    expect(store.keys()).to.deep.equal(['a', 'b', 'c']);
  });

  it('refuses an invalid limit of writes in place', () => {
    expect(codeOf(() => new ThreadSafeStore<Pod>({ mostInPlace: -1 }))).to.equal('INVALID_OPTION');
  });

  it('returns what an add and an update replaced', () => {
    const store = new ThreadSafeStore<Pod>();
    const [first, second] = [pod('a'), pod('a')];
    expect(store.add('a', first)).to.equal(undefined);
    expect(store.update('a', second)).to.equal(first);
    expect(store.delete('a')).to.equal(second);
  });
});
