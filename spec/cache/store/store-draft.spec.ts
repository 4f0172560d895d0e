import { expect } from 'chai';
import { metadataIndexFunc, type IndexFunctionError } from '../../../lib/cache/store/indexers.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
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

describe('a draft of a store', () => {
  it('is seen by nobody until it is adopted, and whole from then on', () => {
    const { byNode } = counted();
    const store = new ThreadSafeStore<Pod>({ indexers: { byNode, byTeam } });
    store.replace(
      [
        ['a', pod('a', { nodeName: 'n1' })],
        ['b', pod('b', { nodeName: 'n1' })],
      ],
      '1',
    );
    const before = { list: store.list(), n1: store.byIndex('byNode', 'n1') };
    const draft = store.draft();
    const newB = pod('b', { nodeName: 'n2' });
    const c = pod('c', { nodeName: 'n2', labels: { x: 'red', y: 'blue' } });
    draft.set('b', newB);
    draft.set('c', c);
    expect(store.list()).to.equal(before.list);
    expect(store.byIndex('byNode', 'n1')).to.equal(before.n1);
    expect(store.byIndex('byNode', 'n2')).to.deep.equal([]);
    expect(store.has('c')).to.equal(false);
    expect(store.resourceVersion).to.equal('1');
    store.adopt(draft, '2');
    expect(store.list()).to.deep.equal([newB, c]);
    expect(store.byIndex('byNode', 'n1')).to.deep.equal([]);
    expect(store.indexValues('byNode')).to.deep.equal(['n2']);
    expect(store.byIndex('byNode', 'n2')).to.deep.equal([newB, c]);
    expect(store.indexKeys('byTeam', 'blue')).to.deep.equal(['c']);
    expect(store.resourceVersion).to.equal('2');
    expect(store.size).to.equal(2);
  });

  it('adds up the sizes of what it holds', () => {
    const store = new ThreadSafeStore<Pod & { sizeBytes: number }>();
    store.add('a', { ...pod('a'), sizeBytes: 100 });
    const draft = store.draft();
    draft.set('b', { ...pod('b'), sizeBytes: 7 });
    draft.set('b', { ...pod('b'), sizeBytes: 8 });
    expect(store.bytes).to.equal(100);
    store.adopt(draft, '1');
    expect(store.bytes).to.equal(8);
  });

  it('runs index functions while it is put together, once on each object and not on stored ones', () => {
    const { ran, byNode } = counted();
    const store = new ThreadSafeStore<Pod>({ indexers: { byNode } });
    const a = pod('a', { nodeName: 'n1' });
    store.add('a', a);
    const draft = store.draft();
    draft.set('a', a);
    draft.set('b', pod('b', { nodeName: 'n1' }));
    expect(ran).to.deep.equal(['a', 'b']);
    store.adopt(draft, '2');
    expect(ran).to.deep.equal(['a', 'b']);
    expect(store.indexKeys('byNode', 'n1')).to.deep.equal(['a', 'b']);
    store.delete('a');
    expect(store.indexKeys('byNode', 'n1')).to.deep.equal(['b']);
  });

  it('lets index functions read the store as it is', () => {
    const sizes: number[] = [];
    const store: ThreadSafeStore<Pod> = new ThreadSafeStore<Pod>({
      indexers: {
        bySize: () => {
          sizes.push(store.size);
          return [];
        },
      },
    });
    const draft = store.draft();
    for (const name of ['a', 'b', 'c']) draft.set(name, pod(name));
    expect(sizes).to.deep.equal([0, 0, 0]);
  });

  it('reports failed index functions once it has been adopted, and stores the objects', () => {
    const errors: IndexFunctionError[] = [];
    const seen: boolean[] = [];
    const store: ThreadSafeStore<Pod> = new ThreadSafeStore<Pod>({
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
    const draft = store.draft();
    draft.set('bad', pod('bad'));
    draft.set('good', pod('good'));
    expect(errors).to.have.length(0);
    store.adopt(draft, '1');
    expect(errors.map(({ index, key }) => [index, key])).to.deep.equal([['broken', 'bad']]);
    expect(seen).to.deep.equal([true]);
    expect(store.indexKeys('broken', 'fine')).to.deep.equal(['good']);
  });

  it('is brought the indexes that were added meanwhile, and rid of those that were removed', () => {
    const { ran, byNode } = counted();
    const store = new ThreadSafeStore<Pod>({ indexers: { byTeam, byNode } });
    const draft = store.draft();
    draft.set('a', pod('a', { nodeName: 'n1', labels: { x: 'red' } }));
    store.removeIndexers(['byTeam']);
    store.addIndexers({ byName: ({ metadata }) => [metadata.name!], other: () => ['x', 'y'] });
    draft.set('b', pod('b', { nodeName: 'n1' }));
    store.adopt(draft, '1');
    expect(store.indexNames).to.deep.equal(['byNode', 'byName', 'other']);
    expect(ran).to.deep.equal(['a', 'b']);
    for (const write of [
      (): void => {},
      (): void => store.add('c', pod('c', { nodeName: 'n2' })),
    ]) {
      write();
      expect(store.indexKeys('byNode', 'n1')).to.deep.equal(['a', 'b']);
      expect(store.indexKeys('byName', 'a')).to.deep.equal(['a']);
      expect(store.indexValuesOf('other', 'b')).to.deep.equal(['x', 'y']);
      expect(codeOf(() => store.byIndex('byTeam', 'red'))).to.equal('UNKNOWN_INDEX');
    }
  });

  it('tells an index from another one that has taken its name', () => {
    const store = new ThreadSafeStore<Pod>({ indexers: { own: () => ['before'] } });
    const draft = store.draft();
    const prepared = store.prepare();
    draft.set('a', pod('a'));
    prepared.set('b', pod('b'));
    store.removeIndexers(['own']);
    store.addIndexers({ own: () => ['after'] });
    store.adopt(draft, '1');
    store.apply(prepared, '2');
    expect(store.indexKeys('own', 'after')).to.deep.equal(['a', 'b']);
    expect(store.indexValues('own')).to.deep.equal(['after']);
  });

  it('is good for one adoption', () => {
    const store = new ThreadSafeStore<Pod>();
    const draft = store.draft();
    store.adopt(draft, '1');
    expect(codeOf(() => draft.set('a', pod('a')))).to.equal('ASSERTION');
    expect(codeOf(() => store.adopt(draft, '2'))).to.equal('ASSERTION');
    draft.discard();
    expect(store.size).to.equal(0);
  });
});

describe('prepared writes of a store', () => {
  it('run index functions when they are prepared, and take effect when they are applied', () => {
    const { ran, byNode } = counted();
    const store = new ThreadSafeStore<Pod>({ indexers: { byNode } });
    store.add('gone', pod('gone', { nodeName: 'n1' }));
    const prepared = store.prepare();
    prepared.delete('gone');
    prepared.set('a', pod('a', { nodeName: 'n1', resourceVersion: '7' }));
    expect(ran).to.deep.equal(['gone', 'a']);
    expect(store.keys()).to.deep.equal(['gone']);
    store.addIndexers({ byTeam });
    store.apply(prepared);
    expect(ran).to.deep.equal(['gone', 'a']);
    expect(store.indexKeys('byNode', 'n1')).to.deep.equal(['a']);
    expect(store.resourceVersion).to.equal('7');
  });
});
