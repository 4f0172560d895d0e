import {
  ReconcileLoop,
  type ReconcileLoopOptions,
} from '../../../lib/controller/runtime/reconcile-loop.ts';
import type { ReconcileError } from '../../../lib/controller/runtime/reconcile-error.ts';
import { TerminalError } from '../../../lib/controller/runtime/reconcile-error.ts';
import { BucketRateLimiter } from '../../../lib/controller/workqueue/limits/bucket-rate-limiter.ts';
import { ItemExponentialRateLimiter } from '../../../lib/controller/workqueue/limits/item-exponential-rate-limiter.ts';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { BadUseArea } from '../bad-use.ts';

type Reconcile = ReconcileLoopOptions['reconcile'];

function loop(options: object = {}): ReconcileLoop {
  const queue = new RateLimitingQueue({ name: 'shops' });
  return new ReconcileLoop({ queue, reconcile: () => Promise.resolve(), ...options });
}

/** The first error that a loop reports while it reconciles `shop/web`. */
const reconciled =
  (reconcile: unknown, options: object = {}) =>
  async (): Promise<unknown> => {
    const runtime = new VirtualRuntime();
    const queue = new RateLimitingQueue({ name: 'shops', runtime });
    const errors: ReconcileError[] = [];
    const loop = new ReconcileLoop({
      queue,
      reconcile: reconcile as Reconcile,
      runtime,
      logger: silentLogger,
      onError: (error) => errors.push(error),
      ...options,
    });
    queue.add('shop/web');
    const stop = new AbortController();
    const run = loop.run({ signal: stop.signal });
    await runtime.advance(10_000);
    stop.abort();
    await runtime.run(run.catch(() => {}));
    return errors[0];
  };

export const RECONCILES: BadUseArea = {
  title: 'Reconciles',
  cases: [
    {
      mistake: 'no queue',
      act: () => new ReconcileLoop({ reconcile: () => Promise.resolve() } as never),
      code: 'INVALID_OPTION',
      message: 'ReconcileLoop: option "queue" is required',
    },
    {
      mistake: 'no reconcile function',
      act: () => new ReconcileLoop({ queue: new RateLimitingQueue() } as never),
      code: 'INVALID_OPTION',
      message: 'ReconcileLoop: option "reconcile" is required',
    },
    {
      mistake: 'a reconcile that is no function',
      act: () => loop({ reconcile: 'web' }),
      code: 'INVALID_OPTION',
      message: 'ReconcileLoop: option "reconcile" must be a function, not a string',
    },
    {
      mistake: 'a queue that is none',
      act: () => loop({ queue: [] }),
      code: 'INVALID_OPTION',
      message: 'ReconcileLoop: option "queue" must be a RateLimitingQueue, not an array',
    },
    {
      mistake: 'a concurrency of 0',
      act: () => loop({ concurrency: 0 }),
      code: 'INVALID_OPTION',
      message: 'ReconcileLoop: option "concurrency" must be a whole number from 1 to 10000, not 0',
    },
    {
      mistake: 'a misspelled option',
      act: () => loop({ maxRetrys: 3 }),
      code: 'INVALID_OPTION',
      message: 'ReconcileLoop: unknown option "maxRetrys"; did you mean "maxRetries"?',
    },
    {
      mistake: 'a second run',
      act: async () => {
        const one = loop();
        const stop = new AbortController();
        const first = one.run({ signal: stop.signal });
        try {
          await one.run();
        } finally {
          stop.abort();
          await first;
        }
      },
      code: 'ALREADY_STARTED',
      message: 'shops: a reconcile loop runs once; make a new one',
    },
    {
      mistake: 'a reconcile that throws',
      own: true,
      act: reconciled(() => {
        throw new Error('no such image');
      }),
      code: 'RECONCILE',
      message: 'shops: shop/web: no such image',
    },
    {
      mistake: 'a reconcile that throws text',
      own: true,
      act: reconciled(() => {
        throw 'no such image' as unknown as Error;
      }),
      code: 'RECONCILE',
      message: 'shops: shop/web: no such image',
    },
    {
      mistake: 'a reconcile that is given up',
      own: true,
      act: reconciled(() => {
        throw new TerminalError('spec.size is -1');
      }),
      code: 'RECONCILE',
      message: 'shops: shop/web: given up: spec.size is -1',
    },
    {
      mistake: 'a delay below 0',
      act: reconciled(() => Promise.resolve({ requeueAfterMs: -1 })),
      code: 'RECONCILE',
      message:
        'shops: shop/web: reconcile: option "requeueAfterMs" must be a number of at least 0, not -1',
    },
    {
      mistake: 'a delay that is text',
      act: reconciled(() => Promise.resolve({ requeueAfterMs: '5s' })),
      code: 'RECONCILE',
      message:
        'shops: shop/web: reconcile: option "requeueAfterMs" must be a number of at least 0, not "5s"',
    },
    {
      mistake: 'a reconcile that does not end',
      act: reconciled(
        (_: unknown, { signal }: { signal: AbortSignal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          }),
        { timeoutMs: 1_000 },
      ),
      code: 'RECONCILE',
      message:
        'shops: shop/web: not finished after 1000 ms; the key stays in work until the reconcile ends; pass its signal on, or raise timeoutMs',
    },
  ],
};

export const QUEUES: BadUseArea = {
  title: 'Queues',
  cases: [
    {
      mistake: 'a misspelled option',
      act: () => new RateLimitingQueue({ rateLimitr: {} } as never),
      code: 'INVALID_OPTION',
      message: 'RateLimitingQueue: unknown option "rateLimitr"; did you mean "rateLimiter"?',
    },
    {
      mistake: 'a delay that is no number',
      act: () => new RateLimitingQueue({ name: 'shops' }).addAfter('shop/web', Number.NaN),
      code: 'INVALID_OPTION',
      message:
        'shops: addAfter of shop/web: the delay must be a finite number of milliseconds, not NaN',
    },
    {
      mistake: 'a delay that is text',
      act: () => new RateLimitingQueue({ name: 'shops' }).addAfter('shop/web', '5s' as never),
      code: 'INVALID_OPTION',
      message:
        'shops: addAfter of shop/web: the delay must be a finite number of milliseconds, not 5s',
    },
    {
      mistake: 'a delay below 0',
      act: () => new ItemExponentialRateLimiter({ baseMs: -1 }),
      code: 'INVALID_OPTION',
      message: 'ItemExponentialRateLimiter: option "baseMs" must be a number of at least 0, not -1',
    },
    {
      mistake: 'a rate of 0',
      act: () => new BucketRateLimiter({ perSecond: 0 }),
      code: 'INVALID_OPTION',
      message:
        'BucketRateLimiter: option "perSecond" must be a number from 0.001 to 1000000000, not 0',
    },
  ],
};
