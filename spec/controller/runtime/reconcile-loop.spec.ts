import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { silentLogger, type Logger } from '../../../lib/kernel/report/logger.ts';
import { randomInteger } from '../../../lib/kernel/time/random.ts';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { ItemExponentialRateLimiter } from '../../../lib/controller/workqueue/limits/item-exponential-rate-limiter.ts';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';
import {
  TerminalError,
  type ReconcileError,
} from '../../../lib/controller/runtime/reconcile-error.ts';
import {
  ReconcileLoop,
  type Reconcile,
  type ReconcileLoopOptions,
} from '../../../lib/controller/runtime/reconcile-loop.ts';
import { lineLogger } from '../../support/line-logger.ts';

describe('ReconcileLoop', () => {
  let runtime: VirtualRuntime;
  let queue: RateLimitingQueue;
  let errors: ReconcileError[];

  beforeEach(() => {
    runtime = new VirtualRuntime();
    const rateLimiter = new ItemExponentialRateLimiter({ jitter: 0 });
    queue = new RateLimitingQueue({ name: 'shops', runtime, rateLimiter });
    errors = [];
  });

  function loopOf(
    reconcile: Reconcile,
    options: Partial<ReconcileLoopOptions> = {},
  ): ReconcileLoop {
    const onError = (error: ReconcileError): void => void errors.push(error);
    return new ReconcileLoop({ queue, reconcile, onError, runtime, ...options });
  }

  /** Runs what is queued now and what it leads to, until nothing is left. */
  async function drain(loop: ReconcileLoop): Promise<void> {
    const running = loop.run();
    while (queue.size + queue.delayed + queue.processing > 0) await runtime.advance(1_000);
    await queue.close();
    await runtime.run(running);
  }

  it('reconciles each key and ends when the queue is closed and empty', async () => {
    const keys: string[] = [];
    for (const key of ['a', 'b', 'c']) queue.add(key);
    const running = loopOf(async ({ key }) => void keys.push(key)).run();
    await runtime.run(queue.close());
    await runtime.run(running);
    expect(keys).to.deep.equal(['a', 'b', 'c']);
  });

  it('retries a failed key with growing delays, calls the hook, and forgets it on success', async () => {
    const startedAtMs: number[] = [];
    const failures: number[] = [];
    queue.add('shop/web');
    await drain(
      loopOf(async (request) => {
        startedAtMs.push(runtime.monotonicMs());
        failures.push(request.failures);
        if (request.failures < 3) throw new Error('no quota');
      }),
    );
    expect(startedAtMs).to.deep.equal([0, 5, 15, 35]);
    expect(failures).to.deep.equal([0, 1, 2, 3]);
    expect(queue.numRequeues('shop/web')).to.equal(0);
    expect(errors.map(({ retryInMs }) => retryInMs)).to.deep.equal([5, 10, 20]);
    expect(errors[0]).to.include({
      code: 'RECONCILE',
      controller: 'shops',
      key: 'shop/web',
      failures: 1,
    });
    expect(errors[0]!.message).to.equal('shops: shop/web: no quota');
    expect(errors[0]!.cause).to.have.property('message', 'no quota');
  });

  it('treats a synchronous throw, and a throw of something that is no error, alike', async () => {
    queue.add('a');
    await drain(
      loopOf(({ failures }) => {
        // oxlint-disable-next-line typescript/only-throw-error
        if (failures === 0) throw 'plain text';
        return Promise.resolve();
      }),
    );
    expect(errors.map(({ message }) => message)).to.deep.equal(['shops: a: plain text']);
  });

  it('runs a key again after requeueAfterMs, as a success', async () => {
    const startedAtMs: number[] = [];
    queue.add('a');
    await drain(
      loopOf(async ({ failures }) => {
        startedAtMs.push(runtime.monotonicMs());
        if (startedAtMs.length === 1) throw new Error('once');
        expect(failures).to.equal(startedAtMs.length === 2 ? 1 : 0);
        return startedAtMs.length < 4 ? { requeueAfterMs: 700 } : {};
      }),
    );
    expect(startedAtMs).to.deep.equal([0, 5, 705, 1_405]);
  });

  for (const delay of [Number.NaN, -1, Infinity]) {
    it(`takes a requeueAfterMs of ${delay} for a failure, and backs off`, async () => {
      const startedAtMs: number[] = [];
      queue.add('a');
      await drain(
        loopOf(async ({ failures }) => {
          startedAtMs.push(runtime.monotonicMs());
          return failures === 0 ? { requeueAfterMs: delay } : {};
        }),
      );
      expect(errors.map(({ message }) => message).join()).to.match(/shops: a: .*number/);
      expect(startedAtMs).to.deep.equal([0, 5]);
    });
  }

  it('cannot be made without a queue and a reconcile function', () => {
    for (const missing of ['queue', 'reconcile']) {
      expect(() => loopOf(() => Promise.resolve(), { [missing]: undefined }))
        .to.throw(`ReconcileLoop: option "${missing}" is required`)
        .with.property('code', 'INVALID_OPTION');
    }
  });

  it('reports and logs the delay before a retry in whole milliseconds', async () => {
    const rateLimiter = {
      nextDelayMs: () => 5.0228111458236855,
      forget() {},
      numRequeues: () => 1,
    };
    queue = new RateLimitingQueue({ runtime, rateLimiter });
    queue.add('a');
    const logged: unknown[] = [];
    const logger: Logger = {
      ...silentLogger,
      error: (_message, fields) => void logged.push(fields?.['retryInMs']),
    };
    let runs = 0;
    const reconcile = async (): Promise<void> => {
      runs += 1;
      if (runs === 1) throw new Error('passes');
    };
    await drain(loopOf(reconcile, { onError: undefined, logger }));
    expect(logged).to.deep.equal([5]);
  });

  it('does not retry a TerminalError, and forgets the key', async () => {
    let runs = 0;
    queue.add('a');
    await drain(
      loopOf(async () => {
        runs += 1;
        if (runs === 1) throw new Error('passes');
        throw new TerminalError('spec.size is negative');
      }),
    );
    expect([runs, queue.numRequeues('a')]).to.deep.equal([2, 0]);
    expect(errors.at(-1)).to.include({
      message: 'shops: a: given up: spec.size is negative',
      retryInMs: undefined,
    });
  });

  it('says what to do about a reconcile that modifies an object of a cache', async () => {
    const shop = Object.freeze({ replicas: 1 }) as { replicas: number };
    queue.add('a');
    await drain(loopOf(async () => void (shop.replicas = 2), { maxRetries: 0 }));
    expect(errors.map(({ message }) => message)).to.deep.equal([
      "shops: a: given up: Cannot assign to read only property 'replicas' of object '#<Object>'; objects of a cache are shared and frozen: change a copy, structuredClone(object); see docs/guides/objects.md, \"Objects of a cache\"",
    ]);
  });

  it('gives a key up after maxRetries and starts anew when it is added again', async () => {
    let runs = 0;
    const loop = loopOf(
      async () => {
        runs += 1;
        throw new Error('never works');
      },
      { maxRetries: 2 },
    );
    const running = loop.run();
    for (const expected of [3, 6]) {
      queue.add('a');
      await runtime.advance(60_000);
      expect(runs).to.equal(expected);
    }
    expect(errors.map(({ failures }) => failures)).to.deep.equal([1, 2, 3, 1, 2, 3]);
    await queue.close();
    await runtime.run(running);
  });

  it('runs different keys at the same time, up to its concurrency', async () => {
    let most = 0;
    for (let index = 0; index < 20; index += 1) queue.add(`key-${index}`);
    const loop: ReconcileLoop = loopOf(
      async () => {
        most = Math.max(most, loop.running.length);
        await sleep(runtime, 100);
      },
      { concurrency: 4 },
    );
    await drain(loop);
    expect(most).to.equal(4);
  });

  it('never has two runs of one key overlap, in every interleaving', async () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      runtime = new VirtualRuntime({ seed, order: 'random' });
      queue = new RateLimitingQueue({ runtime });
      const inWork = new Set<string>();
      const loop = loopOf(
        async ({ key }) => {
          expect(inWork.has(key), `seed ${seed}: two runs of ${key}`).to.equal(false);
          inWork.add(key);
          await sleep(runtime, randomInteger(runtime, 0, 5));
          inWork.delete(key);
          if (runtime.random() < 0.2) throw new Error('chance');
        },
        { concurrency: 3 },
      );
      const running = loop.run();
      for (let count = 0; count < 60; count += 1) {
        queue.add(`key-${randomInteger(runtime, 0, 3)}`);
        await runtime.advance(randomInteger(runtime, 0, 3));
      }
      await runtime.run(queue.close());
      await runtime.run(running);
    }
    expect(errors.filter(({ message }) => !message.endsWith(': chance'))).to.deep.equal([]);
  });

  it('lets other tasks run between two reconciles of a long queue', async () => {
    let reconciles = 0;
    let reconcilesAtTask = 0;
    for (let index = 0; index < 1_000; index += 1) queue.add(`key-${index}`);
    const running = loopOf(async () => void (reconciles += 1)).run();
    runtime.queueTask(() => runtime.queueTask(() => (reconcilesAtTask = reconciles)));
    await runtime.run(queue.close());
    await runtime.run(running);
    expect(reconcilesAtTask).to.be.within(1, 2);
  });

  const hooks: Readonly<Record<string, () => unknown>> = {
    throws: () => {
      throw new Error('no disk');
    },
    rejects: () => Promise.reject(new Error('no disk')),
  };
  for (const [how, onError] of Object.entries(hooks)) {
    it(`keeps working when the error hook ${how}, and says so`, async () => {
      const lines: string[] = [];
      const logger = lineLogger((line) => lines.push(line));
      queue.add('a');
      await drain(
        loopOf(
          async ({ failures }) => {
            if (failures === 0) throw new Error('once');
          },
          { logger, onError },
        ),
      );
      expect(lines).to.deep.equal([
        'hook threw: no disk (hook=onError controller=shops during="shops: a: once")',
      ]);
    });
  }

  it('reports failures to the logger when there is no hook', async () => {
    const lines: string[] = [];
    const logger = lineLogger((line) => lines.push(line));
    queue.add('a');
    await drain(
      loopOf(
        async ({ failures }) => {
          if (failures === 0) throw new Error('once');
        },
        { logger, onError: undefined },
      ),
    );
    expect(lines).to.deep.equal(['reconcile failed: shops: a: once (failures=1 retryInMs=5)']);
  });

  describe('a run that takes too long', () => {
    it('gets its signal aborted and is retried', async () => {
      queue.add('a');
      await drain(
        loopOf(
          async ({ failures }, { signal }) => {
            if (failures === 0) await sleep(runtime, 60_000, { signal });
          },
          { timeoutMs: 500 },
        ),
      );
      expect(errors.map(({ message }) => message)).to.deep.equal([
        'shops: a: not finished after 500 ms; the key stays in work until the reconcile ends; pass its signal on, or raise timeoutMs',
        'shops: a: not finished after 500 ms',
      ]);
    });

    it('keeps its key when it ignores the signal', async () => {
      let runs = 0;
      queue.add('a');
      const running = loopOf(
        async () => {
          runs += 1;
          await sleep(runtime, 2_000);
        },
        { timeoutMs: 500, concurrency: 2 },
      ).run();
      await runtime.advance(1_000);
      queue.add('a');
      await runtime.advance(900);
      expect([runs, errors.length]).to.deep.equal([1, 1]);
      await runtime.run(queue.close());
      await runtime.run(running);
      expect(runs).to.equal(2);
    });
  });

  describe('runs that never end', () => {
    const stuck = async ({ key }: { readonly key: string }): Promise<void> => {
      if (key.startsWith('stuck')) await new Promise<never>(() => {});
    };

    it('hold their keys, and no other key waits for them', async () => {
      const done: string[] = [];
      for (const key of ['stuck-1', 'stuck-2', 'a', 'b']) queue.add(key);
      const stop = new AbortController();
      const loop = loopOf(
        async (request) => {
          await stuck(request);
          done.push(request.key);
        },
        { timeoutMs: 500 },
      );
      const running = loop.run({ signal: stop.signal }).catch((error: Error) => error.message);
      await runtime.advance(1_500);
      expect(done).to.deep.equal(['a', 'b']);
      expect(loop.running).to.deep.equal(['stuck-1', 'stuck-2']);
      queue.add('stuck-1');
      queue.add('c');
      await runtime.advance(10_000);
      expect(done).to.deep.equal(['a', 'b', 'c']);
      stop.abort();
      await runtime.advance(60_000);
      expect(await running).to.match(/to finish reconciling stuck-1, stuck-2$/);
    });

    it('are replaced a hundred times', async () => {
      for (let index = 0; index < 200; index += 1) queue.add(`stuck-${index}`);
      const stop = new AbortController();
      const loop = loopOf(stuck, { timeoutMs: 500, shutdownTimeoutMs: 0 });
      const running = loop.run({ signal: stop.signal }).catch(() => {});
      await runtime.advance(500_000);
      expect(loop.running).to.have.length(101);
      stop.abort();
      await runtime.run(running);
    });

    it('are not more than `concurrency` for long when they end after all', async () => {
      let most = 0;
      for (let index = 0; index < 40; index += 1) queue.add(`key-${index}`);
      const loop = loopOf(
        async ({ key }) => {
          most = Math.max(most, loop.running.length);
          await sleep(runtime, key === 'key-0' ? 2_000 : 400);
        },
        { timeoutMs: 500 },
      );
      const running = loop.run();
      await runtime.advance(4_000);
      expect(most).to.equal(2);
      most = 0;
      await runtime.advance(4_000);
      expect(most).to.equal(1);
      await runtime.run(queue.close());
      await runtime.run(running);
    });
  });

  it('begins no run while it is paused, and loses no key', async () => {
    const done: string[] = [];
    const loop = loopOf(async ({ key }) => void done.push(key), { concurrency: 2 });
    const stop = new AbortController();
    const running = loop.run({ signal: stop.signal });
    queue.add('a');
    await runtime.settle();
    loop.pause();
    for (const key of ['b', 'c', 'b', 'd']) queue.add(key);
    await runtime.advance(100_000);
    expect(done).to.deep.equal(['a']);
    expect([loop.paused, queue.size]).to.deep.equal([true, 3]);
    loop.resume();
    await runtime.settle();
    expect(done.toSorted()).to.deep.equal(['a', 'b', 'c', 'd']);
    loop.pause();
    stop.abort();
    await runtime.run(running);
  });

  describe('when its signal aborts', () => {
    it('drops what waits, aborts the runs, waits for them and reports no failure', async () => {
      const stop = new AbortController();
      const ended: string[] = [];
      for (const key of ['a', 'b']) queue.add(key);
      const running = loopOf(async ({ key }, { signal }) => {
        try {
          await sleep(runtime, 60_000, { signal });
        } finally {
          await sleep(runtime, 200);
          ended.push(key);
        }
      }).run({ signal: stop.signal });
      await runtime.settle();
      stop.abort();
      await runtime.run(running);
      expect([ended, errors, runtime.monotonicMs()]).to.deep.equal([['a'], [], 200]);
      expect([queue.closing, queue.size, runtime.pending]).to.deep.equal([true, 0, 0]);
    });

    it('does nothing when it has aborted before the start', async () => {
      queue.add('a');
      await runtime.run(
        loopOf(() => Promise.reject(new Error('not reached'))).run({ signal: AbortSignal.abort() }),
      );
      expect([errors, queue.closing]).to.deep.equal([[], true]);
    });

    it('names the runs that do not end in time', async () => {
      const stop = new AbortController();
      queue.add('shop/web');
      const running = loopOf(() => sleep(runtime, 10_000), { shutdownTimeoutMs: 1_000 })
        .run({ signal: stop.signal })
        .catch((error: unknown) => error);
      await runtime.settle();
      stop.abort();
      const error = await runtime.run(running);
      expect(isListwatchError(error, 'TIMEOUT')).to.equal(true);
      expect(error).to.have.property(
        'message',
        'gave up after 1000 ms waiting for shops to finish reconciling shop/web',
      );
    });
  });

  it('runs once', async () => {
    const loop = loopOf(() => Promise.resolve());
    const first = loop.run({ signal: AbortSignal.abort() });
    const error = await loop.run().catch((thrown: unknown) => thrown);
    expect(isListwatchError(error, 'ALREADY_STARTED')).to.equal(true);
    await runtime.run(first);
  });

  it('refuses wrong options by name', () => {
    const reconcile = (): Promise<void> => Promise.resolve();
    for (const [name, value] of [
      ['concurrency', 0],
      ['concurrency', 1.5],
      ['maxRetries', -1],
      ['timeoutMs', NaN],
      ['workers', 3],
    ] as const) {
      expect(() => loopOf(reconcile, { [name]: value })).to.throw(`option "${name}"`);
    }
  });

  it('works on the machine’s own clock', async () => {
    const real = new RateLimitingQueue();
    const seen: string[] = [];
    real.add('a');
    real.addAfter('b', 5);
    const loop = new ReconcileLoop({
      queue: real,
      runtime: realRuntime,
      concurrency: 40,
      onError: (error) => void errors.push(error),
      reconcile: async ({ key }) => {
        seen.push(key);
        if (key === 'b') stop.abort();
      },
    });
    const stop = new AbortController();
    await loop.run({ signal: stop.signal });
    expect([seen, errors]).to.deep.equal([['a', 'b'], []]);
  });
});
