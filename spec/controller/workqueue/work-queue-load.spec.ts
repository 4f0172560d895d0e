import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { WorkItem } from '../../../lib/controller/workqueue/keys/work-item.ts';
import { WorkQueue } from '../../../lib/controller/workqueue/work-queue.ts';
import { heapUsed } from '../../support/heap-used.ts';

/** The queue as its documentation puts it: what waits in order, what is in work, and what of that was added again. */
class Model {
  readonly waiting = new Set<number>();
  readonly inWork = new Set<number>();
  readonly again = new Set<number>();

  add(key: number): void {
    if (this.inWork.has(key)) this.again.add(key);
    else this.waiting.add(key);
  }

  take(): number | undefined {
    for (const key of this.waiting) {
      this.waiting.delete(key);
      this.inWork.add(key);
      return key;
    }
    return undefined;
  }

  done(key: number): void {
    this.inWork.delete(key);
    if (this.again.delete(key)) this.waiting.add(key);
  }
}

/** A queue and its model under the same calls. */
class Pair {
  readonly queue = new WorkQueue<number>({ runtime: new VirtualRuntime() });
  readonly model = new Model();
  readonly items: WorkItem<number>[] = [];
  handOuts = 0;

  add(key: number): void {
    this.queue.add(key);
    this.model.add(key);
  }

  take(): void {
    const item = this.queue.takeNow();
    expect(item?.key).to.equal(this.model.take());
    if (item === undefined) return;
    this.items.push(item);
    this.handOuts += 1;
  }

  /** Finishes the item at this place; one that is kept for long may be there. */
  done(place: number): void {
    const item = this.items[place];
    if (item === undefined) return;
    this.items[place] = this.items.at(-1) as WorkItem<number>;
    this.items.pop();
    item.done();
    item.done();
    this.model.done(item.key);
  }

  check(): void {
    const { queue, model } = this;
    const sizes = [queue.size, queue.processing];
    expect(sizes).to.deep.equal([model.waiting.size, model.inWork.size]);
  }
}

/** Keys that are new all the time, or come again soon, after a while, or when most have been forgotten. */
const KEY_RANGES = [3, 200, 2_000, 50_000];

describe('WorkQueue, with many keys', () => {
  it('does as its model through backlogs that build up and are worked off, while idle keys are removed', () => {
    for (let seed = 1; seed <= 6; seed += 1) {
      const random = seededRandom(`load ${seed}`);
      const below = (limit: number): number => Math.floor(random() * limit);
      const pair = new Pair();
      for (let phase = 0; phase < 12; phase += 1) {
        const range = KEY_RANGES[below(KEY_RANGES.length)] as number;
        const adding = [0.1, 0.5, 0.9][below(3)] as number;
        const mostInWork = [1, 10, 500][below(3)] as number;
        for (let call = 0; call < 3_000; call += 1) {
          if (random() < adding) pair.add(below(range));
          else if (pair.items.length < mostInWork && random() < 0.6) pair.take();
          else pair.done(below(pair.items.length));
        }
        pair.check();
      }
      while (pair.model.waiting.size > 0 || pair.items.length > 0) {
        pair.take();
        pair.done(below(pair.items.length));
      }
      pair.check();
      expect(pair.handOuts).to.be.greaterThan(1_000);
    }
  });

  it('keeps a key that a worker has, and what was added meanwhile, when all the others are forgotten', () => {
    const pair = new Pair();
    for (let key = 0; key < 5_000; key += 1) pair.add(key);
    pair.take();
    pair.take();
    pair.add(1);
    for (let count = 2; count < 5_000; count += 1) {
      pair.take();
      pair.done(2);
    }
    pair.add(0);
    pair.add(1);
    expect(pair.queue.takeNow(), 'both are in work').to.equal(undefined);
    pair.done(1);
    pair.done(0);
    pair.take();
    pair.take();
    expect(pair.items.map(({ key }) => key)).to.deep.equal([1, 0]);
    pair.check();
  });

  it('measures how long a key waits and is worked on across all that', async () => {
    const runtime = new VirtualRuntime();
    const seconds: string[] = [];
    const metrics = {
      count: () => {},
      gauge: () => {},
      observe: (name: string, value: number) => {
        if (value > 0) seconds.push(`${name} ${value}`);
      },
    };
    const queue = new WorkQueue<number>({ runtime, metrics });
    for (let key = 0; key < 5_000; key += 1) queue.add(key);
    const held = queue.takeNow();
    await runtime.advance(1_000);
    queue.add(0);
    await runtime.advance(2_000);
    const late = 4_999;
    for (let key = 1; key < late; key += 1) queue.takeNow()?.done();
    expect(seconds.splice(0)).to.have.length(late - 1);
    await runtime.advance(500);
    held?.done();
    queue.takeNow()?.done();
    queue.takeNow()?.done();
    expect(seconds).to.deep.equal([
      'workqueue_work_duration_seconds 3.5',
      'workqueue_queue_duration_seconds 3.5',
      'workqueue_queue_duration_seconds 2.5',
    ]);
  });

  it('drops what waits and keeps what is in work at destroy, after keys were forgotten', () => {
    const queue = new WorkQueue<number>({ runtime: new VirtualRuntime() });
    for (let key = 0; key < 3_000; key += 1) queue.add(key);
    const held = queue.takeNow();
    for (let key = 1; key < 2_990; key += 1) queue.takeNow()?.done();
    queue.add(0);
    expect(queue.destroy()).to.deep.equal([
      2_990, 2_991, 2_992, 2_993, 2_994, 2_995, 2_996, 2_997, 2_998, 2_999,
    ]);
    held?.done();
    expect([queue.size, queue.processing, queue.takeNow()]).to.deep.equal([0, 0, undefined]);
  });
});

describe('The memory of a WorkQueue', function () {
  this.timeout(120_000);

  /** The limit for a few hundred keys and their slots, with room for the other work of a process. */
  const LITTLE = 1e6;

  /** Only memory that is never given back takes this long, milliseconds. */
  const DEADLINE_MS = 60_000;

  /**
   * Bytes in use after a collection. What a background compilation or sweep still holds at that moment is counted too, so a single
   * reading says only that no more than this is in use.
   */
  async function used(): Promise<number> {
    await setImmediate();
    heapUsed();
    return heapUsed() + process.memoryUsage().arrayBuffers;
  }

  /** The bytes in use when what is done no longer changes them. */
  async function settled(): Promise<number> {
    let least = Infinity;
    for (let steady = 0; steady < 3; steady += 1) {
      const now = await used();
      if (now < least - 10_000) steady = -1;
      least = Math.min(least, now);
    }
    return least;
  }

  /** Bytes left behind by what is done with a queue, once they are fewer than `expected`, or the deadline has passed. */
  async function leftBy(use: (queue: WorkQueue) => void, expected: number): Promise<number> {
    const queue = new WorkQueue({ runtime: new VirtualRuntime() });
    const before = await settled();
    use(queue);
    const endMs = performance.now() + DEADLINE_MS;
    let left = (await used()) - before;
    while (left >= expected && performance.now() < endMs) left = (await used()) - before;
    expect(queue.processing).to.be.lessThan(2);
    return left;
  }

  it('is given back after hundreds of thousands of keys that waited together', async () => {
    const left = await leftBy((queue) => {
      for (let index = 0; index < 300_000; index += 1) queue.add(`namespace/pod-${index}`);
      for (let index = 0; index < 300_000; index += 1) queue.takeNow()?.done();
    }, LITTLE);
    expect(left).to.be.lessThan(LITTLE);
  });

  it('does not grow with a million distinct keys that come one after the other', async () => {
    const left = await leftBy((queue) => {
      for (let index = 0; index < 1_000_000; index += 1) {
        queue.add(`namespace/pod-${index}`);
        queue.takeNow()?.done();
      }
    }, LITTLE);
    expect(left).to.be.lessThan(LITTLE);
  });

  it('is that of the waiting keys, while many others pass', async () => {
    const WAITING = 10_000;
    const wait = (queue: WorkQueue): void => {
      for (let index = 0; index < WAITING; index += 1) queue.add(`namespace/job-${index}`);
    };
    // The memory of the keys that wait, which nothing frees while it is measured.
    const waiting = new WorkQueue({ runtime: new VirtualRuntime() });
    const before = await settled();
    wait(waiting);
    const expected = (await settled()) - before + LITTLE;
    const left = await leftBy((queue) => {
      wait(queue);
      for (let index = 0; index < 200_000; index += 1) {
        queue.add(`namespace/node-${index}`);
        queue.takeNow()?.done();
      }
      expect(queue.size).to.equal(WAITING);
    }, expected);
    expect(left).to.be.lessThan(expected);
    expect(waiting.size).to.equal(WAITING);
  });

  it('holds fifteen finished keys at most while none waits or is worked on', async () => {
    const queue = new WorkQueue<object>({ runtime: new VirtualRuntime() });
    const keys = ((): WeakRef<object>[] => {
      const all = Array.from({ length: 60 }, (_none, number) => ({ number }));
      for (const key of all) queue.add(key);
      while (queue.size > 0) queue.takeNow()?.done();
      return all.map((key) => new WeakRef(key));
    })();
    const held = async (): Promise<number> => {
      await used();
      return keys.filter((key) => key.deref() !== undefined).length;
    };
    const endMs = performance.now() + DEADLINE_MS;
    let left = await held();
    while (left > 15 && performance.now() < endMs) left = await held();
    expect(left).to.be.at.most(15);
    expect(queue.size).to.equal(0);
  });

  it('is given back also when one worker never finishes', async () => {
    const left = await leftBy((queue) => {
      queue.add('stuck');
      queue.takeNow();
      for (let index = 0; index < 200_000; index += 1) queue.add(`namespace/pod-${index}`);
      for (let index = 0; index < 200_000; index += 1) queue.takeNow()?.done();
      for (let index = 0; index < 200_000; index += 1) {
        queue.add(`namespace/node-${index}`);
        queue.takeNow()?.done();
      }
    }, LITTLE);
    expect(left).to.be.lessThan(LITTLE);
  });
});
