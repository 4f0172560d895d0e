import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { NO_NUMBER, type NoteWriter } from '../../../lib/controller/workqueue/keys/key-note.ts';
import type { QueuePacingOptions } from '../../../lib/controller/workqueue/queue-pacing.ts';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';

describe('The pace of a queue', () => {
  let runtime: VirtualRuntime;
  /** `key@milliseconds` of each run. */
  let runs: string[];

  beforeEach(() => {
    runtime = new VirtualRuntime();
    runs = [];
  });

  /** A queue whose workers take no time. */
  function queueWith(options: QueuePacingOptions, workers: number = 1): RateLimitingQueue {
    const queue = new RateLimitingQueue({ name: 'shops', runtime, ...options });
    const startedMs = runtime.monotonicMs();
    const work = async (): Promise<void> => {
      for (;;) {
        using item = await queue.take();
        if (item === undefined) return;
        runs.push(`${item.key}@${Math.round(runtime.monotonicMs() - startedMs)}`);
      }
    };
    for (let worker = 0; worker < workers; worker += 1) void work();
    return queue;
  }

  describe('with debounceMs', () => {
    it('waits until a key has not been added for that long', async () => {
      const queue = queueWith({ debounceMs: 100 });
      for (let times = 0; times < 5; times += 1) {
        queue.add('a');
        await runtime.advance(40);
      }
      queue.add('b');
      await runtime.advance(500);
      expect(runs).to.deep.equal(['a@260', 'b@300']);
    });

    it('keeps what is noted of a key while it waits', async () => {
      const queue = new RateLimitingQueue({ name: 'shops', runtime, debounceMs: 100 });
      const noted = (text: string): NoteWriter => ({
        keyNumber: NO_NUMBER,
        write: (earlier) => (typeof earlier === 'string' ? `${earlier} ${text}` : text),
      });
      queue.addNoted('a', 0, noted('first'));
      await runtime.advance(60);
      queue.addNoted('a', 0, noted('second'));
      await runtime.advance(99);
      expect([queue.size, queue.delayed]).to.deep.equal([0, 1]);
      await runtime.advance(1);
      expect([queue.size, queue.delayed]).to.deep.equal([1, 0]);
      queue.addNoted('a', 0, noted('third'));
      using item = queue.takeNow();
      expect(item?.key).to.equal('a');
      expect(queue.takeNote('a')).to.equal('first second third');
      expect(queue.delayed).to.equal(0);
    });

    it('waits no longer than maxDebounceMs', async () => {
      const queue = queueWith({ debounceMs: 100, maxDebounceMs: 250 });
      for (let times = 0; times < 30; times += 1) {
        queue.add('a');
        await runtime.advance(20);
      }
      expect(runs).to.deep.equal(['a@250', 'a@510']);
    });

    it('does not delay retries and delayed keys', async () => {
      const queue = queueWith({ debounceMs: 1000 });
      queue.addAfter('a', 10);
      queue.addAfter('b', 0);
      queue.addRateLimited('c');
      await runtime.advance(20);
      expect(runs.map((run) => run[0])).to.have.members(['a', 'b', 'c']);
    });

    it('keeps the highest priority of the adds', async () => {
      const queue = new RateLimitingQueue({ runtime, debounceMs: 10 });
      queue.add('a');
      queue.add('b', { priority: -1 });
      queue.add('b', { priority: 2 });
      await runtime.advance(20);
      expect([queue.takeNow()?.key, queue.takeNow()?.key]).to.deep.equal(['b', 'a']);
    });

    it('loses no key at close, and drops those of destroy', async () => {
      const queue = queueWith({ debounceMs: 100 });
      queue.add('a');
      await runtime.run(queue.close());
      expect(runs).to.deep.equal(['a@0']);
      const other = new RateLimitingQueue({ runtime, debounceMs: 100 });
      other.add('a');
      expect([other.delayed, other.destroy(), other.delayed]).to.deep.equal([1, ['a'], 0]);
    });
  });

  describe('with minIntervalMs', () => {
    it('keeps the runs of one key apart, and no others', async () => {
      const queue = queueWith({ minIntervalMs: 100 });
      for (let times = 0; times < 10; times += 1) {
        queue.add('a');
        queue.add(`b${times}`);
        await runtime.advance(30);
      }
      await runtime.advance(500);
      expect(runs.filter((run) => run.startsWith('a'))).to.deep.equal([
        'a@0',
        'a@100',
        'a@200',
        'a@300',
      ]);
      expect(runs.filter((run) => run.startsWith('b')).length).to.equal(10);
    });

    it('ends with a close, which does not wait for it', async () => {
      const queue = queueWith({ minIntervalMs: 60_000 });
      queue.add('a');
      await runtime.advance(10);
      queue.add('a');
      await runtime.advance(10);
      expect(runs).to.deep.equal(['a@0']);
      await runtime.run(queue.close());
      expect(runs).to.deep.equal(['a@0', 'a@20']);
    });
  });

  describe('with maxPerSecond', () => {
    it('limits the runs of all keys after the burst, with one worker and with several', async () => {
      for (const workers of [1, 4]) {
        runs = [];
        const queue = queueWith({ maxPerSecond: 10, burst: 3 }, workers);
        for (let index = 0; index < 6; index += 1) queue.add(`k${index}`);
        await runtime.advance(1000);
        expect(runs).to.deep.equal(['k0@0', 'k1@0', 'k2@0', 'k3@100', 'k4@200', 'k5@300']);
        queue.destroy();
      }
    });

    it('lets the highest priority pass first', async () => {
      const queue = queueWith({ maxPerSecond: 1, burst: 1 });
      queue.add('a');
      await runtime.settle();
      queue.add('low', { priority: -1 });
      await runtime.advance(500);
      queue.add('high', { priority: 1 });
      await runtime.advance(2000);
      expect(runs).to.deep.equal(['a@0', 'high@1000', 'low@2000']);
    });

    it('also holds while the queue is closed, and all workers end', async () => {
      const queue = queueWith({ maxPerSecond: 10, burst: 1 }, 3);
      for (let index = 0; index < 4; index += 1) queue.add(`k${index}`);
      await runtime.run(queue.close());
      expect(runs).to.deep.equal(['k0@0', 'k1@100', 'k2@200', 'k3@300']);
      expect(runtime.pending).to.equal(0);
    });

    it('leaves no timer after destroy', async () => {
      const queue = queueWith({ maxPerSecond: 1, burst: 1, minIntervalMs: 50, debounceMs: 10 });
      for (let index = 0; index < 4; index += 1) queue.add(`k${index}`);
      await runtime.advance(10);
      queue.destroy();
      await runtime.settle();
      expect(runtime.pending).to.equal(0);
    });
  });

  it('is refused when a number is out of range', () => {
    const refused: readonly QueuePacingOptions[] = [
      { debounceMs: -1 },
      { debounceMs: 100, maxDebounceMs: 50 },
      { minIntervalMs: Number.NaN },
      { maxPerSecond: 0 },
      { burst: 0 },
    ];
    for (const options of refused) {
      expect(() => new RateLimitingQueue({ runtime, ...options }), JSON.stringify(options))
        .to.throw('must be a number')
        .with.property('code', 'INVALID_OPTION');
    }
  });
});
