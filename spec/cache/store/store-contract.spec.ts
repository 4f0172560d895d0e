import { expect } from 'chai';
import { ExpirationStore } from '../../../lib/cache/store/expiration-store.ts';
import { Indexer } from '../../../lib/cache/store/indexer.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { WriteOverlay } from '../../../lib/cache/store/write-overlay.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { metaNamespaceKeyFunc } from '../../../lib/meta/key.ts';
import { pod, type Pod } from '../support/objects.ts';
import { byNode } from './overlay-support.ts';

interface KeyedStore {
  add(object: Pod): void;
  update(object: Pod): void;
  delete(object: Pod): unknown;
  replace(objects: readonly Pod[]): void;
  get(key: string): Pod | undefined;
  list(): readonly Pod[];
  keys(): string[];
}

const keyOf = metaNamespaceKeyFunc;

/** A store whose keys the caller computes, and what reads it. */
function keyed(store: ThreadSafeStore<Pod>, reader: Pick<KeyedStore, 'get' | 'list' | 'keys'>) {
  return {
    add: (object: Pod) => store.add(keyOf(object), object),
    update: (object: Pod) => store.update(keyOf(object), object),
    delete: (object: Pod) => store.delete(keyOf(object), object),
    replace: (objects: readonly Pod[]) =>
      store.replace(
        objects.map((object) => [keyOf(object), object] as const),
        '1',
      ),
    get: (key: string) => reader.get(key),
    list: () => reader.list(),
    keys: () => reader.keys(),
  };
}

function overlaid(): KeyedStore {
  const store = new ThreadSafeStore<Pod>();
  return keyed(store, new WriteOverlay<Pod>({ store }));
}

function threadSafe(): KeyedStore {
  const store = new ThreadSafeStore<Pod>();
  return keyed(store, store);
}

function indexed(): KeyedStore {
  const indexer = new Indexer<Pod>();
  return {
    add: (object) => indexer.add(object),
    update: (object) => indexer.update(object),
    delete: (object) => indexer.delete(object),
    replace: (objects) => indexer.replace(objects, '1'),
    get: (key) => indexer.get(key),
    list: () => indexer.list(),
    keys: () => indexer.keys(),
  };
}

const stores: Record<string, () => KeyedStore> = {
  ThreadSafeStore: threadSafe,
  Indexer: indexed,
  WriteOverlay: overlaid,
  ExpirationStore: () => new ExpirationStore<Pod>({ ttlMs: 60_000, runtime: new VirtualRuntime() }),
};

describe('Every store', () => {
  for (const [name, make] of Object.entries(stores)) {
    it(`has what was added, in its newest state, and not what was deleted (${name})`, () => {
      const store = make();
      store.add(pod('foo', { uid: 'bar' }));
      expect(store.get('shop/foo')?.metadata.uid).to.equal('bar');
      store.update(pod('foo', { uid: 'baz' }));
      expect(store.get('shop/foo')?.metadata.uid).to.equal('baz');
      store.delete(pod('foo'));
      expect(store.get('shop/foo')).to.equal(undefined);
      store.update(pod('late', { uid: 'new' }));
      expect(store.get('shop/late')?.metadata.uid).to.equal('new');
    });

    it(`lists each object once (${name})`, () => {
      const store = make();
      for (const one of ['a', 'b', 'c', 'b']) store.add(pod(one));
      const listed = store.list().map(({ metadata }) => metadata.name);
      expect(listed).to.have.members(['a', 'b', 'c']);
      expect(store.keys()).to.have.members(['shop/a', 'shop/b', 'shop/c']);
    });

    it(`has after a replace what that gave, and nothing from before (${name})`, () => {
      const store = make();
      store.add(pod('before'));
      store.replace([pod('foo', { uid: 'x' }), pod('bar', { uid: 'y' })]);
      expect(store.get('shop/before')).to.equal(undefined);
      expect(store.get('shop/foo')?.metadata.uid).to.equal('x');
      expect(store.list()).to.have.length(2);
    });
  }
});

describe('The whole content of a ThreadSafeStore', () => {
  it('is a new array after each write, and the same one for all readers', () => {
    const store = new ThreadSafeStore<Pod>({ indexers: { byNode } });
    const write: Record<string, () => unknown> = {
      add: () => store.add('shop/a', pod('a', { nodeName: 'n1' })),
      update: () => store.update('shop/a', pod('a', { nodeName: 'n2' })),
      transaction: () => {
        const transaction = store.begin();
        transaction.set('shop/b', pod('b'));
        store.commit(transaction, '3');
      },
      replace: () => store.replace([['shop/c', pod('c', { nodeName: 'n1' })]], '4'),
      delete: () => store.delete('shop/c'),
    };
    const contents: (readonly Pod[])[] = [store.list()];
    for (const change of Object.values(write)) {
      change();
      contents.push(store.list());
      store.get('shop/a');
      store.has('shop/a');
      store.keys();
      store.byIndex('byNode', 'n1');
      store.indexValues('byNode');
      store.bookmark('9');
      expect(store.list()).to.equal(contents.at(-1));
    }
    expect(new Set(contents).size).to.equal(contents.length);
    const names = contents.map((list) => list.map(({ metadata }) => metadata.name).join());
    expect(names).to.deep.equal(['', 'a', 'a', 'a,b', 'c', '']);
  });
});
