import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ItemExponentialRateLimiter } from '../../../lib/controller/workqueue/limits/item-exponential-rate-limiter.ts';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';

describe('RateLimitingQueue', () => {
  let runtime: VirtualRuntime;
  let queue: RateLimitingQueue;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    const rateLimiter = new ItemExponentialRateLimiter({ jitter: 0, baseMs: 1000, runtime });
    queue = new RateLimitingQueue({ name: 'shops', runtime, rateLimiter });
  });

  describe('inspect', () => {
    it('names the keys that wait, are in work, are delayed or fail, and why', async () => {
      queue.add('a');
      const item = queue.takeNow();
      queue.add('a');
      queue.add('low', { priority: -100 });
      await runtime.advance(30);
      queue.addAfter('later', 500);
      queue.addRateLimited('broken', { reason: 'no quota' });
      queue.addRateLimited('broken', { reason: 'no quota', priority: 3 });
      await runtime.advance(20);
      expect(queue.inspect()).to.deep.equal({
        name: 'shops',
        closing: false,
        waiting: { count: 1, keys: [{ key: 'low', priority: -100, waitedMs: 50 }] },
        running: { count: 1, keys: [{ key: 'a', priority: 0, runningMs: 50, addedAgain: true }] },
        delayed: {
          count: 2,
          keys: [
            { key: 'later', priority: 0, inMs: 480, why: 'delay' },
            { key: 'broken', priority: 3, inMs: 980, why: 'retry' },
          ],
        },
        failing: {
          count: 1,
          keys: [{ key: 'broken', failures: 2, reason: 'no quota', failedMs: 20 }],
        },
      });
      item?.done();
      queue.forget('broken');
      expect(queue.inspect().failing).to.deep.equal({ count: 0, keys: [] });
    });

    it('says what holds a key back', async () => {
      const paced = new RateLimitingQueue({ runtime, debounceMs: 10, minIntervalMs: 100 });
      paced.add('a');
      await runtime.advance(10);
      paced.takeNow()?.done();
      paced.add('a');
      await runtime.advance(10);
      expect(paced.takeNow()).to.equal(undefined);
      paced.add('b');
      const { keys } = paced.inspect().delayed;
      expect(keys.map(({ key, inMs, why }) => [key, inMs, why])).to.deep.equal([
        ['b', 10, 'debounce'],
        ['a', 90, 'limit'],
      ]);
    });

    it('lists no more keys than asked for, the next and the latest ones', () => {
      for (let index = 0; index < 3000; index += 1) {
        queue.add(`k${index}`);
        queue.addAfter(`d${index}`, 4000 - index);
        queue.addRateLimited(`f${index}`, { reason: 'x'.repeat(1000) });
      }
      const { waiting, delayed, failing } = queue.inspect({ limit: 2 });
      expect([waiting.count, waiting.keys.map(({ key }) => key)]).to.deep.equal([
        3000,
        ['k0', 'k1'],
      ]);
      expect([delayed.count, delayed.keys.map(({ inMs }) => inMs)]).to.deep.equal([
        6000,
        [1000, 1000],
      ]);
      expect([failing.count, failing.keys.map(({ key }) => key)]).to.deep.equal([
        1000,
        ['f2999', 'f2998'],
      ]);
      expect(failing.keys[0]?.reason?.length).to.equal(300);
      expect(queue.inspect().waiting.keys.length).to.equal(100);
      expect(() => queue.inspect({ limit: 1001 })).to.throw('"limit" must be a whole number');
    });

    it('lists delayed keys in the order of their times', () => {
      const times = Array.from({ length: 500 }, (_, index) => 1 + ((index * 7919) % 5003));
      for (const [index, inMs] of times.entries()) queue.addAfter(`d${index}`, inMs);
      const listed = queue.inspect({ limit: 400 }).delayed.keys.map(({ inMs }) => inMs);
      expect(listed).to.deep.equal(times.toSorted((one, other) => one - other).slice(0, 400));
    });
  });

  describe('drain', () => {
    const empty = { count: 0, keys: [] };

    it('lets the keys in work end, and drops and reports the others', async () => {
      queue.add('a');
      const item = queue.takeNow();
      queue.add('b');
      queue.addAfter('c', 5000);
      const draining = queue.drain();
      queue.add('d');
      await runtime.advance(100);
      item?.done();
      expect(await runtime.run(draining)).to.deep.equal({
        drained: true,
        running: empty,
        waiting: { count: 1, keys: ['b'] },
        delayed: { count: 1, keys: ['c'] },
      });
      expect(await runtime.run(queue.take())).to.equal(undefined);
      expect(runtime.pending).to.equal(0);
    });

    it('ends at once when nothing is in work', async () => {
      queue.add('b');
      const report = await runtime.run(queue.drain());
      expect([report.drained, report.waiting.keys]).to.deep.equal([true, ['b']]);
    });

    it('works on what waits in the mode all', async () => {
      queue.add('a');
      queue.add('b');
      const draining = queue.drain({ mode: 'all' });
      for (const key of ['a', 'b']) {
        const item = await runtime.run(queue.take());
        expect(item?.key).to.equal(key);
        item?.done();
      }
      const report = await runtime.run(draining);
      expect(report).to.deep.equal({
        drained: true,
        running: empty,
        waiting: empty,
        delayed: empty,
      });
    });

    it('ends at its deadline, and names what is left', async () => {
      for (let index = 0; index < 200; index += 1) queue.add(`k${index}`);
      const item = queue.takeNow();
      const report = await runtime.run(queue.drain({ mode: 'all', timeoutMs: 1000 }));
      expect(runtime.monotonicMs()).to.be.at.least(1000);
      expect([report.drained, report.running]).to.deep.equal([false, { count: 1, keys: ['k0'] }]);
      expect([report.waiting.count, report.waiting.keys.length]).to.deep.equal([199, 100]);
      item?.done();
    });

    it('ends when its signal aborts, without an error', async () => {
      queue.add('a');
      const item = queue.takeNow();
      const stop = new AbortController();
      const draining = queue.drain({ signal: stop.signal });
      stop.abort();
      const report = await runtime.run(draining);
      expect([report.drained, report.running.keys]).to.deep.equal([false, ['a']]);
      item?.done();
    });

    it('reports what is held back as waiting, and works on it in the mode all', async () => {
      const paced = new RateLimitingQueue({ runtime, debounceMs: 1000 });
      paced.add('a');
      const report = await runtime.run(paced.drain());
      expect(report.waiting.keys).to.deep.equal(['a']);
      const other = new RateLimitingQueue({ runtime, debounceMs: 1000 });
      other.add('a');
      const draining = other.drain({ mode: 'all' });
      (await runtime.run(other.take()))?.done();
      expect((await runtime.run(draining)).waiting).to.deep.equal(empty);
    });

    it('refuses an unknown mode', async () => {
      const mode = 'some' as unknown as 'all';
      const failure = await queue.drain({ mode }).catch((error: unknown) => error);
      expect(failure).to.have.property('code', 'INVALID_OPTION');
    });
  });
});
