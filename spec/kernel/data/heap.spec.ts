import { expect } from 'chai';
import { Heap } from '../../../lib/kernel/data/heap.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';

interface Job {
  readonly name: string;
  readonly priority: number;
}

function heapOf(...jobs: readonly (readonly [name: string, priority: number])[]): Heap<Job> {
  const heap = new Heap<Job>({
    keyOf: ({ name }) => name,
    isBefore: (left, right) => left.priority < right.priority,
  });
  for (const [name, priority] of jobs) heap.set({ name, priority });
  return heap;
}

function drain(heap: Heap<Job>): string[] {
  const names: string[] = [];
  for (let first = heap.pop(); first !== undefined; first = heap.pop()) names.push(first.name);
  return names;
}

describe('Heap', () => {
  it('gives items out in their order', () => {
    const heap = new Heap<number, number>({
      keyOf: (item) => item,
      isBefore: (left, right) => left < right,
    });
    const random = seededRandom(3);
    const items = Array.from({ length: 500 }, () => Math.floor(random() * 1_000_000));
    for (const item of items) heap.set(item);
    const popped = items.map(() => heap.pop());
    expect(popped).to.deep.equal(items.toSorted((left, right) => left - right));
  });

  it('has nothing to give when it is empty', () => {
    const heap = heapOf();
    expect([heap.pop(), heap.peek(), heap.size]).to.deep.equal([undefined, undefined, 0]);
  });

  it('moves an item that is set again to where it belongs now, up or down', () => {
    const heap = heapOf(['a', 10], ['b', 1], ['c', 11], ['d', 30], ['e', 13]);
    expect(heap.peek()?.name).to.equal('b');
    heap.set({ name: 'b', priority: 12 });
    expect(heap.peek()?.name).to.equal('a');
    heap.set({ name: 'd', priority: 0 });
    heap.set({ name: 'e', priority: 13 });
    expect(drain(heap)).to.deep.equal(['d', 'a', 'c', 'b', 'e']);
  });

  it('keeps the item that is in already when asked to add only what is absent', () => {
    const heap = heapOf(['a', 10], ['b', 20]);
    expect(heap.addIfAbsent({ name: 'b', priority: 1 })).to.equal(false);
    expect(heap.addIfAbsent({ name: 'c', priority: 5 })).to.equal(true);
    expect(heap.get('b')?.priority).to.equal(20);
    expect(drain(heap)).to.deep.equal(['c', 'a', 'b']);
  });

  it('takes out the first, the last, one in between, and harmlessly one that is not there', () => {
    const heap = heapOf(['a', 10], ['b', 1], ['c', 31], ['d', 11], ['e', 12]);
    expect(heap.delete('b')?.priority).to.equal(1);
    expect(heap.delete('c')?.priority).to.equal(31);
    expect(heap.delete('d')?.priority).to.equal(11);
    expect(heap.delete('missing')).to.equal(undefined);
    expect(drain(heap)).to.deep.equal(['a', 'e']);
    expect(heapOf(['a', 1]).delete('a')?.name).to.equal('a');
  });

  it('finds items by key, and gives all items and keys', () => {
    const heap = heapOf(['a', 10], ['b', 1], ['__proto__', 5]);
    expect(heap.get('a')).to.deep.equal({ name: 'a', priority: 10 });
    expect(heap.get('c')).to.equal(undefined);
    expect([heap.has('__proto__'), heap.has('constructor')]).to.deep.equal([true, false]);
    expect(heap.keys()).to.have.members(['a', 'b', '__proto__']);
    expect(heap.values().map(({ priority }) => priority)).to.have.members([10, 1, 5]);
    expect(heap.size).to.equal(3);
    heap.clear();
    expect([heap.size, heap.values(), heap.get('a')]).to.deep.equal([0, [], undefined]);
  });

  it('agrees with a sorted list after any sequence of changes', () => {
    const next = seededRandom(11);
    const random = (below: number): number => Math.floor(next() * below);
    const heap = heapOf();
    const model = new Map<string, number>();
    for (let step = 0; step < 5000; step += 1) {
      const name = `j${random(60)}`;
      const action = random(5);
      if (action === 0) {
        expect(heap.delete(name)?.priority).to.equal(model.get(name));
        model.delete(name);
      } else if (action === 1) {
        const least = Math.min(...model.values());
        const popped = heap.pop();
        expect(popped?.priority ?? Infinity).to.equal(least);
        if (popped !== undefined) model.delete(popped.name);
      } else {
        const priority = random(1000);
        heap.set({ name, priority });
        model.set(name, priority);
      }
      expect(heap.size).to.equal(model.size);
    }
    const expected = [...model.values()].toSorted((left, right) => left - right);
    expect(Array.from(expected, () => heap.pop()?.priority)).to.deep.equal(expected);
  });
});
