import { expect } from 'chai';
import { randomInteger, seededRandom } from '../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';
import { WorkQueue } from '../../../lib/controller/workqueue/work-queue.ts';

function takeAll(queue: WorkQueue): string[] {
  const keys: string[] = [];
  for (let item = queue.takeNow(); item !== undefined; item = queue.takeNow()) {
    keys.push(item.key);
    item.done();
  }
  return keys;
}

describe('Priorities of a work queue', () => {
  let runtime: VirtualRuntime;
  let queue: RateLimitingQueue;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    queue = new RateLimitingQueue({ name: 'shops', runtime });
  });

  it('are obeyed, the highest first, and the order of adding within one', () => {
    queue.add('a');
    queue.add('low', { priority: -100 });
    queue.add('high', { priority: 7 });
    queue.add('b');
    queue.add('higher', { priority: 8 });
    expect(takeAll(queue)).to.deep.equal(['higher', 'high', 'a', 'b', 'low']);
  });

  it('are raised by a further add, never lowered', () => {
    queue.add('a', { priority: -100 });
    queue.add('b', { priority: -100 });
    queue.add('c');
    queue.add('b');
    queue.add('c', { priority: -100 });
    expect(queue.size).to.equal(3);
    expect(takeAll(queue)).to.deep.equal(['c', 'b', 'a']);
  });

  it('are kept of a key that is added while it is in work', () => {
    queue.add('a');
    const item = queue.takeNow();
    queue.add('a', { priority: -5 });
    queue.add('a', { priority: 5 });
    queue.add('b');
    item?.done();
    const again = queue.takeNow();
    expect([item?.priority, again?.key, again?.priority]).to.deep.equal([0, 'a', 5]);
  });

  it('belong to one run: the next one begins with that of its add', () => {
    queue.add('a', { priority: 9 });
    expect(takeAll(queue)).to.deep.equal(['a']);
    queue.add('a', { priority: -9 });
    queue.add('b');
    expect(takeAll(queue)).to.deep.equal(['b', 'a']);
  });

  it('hold for delayed keys and retries, the highest of one key', async () => {
    queue.addAfter('a', 50, { priority: -1 });
    queue.addAfter('b', 20);
    queue.addAfter('a', 90, { priority: 3 });
    queue.addRateLimited('c', { priority: 2 });
    await runtime.advance(60);
    expect(takeAll(queue)).to.deep.equal(['a', 'c', 'b']);
  });

  it('are refused unless they are whole numbers in their range', () => {
    for (const priority of [0.5, NaN, 1_000_001, -1_000_001, '5' as unknown as number]) {
      expect(() => queue.add('a', { priority }), String(priority))
        .to.throw('option "priority" must be a whole number')
        .with.property('code', 'INVALID_OPTION');
      expect(() => queue.addAfter('a', 5, { priority })).to.throw('priority');
    }
    expect([queue.size, queue.delayed]).to.deep.equal([0, 0]);
  });

  it('go with the keys when the table of keys is made smaller', () => {
    for (let index = 0; index < 20_000; index += 1) queue.add(`k${index}`, { priority: 1 });
    queue.add('low', { priority: -1 });
    queue.add('low 2', { priority: -1 });
    queue.add('normal');
    const first = queue.takeNow();
    queue.add('k0', { priority: 4 });
    for (let taken = 1; taken < 20_000; taken += 1) queue.takeNow()?.done();
    first?.done();
    expect(takeAll(queue)).to.deep.equal(['k0', 'normal', 'low', 'low 2']);
  });

  it('report the depth of each to the metrics', () => {
    const depths: Record<string, number> = {};
    const counted = new WorkQueue({
      runtime,
      metrics: {
        count: () => {},
        observe: () => {},
        gauge: (name, value, labels = {}) => {
          if (name === 'workqueue_depth') depths[labels['priority'] ?? ''] = value;
        },
      },
    });
    counted.add('a');
    counted.add('b', { priority: -100 });
    counted.add('c', { priority: -100 });
    expect(depths).to.deep.equal({ '0': 1, '-100': 2 });
    counted.add('b', { priority: 3 });
    expect(depths).to.deep.equal({ '0': 1, '-100': 1, '3': 1 });
    counted.takeNow();
    expect(depths).to.deep.equal({ '0': 1, '-100': 1, '3': 0 });
    counted.destroy();
    expect(depths).to.deep.equal({ '0': 0, '-100': 0, '3': 0 });
  });
});

describe('Ageing in a work queue', () => {
  /** Keeps normal keys waiting, takes keys, one each millisecond, and says after how many the key came. */
  async function takenBefore(
    queue: WorkQueue,
    runtime: VirtualRuntime,
    key: string,
  ): Promise<number> {
    for (let taken = 0; taken < 100_000; taken += 1) {
      queue.add(`n${taken}`);
      queue.add(`m${taken}`);
      const item = queue.takeNow();
      item?.done();
      if (item?.key === key) return taken;
      await runtime.advance(1);
    }
    return Infinity;
  }

  it('gives a low key its turn, after ageingMs and at most ten further keys', async () => {
    const runtime = new VirtualRuntime();
    const queue = new WorkQueue({ runtime, ageingMs: 200 });
    queue.add('low', { priority: -100 });
    expect(await takenBefore(queue, runtime, 'low')).to.be.within(200, 210);
  });

  it('takes ten times as many for one with older keys before it', async () => {
    const runtime = new VirtualRuntime();
    const queue = new WorkQueue({ runtime, ageingMs: 200 });
    for (let index = 0; index < 20; index += 1) queue.add(`older ${index}`, { priority: -100 });
    queue.add('low', { priority: -200 });
    const taken = await takenBefore(queue, runtime, 'low');
    // The normal keys age too: those that came before the aged ones were taken are older than none of them.
    expect(taken).to.be.within(200, 200 + 10 * 21);
  });

  it('costs the higher keys a tenth at most', async () => {
    const runtime = new VirtualRuntime();
    const queue = new WorkQueue({ runtime, ageingMs: 0 });
    for (let index = 0; index < 1000; index += 1) queue.add(`low ${index}`, { priority: -100 });
    await runtime.advance(1);
    for (let index = 0; index < 200; index += 1) queue.add(`n${index}`);
    const keys = Array.from({ length: 100 }, () => queue.takeNow()?.key ?? '');
    const aged = [...keys.keys()].filter((place) => keys[place]?.startsWith('low'));
    expect(aged).to.deep.equal([9, 19, 29, 39, 49, 59, 69, 79, 89, 99]);
  });

  it('is turned off by Infinity', async () => {
    const runtime = new VirtualRuntime();
    const queue = new WorkQueue({ runtime, ageingMs: Infinity });
    queue.add('low', { priority: -1 });
    for (let index = 0; index < 500; index += 1) {
      queue.add(`n${index}`);
      await runtime.advance(100_000);
      const item = queue.takeNow();
      expect(item?.key).to.equal(`n${index}`);
      item?.done();
    }
  });
});

describe('A work queue with priorities, with many keys', () => {
  it('takes each key once, by the rules of a simple model', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const random = { random: seededRandom(`priorities ${seed}`) };
      const queue = new WorkQueue<number>({ runtime: new VirtualRuntime(), ageingMs: Infinity });
      /** The waiting items: by key, priority and order. */
      const waiting = new Map<number, { priority: number; order: number }>();
      const range = [5, 300, 5000][seed % 3] as number;
      for (let order = 0; order < 5000; order += 1) {
        if (random.random() < 0.55) {
          const key = randomInteger(random, 0, range);
          const priority = randomInteger(random, -20, 20);
          queue.add(key, { priority });
          const known = waiting.get(key);
          if (known === undefined || known.priority < priority)
            waiting.set(key, { priority, order });
        } else {
          const [best] = [...waiting].toSorted(
            ([, one], [, other]) => other.priority - one.priority || one.order - other.order,
          );
          const item = queue.takeNow();
          expect(item?.key).to.equal(best?.[0]);
          if (best === undefined) continue;
          expect(item?.priority).to.equal(best[1].priority);
          waiting.delete(best[0]);
          item?.done();
        }
        expect(queue.size).to.equal(waiting.size);
      }
    }
  });
});
