import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { MetricLabels, Metrics } from '../../../lib/kernel/report/metrics.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { TerminalError } from '../../../lib/controller/runtime/reconcile-error.ts';
import { ReconcileLoop, type Reconcile } from '../../../lib/controller/runtime/reconcile-loop.ts';
import { ItemExponentialRateLimiter } from '../../../lib/controller/workqueue/limits/item-exponential-rate-limiter.ts';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';

/** Reconciles the keys and whatever comes of them; gives the gauges that the loop has reported, in order. */
async function gauges(
  keys: readonly string[],
  reconcile: (runtime: VirtualRuntime) => Reconcile,
): Promise<unknown[][]> {
  const lines = await everything(keys, reconcile);
  return lines.filter(([verb]) => verb === 'gauge').map((line) => line.slice(1, 3));
}

/** The same with the counters and observations. */
async function notified(
  keys: readonly string[],
  reconcile: (runtime: VirtualRuntime) => Reconcile,
): Promise<unknown[][]> {
  const lines = await everything(keys, reconcile);
  return lines.filter(([verb]) => verb !== 'gauge');
}

async function everything(
  keys: readonly string[],
  reconcile: (runtime: VirtualRuntime) => Reconcile,
): Promise<unknown[][]> {
  const runtime = new VirtualRuntime();
  const rateLimiter = new ItemExponentialRateLimiter({ jitter: 0 });
  const queue = new RateLimitingQueue({ name: 'queue', runtime, rateLimiter });
  const lines: unknown[][] = [];
  const note =
    (verb: keyof Metrics) =>
    (name: string, value: number = 1, labels: MetricLabels = {}): void => {
      lines.push([verb, name, value, labels]);
    };
  const loop = new ReconcileLoop({
    queue,
    reconcile: reconcile(runtime),
    name: 'shops',
    runtime,
    onError: () => {},
    metrics: { count: note('count'), gauge: note('gauge'), observe: note('observe') },
  });
  for (const key of keys) queue.add(key);
  const running = loop.run();
  while (queue.size + queue.delayed + queue.processing > 0) await runtime.advance(1000);
  await queue.close();
  await runtime.run(running);
  return lines;
}

const TOTAL = 'controller_runtime_reconcile_total';
const TIME = 'controller_runtime_reconcile_time_seconds';
const total = (result: string): unknown[] => ['count', TOTAL, 1, { controller: 'shops', result }];
const error = (kind = 'reconcile_errors'): unknown[] => [
  'count',
  `controller_runtime_${kind}_total`,
  1,
  { controller: 'shops' },
];
const took = (seconds: number): unknown[] => ['observe', TIME, seconds, { controller: 'shops' }];

describe('metrics of a reconcile loop', () => {
  it('count a success, with its time in seconds', async () => {
    const lines = await notified(['a', 'b'], (runtime) => async ({ key }) => {
      await sleep(runtime, key === 'a' ? 250 : 1500);
    });
    expect(lines).to.deep.equal([total('success'), took(0.25), total('success'), took(1.5)]);
  });

  it('count a run that comes back by itself apart, and no requeue for 0', async () => {
    const delays = [50, 0];
    const lines = await notified(['a'], () => async () => ({
      requeueAfterMs: delays.shift() ?? 0,
    }));
    expect(lines).to.deep.equal([total('requeue_after'), took(0), total('success'), took(0)]);
  });

  it('count each failed run, and the success after it', async () => {
    const lines = await notified(['a'], (runtime) => async ({ failures }) => {
      await sleep(runtime, 100);
      if (failures < 2) throw new Error('no quota');
    });
    const failed = [total('error'), error(), took(0.1)];
    expect(lines).to.deep.equal([...failed, ...failed, total('success'), took(0.1)]);
  });

  it('count a failure without a retry, and a result that is none, as errors', async () => {
    const terminal = await notified(['a'], () => async () => {
      throw new TerminalError('no such shop');
    });
    expect(terminal).to.deep.equal([
      total('error'),
      error(),
      error('terminal_reconcile_errors'),
      took(0),
    ]);
    const results = [{ requeueAfterMs: -1 }, {}];
    const negative = await notified(['a'], () => async () => results.shift());
    expect(negative).to.deep.equal([total('error'), error(), took(0), total('success'), took(0)]);
  });

  it('say how many reconciles run, and how many may', async () => {
    const lines = await gauges(['a', 'b'], (runtime) => () => sleep(runtime, 100));
    expect(lines).to.deep.equal([
      ['controller_runtime_max_concurrent_reconciles', 1],
      ['controller_runtime_active_workers', 1],
      ['controller_runtime_active_workers', 0],
      ['controller_runtime_active_workers', 1],
      ['controller_runtime_active_workers', 0],
    ]);
  });

  it('do not count a run that the shutdown cut short as failed', async () => {
    const runtime = new VirtualRuntime();
    const queue = new RateLimitingQueue({ name: 'queue', runtime });
    const names: string[] = [];
    const note = (name: string): void => void names.push(name);
    const loop = new ReconcileLoop({
      queue,
      runtime,
      metrics: { count: note, gauge: () => {}, observe: note },
      reconcile: async (_request, { signal }) => {
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      },
    });
    queue.add('a');
    const stopper = new AbortController();
    const running = loop.run({ signal: stopper.signal });
    await runtime.settle();
    stopper.abort(new Error('shut down'));
    await runtime.run(running);
    expect(names).to.deep.equal([TIME]);
  });
});
