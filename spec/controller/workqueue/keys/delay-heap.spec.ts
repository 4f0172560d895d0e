import { expect } from 'chai';
import { randomInteger } from '../../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { DelayHeap } from '../../../../lib/controller/workqueue/keys/delay-heap.ts';

function drain<K>(heap: DelayHeap<K>, nowMs: number): K[] {
  const keys: K[] = [];
  for (let ready = heap.takeReady(nowMs); ready !== undefined; ready = heap.takeReady(nowMs)) {
    keys.push(ready.key);
  }
  return keys;
}

describe('DelayHeap', () => {
  it('gives keys out by time, and at one instant in the order they were put in', () => {
    const heap = new DelayHeap<string>();
    heap.put('late', 30);
    heap.put('first', 10);
    heap.put('second', 10);
    expect(heap.earliestMs).to.equal(10);
    expect(drain(heap, 29)).to.deep.equal(['first', 'second']);
    expect(drain(heap, 30)).to.deep.equal(['late']);
    expect(heap.earliestMs).to.equal(Infinity);
  });

  it('moves a key to an earlier time and never to a later one', () => {
    const heap = new DelayHeap<string>();
    heap.put('a', 20);
    heap.put('a', 30);
    expect(heap.earliestMs).to.equal(20);
    heap.put('a', 10);
    expect([heap.earliestMs, heap.size]).to.deep.equal([10, 1]);
  });

  it('gives a key that was moved out after those that had its time before', () => {
    const heap = new DelayHeap<string>();
    heap.put('moved', 20);
    heap.put('first', 10);
    heap.put('second', 10);
    heap.put('moved', 10);
    expect(drain(heap, 10)).to.deep.equal(['first', 'second', 'moved']);
  });

  it('agrees with a sorted list after any sequence of puts', () => {
    const runtime = new VirtualRuntime({ seed: 7 });
    for (let round = 0; round < 50; round += 1) {
      const heap = new DelayHeap<number>();
      const times = new Map<number, number>();
      for (let count = 0; count < 200; count += 1) {
        const key = randomInteger(runtime, 0, 80);
        const atMs = randomInteger(runtime, 0, 1_000_000);
        heap.put(key, atMs);
        times.set(key, Math.min(times.get(key) ?? Infinity, atMs));
      }
      const expected = [...times].toSorted((left, right) => left[1] - right[1]).map(([key]) => key);
      const half = [...times.values()].toSorted((left, right) => left - right)[40]!;
      expect([...drain(heap, half), ...drain(heap, Infinity)]).to.deep.equal(expected);
    }
  });
});
