import { expect } from 'chai';
import { randomInteger } from '../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { CountedTree } from '../../../lib/server/mvcc/counted-tree.ts';

interface Entry {
  readonly key: string;
  live: boolean;
}

function visited(
  tree: CountedTree<Entry>,
  start: string,
  end: string,
  liveOnly: boolean,
  limit: number = Infinity,
): string[] {
  const keys: string[] = [];
  tree.visit(start, end, liveOnly, ({ key }) => {
    keys.push(key);
    return keys.length < limit;
  });
  return keys;
}

/** The same, the slow way. */
function expected(
  model: Map<string, Entry>,
  start: string,
  end: string,
  liveOnly: boolean,
): string[] {
  return [...model.values()]
    .filter(({ key, live }) => key >= start && key < end && (live || !liveOnly))
    .map(({ key }) => key)
    .toSorted();
}

describe('CountedTree', () => {
  it('answers as a sorted list does, through 20 000 random changes', () => {
    const runtime = new VirtualRuntime({ seed: 'tree' });
    const tree = new CountedTree<Entry>();
    const model = new Map<string, Entry>();
    const randomKey = (): string => `k${randomInteger(runtime, 0, 3000)}`;
    for (let step = 0; step < 20_000; step += 1) {
      const key = randomKey();
      const entry = model.get(key);
      if (entry === undefined) {
        const created = { key, live: true };
        model.set(key, created);
        tree.insert(key, created);
      } else if (entry.live) {
        entry.live = false;
        tree.adjustLive(key, -1);
      } else if (runtime.random() < 0.3) {
        entry.live = true;
        tree.adjustLive(key, 1);
      } else {
        model.delete(key);
        tree.remove(key);
      }
      if (step % 100 !== 0) continue;
      const [start, end] = [randomKey(), randomKey()];
      const live = expected(model, start, end, true);
      expect(visited(tree, start, end, true)).to.deep.equal(live);
      expect(visited(tree, start, end, true, 5)).to.deep.equal(live.slice(0, 5));
      expect(visited(tree, start, end, false)).to.deep.equal(expected(model, start, end, false));
      expect(tree.countLive(start, end)).to.equal(live.length);
    }
  });

  it('is empty again after everything was removed', () => {
    const tree = new CountedTree<Entry>();
    const entries = Array.from({ length: 5000 }, (_, index) => ({ key: `${index}`, live: true }));
    for (const entry of entries) tree.insert(entry.key, entry);
    expect(tree.countLive('', 'x')).to.equal(5000);
    for (const entry of entries) {
      entry.live = false;
      tree.adjustLive(entry.key, -1);
      tree.remove(entry.key);
    }
    expect(tree.countLive('', 'x')).to.equal(0);
    expect(visited(tree, '', 'x', false)).to.deep.equal([]);
  });

  it('still counts right when nearly all entries were removed and nodes were joined', () => {
    const tree = new CountedTree<Entry>();
    const model = new Map<string, Entry>();
    for (let index = 0; index < 20_000; index += 1) {
      const entry = { key: `k${(index * 7919) % 20_000}`, live: true };
      model.set(entry.key, entry);
      tree.insert(entry.key, entry);
    }
    for (const entry of model.values()) {
      if (Number(entry.key.slice(1)) % 50 === 0) continue;
      model.delete(entry.key);
      entry.live = false;
      tree.adjustLive(entry.key, -1);
      tree.remove(entry.key);
    }
    for (const [start, end] of [
      ['', 'z'],
      ['k1', 'k3'],
      ['k15', 'k1700'],
    ] as const) {
      const live = expected(model, start, end, true);
      expect(tree.countLive(start, end)).to.equal(live.length);
      expect(visited(tree, start, end, true)).to.deep.equal(live);
    }
  });

  it('does not look at subtrees without live entries', () => {
    const tree = new CountedTree<Entry>();
    let looked = 0;
    const entries = Array.from({ length: 10_000 }, (_, index) => ({
      key: String(index).padStart(6, '0'),
      dead: false,
      get live(): boolean {
        looked += 1;
        return !this.dead;
      },
    }));
    for (const entry of entries) tree.insert(entry.key, entry);
    for (const entry of entries.slice(0, -1)) {
      entry.dead = true;
      tree.adjustLive(entry.key, -1);
    }
    looked = 0;
    expect(visited(tree, '', 'x', true)).to.deep.equal(['009999']);
    expect(looked).to.be.lessThan(100);
  });
});
