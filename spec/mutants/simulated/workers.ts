import { RateLimitingQueue, type Client, type Runtime } from '../../../lib/index.ts';
import { ItemExponentialRateLimiter } from '../../../lib/controller/workqueue/limits/item-exponential-rate-limiter.ts';
import type { MetricLabels, Metrics } from '../../../lib/kernel/report/metrics.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import { Complaints, noComplaints } from './complaints.ts';

const RESULT = 'work-done';

/** Takes the keys of a queue by hand, and notes what it gets. */
class Worker {
  readonly queue: RateLimitingQueue;
  /** `KEY` as it was taken, in order. */
  readonly taken: string[] = [];
  readonly #complain: (text: string) => void;
  readonly #runtime: Runtime;
  readonly #working = new Set<string>();
  /** The time of the last taking of each key. */
  readonly #takenMs = new Map<string, number>();
  readonly #failures = new Map<string, number>();

  constructor(queue: RateLimitingQueue, runtime: Runtime, complain: (text: string) => void) {
    this.queue = queue;
    this.#runtime = runtime;
    this.#complain = complain;
  }

  takenMs(key: string): number {
    return this.#takenMs.get(key) ?? NaN;
  }

  count(key: string): number {
    return this.taken.filter((one) => one === key).length;
  }

  /** `fail-N` fails N times. */
  async work(signal: AbortSignal): Promise<void> {
    for (;;) {
      const item = await this.queue.take({ signal });
      if (item === undefined) return;
      const { key } = item;
      if (this.#working.has(key)) this.#complain(`${key} is given to two workers`);
      this.#working.add(key);
      this.taken.push(key);
      this.#takenMs.set(key, this.#runtime.monotonicMs());
      if (key.startsWith('again-')) {
        if (this.count(key) === 1) for (let time = 0; time < 3; time += 1) this.queue.add(key);
      }
      await sleep(this.#runtime, 10);
      const [, times = '0'] = key.startsWith('fail-') ? key.split('-') : [];
      const failures = this.#failures.get(key) ?? 0;
      if (failures < Number(times)) {
        if (this.queue.numRequeues(key) !== failures)
          this.#complain(`${key}: failures are not counted`);
        const delayMs = this.queue.addRateLimited(key) ?? 0;
        if (delayMs !== 100 * 2 ** failures)
          this.#complain(`${key}: its retry comes after ${delayMs} ms`);
        this.#failures.set(key, failures + 1);
      } else {
        this.queue.forget(key);
        if (this.queue.numRequeues(key) !== 0)
          this.#complain(`${key}: its failures are not forgotten`);
      }
      this.#working.delete(key);
      item.done();
    }
  }
}

/** Metrics as a program keeps them. */
class Counts implements Metrics {
  readonly counts = new Map<string, number>();
  readonly gauges = new Map<string, number>();
  readonly observed = new Map<string, number>();

  count(name: string, by = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + by);
  }

  /** The sum over the priorities. */
  readonly #byLabels = new Map<string, number>();
  gauge(name: string, value: number, labels: MetricLabels = {}): void {
    this.#byLabels.set(`${name} ${JSON.stringify(labels)}`, value);
    const all = [...this.#byLabels].filter(([key]) => key.startsWith(`${name} `));
    this.gauges.set(
      name,
      all.reduce((sum, [, one]) => sum + one, 0),
    );
  }

  observe(name: string): void {
    this.observed.set(name, (this.observed.get(name) ?? 0) + 1);
  }
}

/** Whether the queue keeps what its documentation says; without requests, so no fault but a pause disturbs it. */
async function program(
  runtime: Runtime,
  signal: AbortSignal,
  complain: (text: string) => void,
): Promise<string> {
  const must = (what: string, holds: boolean): void => {
    if (!holds) complain(what);
  };
  const same = (what: string, found: unknown, expected: unknown): void => {
    if (String(found) !== String(expected))
      complain(`${what}: ${String(found)}, not ${String(expected)}`);
  };
  const counts = new Counts();
  const rateLimiter = new ItemExponentialRateLimiter({
    baseMs: 100,
    capMs: 60_000,
    jitter: 0,
  });
  const queue = new RateLimitingQueue({
    name: 'by hand',
    runtime,
    rateLimiter,
    ageingMs: Infinity,
  });
  const worker = new Worker(queue, runtime, complain);
  queue.reportTo(counts);
  for (const [key, priority] of [
    ['low', -5],
    ['one', 0],
    ['two', 0],
    ['high', 7],
    ['higher', 9],
  ] as const)
    queue.add(key, { priority });
  queue.add('two', { priority: 8 });
  queue.add('one');
  same('keys that wait', queue.size, 5);
  const { waiting, running } = queue.inspect();
  same(
    'keys in the report',
    waiting.keys.map(({ key }) => key),
    'higher,two,high,one,low',
  );
  same('keys in work', running.count, 0);
  const workers = [worker.work(signal)];
  await sleep(runtime, 200);
  same('the order of priorities', worker.taken, 'higher,two,high,one,low');
  same('keys that wait in the end', queue.size + queue.processing + queue.delayed, 0);

  workers.push(worker.work(signal));
  for (const key of ['again-1', 'again-2', 'fail-3', 'fail-1']) queue.add(key);
  await sleep(runtime, 5000);
  for (const [key, times] of [
    ['again-1', 2],
    ['again-2', 2],
    ['fail-3', 4],
    ['fail-1', 2],
  ] as const)
    same(`runs of ${key}`, worker.count(key), times);

  const startMs = runtime.monotonicMs();
  queue.addAfter('later', 900);
  queue.addAfter('soon', 300);
  queue.addAfter('later', 600);
  queue.addAfter('later', 800);
  queue.addAfter('now', 0);
  same('keys that are delayed', queue.delayed, 2);
  await sleep(runtime, 3000);
  const tookMs = (key: string): number => worker.takenMs(key) - startMs;
  must('a key came before its time', tookMs('later') >= 600 && tookMs('soon') >= 300);
  must(
    'delayed keys came in another order',
    tookMs('now') < tookMs('soon') && tookMs('soon') < tookMs('later'),
  );
  same(
    'runs of the delayed keys',
    ['later', 'soon', 'now'].map((key) => worker.count(key)),
    '1,1,1',
  );

  const many = Array.from({ length: 300 }, (_, index) => ({
    key: `m${index}`,
    priority: index % 7,
  }));
  for (const { key, priority } of many) queue.add(key, { priority });
  for (const { key, priority } of many.slice(0, 20)) queue.add(key, { priority: priority + 10 });
  const before = worker.taken.length;
  await sleep(runtime, 10_000);
  const order = many
    .map((one, index) => (index < 20 ? { ...one, priority: one.priority + 10 } : one))
    .toSorted((one, other) => other.priority - one.priority)
    .map(({ key }) => key);
  const found = worker.taken.slice(before);
  same('many keys', found.toSorted(), order.toSorted());
  // Two workers take them, so neighbours may be exchanged.
  must(
    'many keys came in another order',
    order.every((key, at) => Math.abs(found.indexOf(key) - at) <= 1),
  );
  same('the depth', counts.gauges.get('workqueue_depth'), 0);
  same('keys that were added', counts.counts.get('workqueue_adds_total'), worker.taken.length);
  same(
    'keys that were taken',
    counts.observed.get('workqueue_queue_duration_seconds'),
    worker.taken.length,
  );
  same(
    'keys that were done',
    counts.observed.get('workqueue_work_duration_seconds'),
    worker.taken.length,
  );
  // Four failures, and five keys for later, of which one was for now.
  same('retries', counts.counts.get('workqueue_retries_total'), 9);

  const burst = new RateLimitingQueue({
    name: 'slow',
    runtime,
    debounceMs: 100,
    maxPerSecond: 2,
    burst: 1,
  });
  const slow = new Worker(burst, runtime, complain);
  workers.push(slow.work(signal));
  for (const key of ['p', 'q', 'r', 'p']) burst.add(key);
  const addedMs = runtime.monotonicMs();
  await sleep(runtime, 8000);
  same('keys of the slow queue', slow.taken.toSorted(), 'p,q,r');
  must('a debounced key came at once', slow.takenMs(slow.taken[0] ?? '') - addedMs >= 99);
  must('the limit of a second is not kept', slow.takenMs(slow.taken[2] ?? '') - addedMs >= 999);
  // Added again and again: it waits for 100 ms of rest, at most for a second.
  for (let time = 0; time < 4; time += 1) {
    burst.add('s');
    burst.add('t');
    await sleep(runtime, 60);
  }
  const restMs = runtime.monotonicMs();
  for (let time = 0; time < 30; time += 1) {
    burst.add('t');
    await sleep(runtime, 60);
  }
  await sleep(runtime, 5000);
  same('runs of a debounced key', slow.count('s'), 1);
  must('a debounced key came too early', slow.takenMs('s') - restMs >= 30);
  must('a key that is added again and again starves', slow.count('t') >= 2 && slow.count('t') <= 4);
  same('what the slow queue holds back', [burst.size, burst.delayed], '0,0');
  await burst.close({ timeoutMs: 10_000 });
  queue.add('last');
  const report = await queue.drain({ mode: 'all', timeoutMs: 30_000 });
  must('the queue does not drain', report.drained);
  queue.add('too late');
  same('runs of the last key', worker.count('last'), 1);
  await Promise.all(workers);
  return [...worker.taken, ...slow.taken].toSorted().join();
}

const worker: SimulatedController = {
  name: 'worker',
  run: async ({ client, runtime, signal, logger }) => {
    const complaints = new Complaints(client, 'worker', () => {});
    const done = await program(runtime, signal, (text) => complaints.add(text));
    // A write may fail.
    for (let written = false; !written; ) {
      try {
        await complaints.write();
        await write(client, done);
        written = true;
      } catch (error) {
        logger.info('once more', { error: String(error) });
        await sleep(runtime, 1000);
      }
    }
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  },
};

async function write(client: Client, done: string): Promise<void> {
  const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
  await maps.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: RESULT },
    data: { done },
  });
}

/** A program that checks its queue. */
export const workerSimulation: SimulationOptions = {
  controllers: [worker],
  workload: [
    {
      title: 'wait for the work',
      act: async () => {},
      until: (state) => state.get('v1', 'configmaps', RESULT, 'default') !== undefined,
    },
  ],
  invariants: [noComplaints],
};
