import { expect } from 'chai';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { DelayingQueue } from '../../../lib/controller/workqueue/delaying-queue.ts';

describe('DelayingQueue', () => {
  let runtime: VirtualRuntime;
  let queue: DelayingQueue;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    queue = new DelayingQueue({ name: 'shops', runtime });
  });

  async function takeAll(): Promise<string[]> {
    const keys: string[] = [];
    while (queue.size > 0) {
      const item = await runtime.run(queue.take());
      keys.push(item!.key);
      item!.done();
    }
    return keys;
  }

  it('adds a key when its time has come, not before', async () => {
    queue.addAfter('a', 50);
    await runtime.advance(49);
    expect([queue.size, queue.delayed]).to.deep.equal([0, 1]);
    await runtime.advance(1);
    expect([queue.size, queue.delayed]).to.deep.equal([1, 0]);
  });

  it('hands keys out in the order of their times', async () => {
    queue.addAfter('c', 30);
    queue.addAfter('a', 10);
    queue.addAfter('b', 20);
    await runtime.advance(30);
    expect(await takeAll()).to.deep.equal(['a', 'b', 'c']);
  });

  it('lets the earlier of two times win, whichever was given first', async () => {
    queue.addAfter('a', 50);
    queue.addAfter('a', 10);
    queue.addAfter('b', 10);
    queue.addAfter('b', 50);
    await runtime.advance(10);
    expect(await takeAll()).to.deep.equal(['a', 'b']);
    await runtime.advance(100);
    expect(queue.size).to.equal(0);
  });

  it('adds at once when the delay is 0 or less', () => {
    queue.addAfter('a', 0);
    queue.addAfter('b', -5);
    expect([queue.size, queue.delayed]).to.deep.equal([2, 0]);
  });

  it('keeps a delayed add when the key is added at once meanwhile', async () => {
    queue.addAfter('a', 50);
    queue.add('a');
    expect(await takeAll()).to.deep.equal(['a']);
    await runtime.advance(50);
    expect(await takeAll()).to.deep.equal(['a']);
  });

  it('runs one timer for all delayed keys, and none when there is none', async () => {
    for (let index = 0; index < 1_000; index += 1) queue.addAfter(`key-${index}`, 1_000 - index);
    expect(runtime.pending).to.equal(1);
    await runtime.advance(1_000);
    expect([queue.size, runtime.pending]).to.deep.equal([1_000, 0]);
  });

  describe('of which many keys are ready at once', () => {
    /** How many keys wait, apart from the first, each time that something else gets its turn. */
    async function sizes(meanwhile: () => void = () => {}): Promise<number[]> {
      const seen: number[] = [];
      const look = (): void => {
        seen.push(queue.size);
        meanwhile();
        if (seen.length < 6) runtime.queueTask(look);
      };
      for (let index = 0; index < 3_000; index += 1) queue.addAfter(`key-${index}`, 1_000);
      void queue.take().then(look);
      await runtime.advance(1_000);
      return seen;
    }

    it('adds them slice by slice, in their order, and leaves others their turns between', async () => {
      expect(await sizes()).to.deep.equal([1023, 2047, 2999, 2999, 2999, 2999]);
      expect(runtime.pending).to.equal(0);
      const keys = await takeAll();
      expect(keys).to.deep.equal(Array.from({ length: 2_999 }, (_, index) => `key-${index + 1}`));
    });

    it('waits with one timer for those that were delayed meanwhile', async () => {
      let late = 0;
      const pending: number[] = [];
      await sizes(() => {
        late += 1;
        queue.addAfter(`late-${late}`, 500);
        pending.push(runtime.pending);
      });
      // The clock that the first key was taken by still has its task then.
      expect(pending, 'the next slice, then the timer').to.deep.equal([2, 1, 1, 1, 1, 1]);
      expect([queue.size, queue.delayed, runtime.pending]).to.deep.equal([2999, late, 1]);
      await runtime.advance(500);
      expect([queue.size, queue.delayed, runtime.pending]).to.deep.equal([2999 + late, 0, 0]);
    });

    it('adds none of the rest when it is destroyed', async () => {
      await sizes(() => queue.destroy());
      expect([queue.size, queue.delayed, runtime.pending]).to.deep.equal([0, 0, 0]);
    });
  });

  it('refuses a delay that is not a finite number and names key and queue', () => {
    for (const delayMs of [NaN, Infinity]) {
      expect(() => queue.addAfter('shop/web', delayMs))
        .to.throw(ListwatchError, /^shops: addAfter of shop\/web: .* not (NaN|Infinity)$/)
        .with.property('code', 'INVALID_OPTION');
    }
  });

  for (const end of ['close', 'destroy'] as const) {
    it(`drops delayed keys and their timer on ${end}, and refuses new ones`, async () => {
      queue.addAfter('a', 50);
      await queue[end]();
      queue.addAfter('b', 50);
      queue.addAfter('c', 0);
      expect([queue.size, queue.delayed, runtime.pending]).to.deep.equal([0, 0, 0]);
    });
  }

  it('counts each delayed add as a retry', () => {
    const counts: string[] = [];
    const metrics = {
      count: (name: string): void => void counts.push(name),
      gauge: (): void => {},
      observe: (): void => {},
    };
    const counted = new DelayingQueue({ runtime, metrics });
    counted.addAfter('a', 10);
    counted.addAfter('a', 20);
    expect(counts).to.deep.equal(['workqueue_retries_total', 'workqueue_retries_total']);
  });
});
