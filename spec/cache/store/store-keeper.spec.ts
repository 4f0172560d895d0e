import { expect } from 'chai';
import type { IndexFunc } from '../../../lib/cache/store/indexers.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { seededRandom } from '../../../lib/kernel/random.ts';
import { pod, type Pod } from '../support/objects.ts';
import { RecordingKeeper } from '../support/recording-keeper.ts';

function setup(): { keeper: RecordingKeeper<Pod>; store: ThreadSafeStore<Pod> } {
  const keeper = new RecordingKeeper<Pod>();
  return { keeper, store: new ThreadSafeStore<Pod>({ keeper }) };
}

describe('a store with a keeper', () => {
  it('has an object kept before its index functions run', () => {
    const keeper = new RecordingKeeper<Pod>();
    const seen: boolean[] = [];
    const byKept: IndexFunc<Pod> = (object) => {
      seen.push(keeper.kept.has(object));
      return [];
    };
    const store = new ThreadSafeStore<Pod>({ keeper, indexers: { byKept } });
    store.add('a', pod('a'));
    store.transaction([{ type: 'set', key: 'b', object: pod('b') }]);
    store.replace([['c', pod('c')]], '1');
    const draft = store.draft();
    draft.set('d', pod('d'));
    expect(seen).to.deep.equal([true, true, true, true]);
  });

  it('has an object released when another one takes its place, and when it is deleted', () => {
    const { keeper, store } = setup();
    const [first, second] = [pod('a'), pod('a')];
    store.add('a', first);
    store.update('a', second);
    expect(keeper.released).to.deep.equal([first]);
    store.delete('a', pod('a'));
    store.delete('a');
    expect(keeper.released).to.deep.equal([first, second]);
    expect(keeper.kept.size).to.equal(0);
  });

  it('has nothing released that is stored again', () => {
    const { keeper, store } = setup();
    const a = pod('a');
    store.add('a', a);
    store.add('a', a);
    store.replace([['a', a]], '1');
    store.transaction([
      { type: 'set', key: 'a', object: pod('a') },
      { type: 'delete', key: 'a' },
      { type: 'set', key: 'a', object: a },
    ]);
    expect(keeper.released).to.have.length(1);
    expect([...keeper.kept]).to.deep.equal([a]);
  });

  it('has what came and went within a transaction released once', () => {
    const { keeper, store } = setup();
    const [a, b] = [pod('a'), pod('a')];
    store.transaction([
      { type: 'set', key: 'a', object: a },
      { type: 'set', key: 'a', object: b },
      { type: 'set', key: 'a', object: a },
      { type: 'delete', key: 'a' },
    ]);
    expect(keeper.released).to.have.members([a, b]);
  });

  it('has what a draft displaced released by sweeping, piece by piece', () => {
    const { keeper, store } = setup();
    const stays = pod('b');
    store.replace(
      [
        ['a', pod('a')],
        ['b', stays],
        ['c', pod('c')],
      ],
      '1',
    );
    const draft = store.draft();
    draft.set('b', stays);
    draft.set('c', pod('c'));
    store.adopt(draft, '2');
    expect(keeper.released).to.have.length(0);
    expect(store.sweep(1)).to.equal(false);
    expect(keeper.released).to.have.length(1);
    expect(store.sweep(2)).to.equal(false);
    expect(store.sweep(1)).to.equal(true);
    expect(keeper.released.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'c']);
    expect([...keeper.kept]).to.have.members([...store.list()]);
  });

  for (const [how, write] of [
    ['an add', (store, a): void => store.add('a', a)],
    [
      'a transaction',
      (store, a): void => store.transaction([{ type: 'set', key: 'a', object: a }]),
    ],
    ['a deletion', (store): unknown => store.delete('b')],
    [
      'another draft',
      (store, a): void => {
        const draft = store.draft();
        draft.set('a', a);
        store.adopt(draft, '3');
        store.sweep();
      },
    ],
  ] as readonly (readonly [string, (store: ThreadSafeStore<Pod>, a: Pod) => unknown])[]) {
    it(`has what nobody swept released by ${how}, before the write could store it again`, () => {
      const { keeper, store } = setup();
      const a = pod('a');
      store.add('a', a);
      const draft = store.draft();
      draft.set('b', pod('b'));
      store.adopt(draft, '2');
      write(store, a);
      expect(keeper.released[0]).to.equal(a);
      expect([...keeper.kept]).to.have.members([...store.list()]);
    });
  }

  it('has what only a discarded draft had released, and nothing of the store', () => {
    const { keeper, store } = setup();
    const [stored, drafted, newer] = [pod('a'), pod('b'), pod('b')];
    store.add('a', stored);
    const draft = store.draft();
    draft.set('a', stored);
    draft.set('b', drafted);
    draft.set('b', newer);
    expect(keeper.released).to.deep.equal([drafted]);
    draft.discard();
    draft.discard();
    expect(keeper.released).to.deep.equal([drafted, newer]);
    expect([...keeper.kept]).to.deep.equal([stored]);
  });

  it('keeps exactly what the store holds, whatever is written', () => {
    const random = seededRandom(11);
    const { keeper, store } = setup();
    const pool = Array.from({ length: 30 }, (_, index) => pod(`p${index % 6}`));
    const any = (): Pod => pool[Math.floor(random() * pool.length)]!;
    const keyed = (): [string, Pod][] =>
      Array.from({ length: Math.floor(random() * 8) }, any).map((object) => [
        object.metadata.name!,
        object,
      ]);
    for (let round = 0; round < 3000; round += 1) {
      const object = any();
      const key = object.metadata.name!;
      const kind = Math.floor(random() * 5);
      if (kind === 0) store.add(key, object);
      if (kind === 1) store.delete(key);
      if (kind === 2) store.replace(keyed(), String(round));
      if (kind === 3) {
        store.transaction(
          keyed().map(([name, member]) =>
            random() < 0.3
              ? { type: 'delete', key: name }
              : { type: 'set', key: name, object: member },
          ),
        );
      }
      if (kind === 4) {
        const draft = store.draft();
        for (const [name, member] of keyed()) draft.set(name, member);
        if (random() < 0.3) draft.discard();
        else store.adopt(draft, String(round));
      }
      if (random() < 0.5) {
        store.sweep();
        expect([...keeper.kept]).to.have.members([...store.list()]);
      }
    }
  });
});
