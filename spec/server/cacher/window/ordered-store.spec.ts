import { expect } from 'chai';
import { seededRandom } from '../../../../lib/kernel/time/random.ts';
import { OrderedStore, type Keyed } from '../../../../lib/server/cacher/window/ordered-store.ts';

interface Item extends Keyed {
  readonly value: number;
}

const item = (key: string, value = 0): Item => ({ key, value });
const name = (number: number): string => `/k/${String(number).padStart(6, '0')}`;
const keysOf = (store: OrderedStore<Item>, from?: string, to?: string): string[] =>
  [...store.range(from, to)].map(({ key }) => key);

describe('OrderedStore', () => {
  it('finds, replaces and forgets items by key', () => {
    const store = OrderedStore.of<Item>([])
      .with(item('b', 1))
      .with(item('a', 2))
      .with(item('b', 3));
    expect(store.size).to.equal(2);
    expect(store.get('b')?.value).to.equal(3);
    expect(store.get('c')).to.equal(undefined);
    expect(store.without('b').get('b')).to.equal(undefined);
  });

  it('stays itself when a key that is not there is removed', () => {
    const store = OrderedStore.of([item('a')]);
    expect(store.without('b')).to.equal(store);
    const empty = OrderedStore.of<Item>([]);
    expect(empty.without('b')).to.equal(empty);
    expect(store.without('a').size).to.equal(0);
  });

  it('keeps the later of two items with one key, and sorts what is not in order', () => {
    const store = OrderedStore.of([item('c', 1), item('a', 2), item('c', 3)]);
    expect([...store.range()].map(({ value }) => value)).to.deep.equal([2, 3]);
  });

  it('reads ranges from a start key to before an end key', () => {
    const store = OrderedStore.of(Array.from({ length: 500 }, (_, index) => item(name(index))));
    expect(keysOf(store, name(100), name(103))).to.deep.equal([name(100), name(101), name(102)]);
    expect(keysOf(store, `${name(100)}\0`, name(102))).to.deep.equal([name(101)]);
    expect(keysOf(store, name(498))).to.deep.equal([name(498), name(499)]);
    expect(keysOf(store, 'x')).to.deep.equal([]);
    expect(store.count(name(100), name(103))).to.equal(3);
    expect(store.count(name(103), name(100))).to.equal(0);
    expect(store.count()).to.equal(500);
  });

  it('answers as a sorted map does through 20,000 random changes, and every snapshot stays as it was', () => {
    const random = seededRandom('ordered-store');
    const model = new Map<string, Item>();
    let store = OrderedStore.of<Item>([]);
    const snapshots: { store: OrderedStore<Item>; keys: string[] }[] = [];
    for (let round = 0; round < 20_000; round += 1) {
      // Growing at first, shrinking in the end.
      const grows = random() < (round < 10_000 ? 0.7 : 0.3);
      const key = name(Math.floor(random() * 5000));
      if (grows) {
        store = store.with(item(key, round));
        model.set(key, item(key, round));
      } else {
        store = store.without(key);
        model.delete(key);
      }
      if (round % 1000 !== 0) continue;
      const keys = [...model.keys()].toSorted((left, right) => (left < right ? -1 : 1));
      snapshots.push({ store, keys });
      const from = name(Math.floor(random() * 5000));
      const to = name(Math.floor(random() * 5000));
      const within = keys.filter((one) => one >= from && one < to);
      expect(keysOf(store, from, to)).to.deep.equal(within);
      expect(store.count(from, to)).to.equal(within.length);
      expect(store.get(key)).to.deep.equal(model.get(key));
    }
    for (const { store, keys } of snapshots) {
      expect(keysOf(store)).to.deep.equal(keys);
      expect(store.size).to.equal(keys.length);
    }
    for (const key of model.keys()) store = store.without(key);
    expect(store.size).to.equal(0);
    expect(keysOf(store)).to.deep.equal([]);
  });

  it('holds 100,000 items with a snapshot for each of 10,000 changes', () => {
    let store = OrderedStore.of(Array.from({ length: 100_000 }, (_, index) => item(name(index))));
    const snapshots: OrderedStore<Item>[] = [];
    for (let round = 0; round < 10_000; round += 1) {
      snapshots.push(store);
      store = store.with(item(name((round * 7919) % 100_000), round + 1));
    }
    expect(snapshots[0]?.get(name(0))?.value).to.equal(0);
    expect(snapshots[5000]?.get(name(7919))?.value).to.equal(2);
    expect(snapshots[1]?.get(name(7919))?.value).to.equal(0);
    expect(store.count(name(0), name(50_000))).to.equal(50_000);
  });
});
