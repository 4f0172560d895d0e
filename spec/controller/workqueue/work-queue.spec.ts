import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import type { Metrics } from '../../../lib/kernel/report/metrics.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { WorkItem } from '../../../lib/controller/workqueue/keys/work-item.ts';
import { WorkQueue } from '../../../lib/controller/workqueue/work-queue.ts';

describe('WorkQueue', () => {
  let runtime: VirtualRuntime;
  let queue: WorkQueue;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    queue = new WorkQueue({ name: 'shops', runtime });
  });

  async function take(): Promise<WorkItem<string>> {
    const item = await runtime.run(queue.take());
    expect(item, 'an item').to.not.equal(undefined);
    return item!;
  }

  it('hands keys out in the order they were added', async () => {
    for (const key of ['c', 'a', 'b']) queue.add(key);
    const keys = [await take(), await take(), await take()].map((item) => item.key);
    expect(keys).to.deep.equal(['c', 'a', 'b']);
  });

  it('collapses adds of a key that waits', async () => {
    for (let count = 0; count < 3; count += 1) queue.add('a');
    expect(queue.size).to.equal(1);
    (await take()).done();
    expect(queue.size).to.equal(0);
  });

  it('collapses a burst of adds even when a worker is waiting already', async () => {
    const waiting = queue.take();
    await runtime.settle();
    queue.add('a');
    queue.add('a');
    (await runtime.run(waiting))!.done();
    expect(queue.size).to.equal(0);
  });

  it('hands a key added while it is worked on out once more, after done', async () => {
    queue.add('a');
    const first = await take();
    queue.add('a');
    queue.add('a');
    expect(queue.size).to.equal(0);
    first.done();
    expect(queue.size).to.equal(1);
    (await take()).done();
    expect([queue.size, queue.processing]).to.deep.equal([0, 0]);
  });

  it('counts waiting keys and keys in work apart', async () => {
    queue.add('a');
    queue.add('b');
    await take();
    expect([queue.size, queue.processing]).to.deep.equal([1, 1]);
  });

  it('gives each waiting worker one key of a burst, longest waiting first', async () => {
    const takers = [queue.take(), queue.take(), queue.take()];
    await runtime.settle();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    const items = await runtime.run(Promise.all(takers));
    expect(items.map((item) => item?.key)).to.deep.equal(['a', 'b', 'c']);
  });

  it('ignores a second done, also when another worker has the key by then', async () => {
    queue.add('a');
    const first = await take();
    queue.add('a');
    first.done();
    const second = await take();
    first.done();
    queue.add('a');
    expect(queue.size, 'the key is still in the second worker’s hands').to.equal(0);
    second.done();
    expect(queue.size).to.equal(1);
  });

  it('finishes an item at the end of its using block', async () => {
    queue.add('a');
    {
      using item = await take();
      expect(item.key).to.equal('a');
      expect(queue.processing).to.equal(1);
    }
    expect(queue.processing).to.equal(0);
  });

  it('compares keys as Map does and takes any of them', async () => {
    const keys = new WorkQueue<unknown>({ runtime });
    for (const key of [undefined, NaN, NaN, 0, -0, '__proto__', 'constructor', null]) keys.add(key);
    expect(keys.size).to.equal(6);
    const first = await runtime.run(keys.take());
    expect(first).to.have.property('key', undefined);
  });

  describe('take', () => {
    it('rejects with the reason when its signal aborts, and costs the others no key', async () => {
      const controller = new AbortController();
      const given = queue.take({ signal: controller.signal });
      const other = queue.take();
      await runtime.settle();
      queue.add('a');
      const reason = new Error('enough');
      controller.abort(reason);
      expect(await given.catch((error: unknown) => error)).to.equal(reason);
      expect((await runtime.run(other))?.key).to.equal('a');
    });

    it('rejects at once on a signal that has aborted', async () => {
      queue.add('a');
      const signal = AbortSignal.abort(new Error('enough'));
      const error = await queue.take({ signal }).catch((thrown: unknown) => thrown);
      expect(error).to.have.property('message', 'enough');
      expect(queue.size).to.equal(1);
    });
  });

  describe('takeNow', () => {
    it('hands out what waits, in order, and then nothing', () => {
      queue.add('a');
      queue.add('b');
      const items = [queue.takeNow(), queue.takeNow(), queue.takeNow()];
      expect(items.map((item) => item?.key)).to.deep.equal(['a', 'b', undefined]);
      expect([queue.size, queue.processing]).to.deep.equal([0, 2]);
      queue.add('a');
      expect(queue.takeNow(), 'a worker has it').to.equal(undefined);
      items[0]?.done();
      expect(queue.takeNow()?.key).to.equal('a');
    });

    it('lets a worker that was woken for the key wait on', async () => {
      const waiting = queue.take();
      await runtime.settle();
      queue.add('a');
      expect(queue.takeNow()?.key).to.equal('a');
      await runtime.settle();
      queue.add('b');
      expect((await runtime.run(waiting))?.key).to.equal('b');
    });

    it('hands out what is left when the queue closes, and nothing that was destroyed', () => {
      queue.add('a');
      queue.add('b');
      void queue.close();
      queue.takeNow()?.done();
      expect(queue.size).to.equal(1);
      queue.destroy();
      expect(queue.takeNow()).to.equal(undefined);
    });
  });

  describe('close', () => {
    it('refuses new keys, hands the queued ones out, then ends the workers', async () => {
      queue.add('a');
      const closed = queue.close();
      queue.add('b');
      (await take()).done();
      expect(await runtime.run(queue.take())).to.equal(undefined);
      await runtime.run(closed);
    });

    it('wakes the workers that wait', async () => {
      const takers = [queue.take(), queue.take()];
      await runtime.settle();
      await runtime.run(queue.close());
      expect(await runtime.run(Promise.all(takers))).to.deep.equal([undefined, undefined]);
    });

    it('waits for keys that no worker has taken yet', async () => {
      queue.add('a');
      let drained = false;
      const closed = queue.close().then(() => (drained = true));
      await runtime.settle();
      expect(drained).to.equal(false);
      (await take()).done();
      await runtime.run(closed);
      expect(drained).to.equal(true);
    });

    it('waits for a key that is in work', async () => {
      queue.add('a');
      const item = await take();
      let drained = false;
      const closed = queue.close().then(() => (drained = true));
      await runtime.settle();
      expect(drained).to.equal(false);
      item.done();
      await runtime.run(closed);
    });

    it('waits for a key that was added again while it was worked on', async () => {
      queue.add('a');
      const first = await take();
      queue.add('a');
      let drained = false;
      const closed = queue.close().then(() => (drained = true));
      first.done();
      await runtime.settle();
      expect(drained).to.equal(false);
      (await take()).done();
      await runtime.run(closed);
    });

    it('gives up at the deadline and names what is left', async () => {
      queue.add('a');
      queue.add('b');
      await take();
      const error = await runtime.run(
        queue.close({ timeoutMs: 500 }).catch((thrown: unknown) => thrown),
      );
      expect(isListwatchError(error, 'TIMEOUT')).to.equal(true);
      expect(error).to.have.property(
        'message',
        'gave up after 500 ms waiting for shops to drain: 1 keys wait, 1 are worked on (a)',
      );
    });

    it('has a deadline of 30 seconds when none is given', async () => {
      queue.add('a');
      await runtime.run(queue.close().catch(() => {}));
      expect(runtime.monotonicMs()).to.equal(30_000);
    });
  });

  describe('destroy', () => {
    it('drops and returns what waits, and ends the workers and the close at once', async () => {
      queue.add('a');
      queue.add('b');
      const item = await take();
      queue.add('a');
      const closed = queue.close();
      expect(queue.destroy()).to.deep.equal(['b']);
      await runtime.run(closed);
      expect(await runtime.run(queue.take())).to.equal(undefined);
      item.done();
      expect([queue.size, queue.processing]).to.deep.equal([0, 0]);
    });
  });

  it('reports how long the longest running worker has had its key', async () => {
    expect(queue.longestRunningMs).to.equal(0);
    queue.add('a');
    queue.add('b');
    const first = await take();
    await runtime.advance(40);
    await take();
    await runtime.advance(2);
    expect(queue.longestRunningMs).to.equal(42);
    first.done();
    expect(queue.longestRunningMs).to.equal(2);
  });

  it('reports the longest-running worker, for every order in which they finish', async () => {
    const items: WorkItem<string>[] = [];
    for (const key of ['a', 'b', 'c', 'd']) {
      queue.add(key);
      items.push(await take());
      await runtime.advance(10);
    }
    const longest: number[] = [];
    for (const index of [1, 3, 0, 2]) {
      items[index]!.done();
      longest.push(queue.longestRunningMs);
    }
    expect(longest).to.deep.equal([40, 40, 20, 0]);
    expect(queue.processing).to.equal(0);
  });

  it('reads the clock once per task, unless there are metrics', async () => {
    let looks = 0;
    const counting = {
      wallMs: () => runtime.wallMs(),
      monotonicMs: () => {
        looks += 1;
        return runtime.monotonicMs();
      },
      random: () => 0,
      setTimer: (delayMs: number, callback: () => void) => runtime.setTimer(delayMs, callback),
      queueTask: (task: () => void) => {
        runtime.queueTask(task);
      },
    };
    const unobserved = new WorkQueue({ runtime: counting });
    for (let task = 1; task <= 3; task += 1) {
      for (let index = 0; index < 100; index += 1) {
        unobserved.add(`k${index}`);
        unobserved.takeNow()?.done();
      }
      expect(looks).to.equal(task);
      await runtime.settle();
    }
  });

  it('drops what waits and ends its workers when it is disposed of', async () => {
    let disposed: WorkQueue;
    let taking: Promise<unknown>;
    {
      using scoped = new WorkQueue({ name: 'shops', runtime });
      disposed = scoped;
      taking = scoped.take();
      await runtime.settle();
    }
    expect(await runtime.run(taking)).to.equal(undefined);
    disposed.add('a');
    expect(disposed.size).to.equal(0);
  });

  it('counts depth, adds, waiting and working time under its name', async () => {
    const seen: string[] = [];
    const note = (name: string, value = 1, labels = {}): void => {
      seen.push(`${name}${JSON.stringify(labels)} ${value}`);
    };
    const metrics: Metrics = { count: note, gauge: note, observe: note };
    const counted = new WorkQueue({ name: 'shops', runtime, metrics });
    counted.add('a');
    counted.add('a');
    await runtime.advance(2_000);
    const item = await runtime.run(counted.take());
    await runtime.advance(500);
    item!.done();
    expect(seen).to.deep.equal([
      'workqueue_adds_total{"name":"shops"} 1',
      'workqueue_depth{"name":"shops","priority":"0"} 1',
      'workqueue_depth{"name":"shops","priority":"0"} 0',
      'workqueue_queue_duration_seconds{"name":"shops"} 2',
      'workqueue_unfinished_work_seconds{"name":"shops"} 0.5',
      'workqueue_longest_running_processor_seconds{"name":"shops"} 0.5',
      'workqueue_work_duration_seconds{"name":"shops"} 0.5',
    ]);
  });
});
