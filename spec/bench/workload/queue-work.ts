/** The work queue of a controller: how fast keys go through it, in the same rounds as client-go's `queue` workload. */
import { performance } from 'node:perf_hooks';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';
import type { WorkItem } from '../../../lib/controller/workqueue/keys/work-item.ts';
import { isMain } from './contestant.ts';

export interface QueueResult {
  readonly cycles: number;
  /** All keys are added, then a worker takes, forgets and finishes one after the other. */
  readonly cycleMs: number;
  /** The same with ten workers. */
  readonly tenWorkersCycleMs: number;
  /** One key is added, taken, forgotten and done, again and again. */
  readonly sameKeyCycleMs: number;
}

export interface PriorityResult {
  readonly keys: number;
  /** All keys are added to an empty queue, taken and finished. */
  readonly plainMs: number;
  /** The same, half of them with a low priority. */
  readonly prioritisedMs: number;
}

const ROUNDS = 10;
/** A million keys take long enough. */
const PRIORITY_ROUNDS = 3;
const WORKERS = 10;

export async function queueWork(cycles: number): Promise<QueueResult> {
  const keys = Array.from(
    { length: cycles },
    (_, index) => `namespace-${index % 100}/pod-${index}`,
  );
  const queue = new RateLimitingQueue();
  const addAll = (): void => {
    for (const key of keys) queue.add(key);
  };
  const work = async (count: number): Promise<void> => {
    for (let taken = 0; taken < count; taken += 1) finish(queue, await queue.take());
  };
  const cycleMs = await fastest(async () => {
    addAll();
    await work(cycles);
  });
  const tenWorkersCycleMs = await fastest(async () => {
    addAll();
    await Promise.all(Array.from({ length: WORKERS }, () => work(cycles / WORKERS)));
  });
  const sameKeyCycleMs = await fastest(async () => {
    for (let taken = 0; taken < cycles; taken += 1) {
      queue.add('namespace-0/pod-0');
      finish(queue, await queue.take());
    }
  });
  queue.destroy();
  return { cycles, cycleMs, tenWorkersCycleMs, sameKeyCycleMs };
}

/** Keys through the queue with and without priorities. */
export async function priorityWork(count: number): Promise<PriorityResult> {
  const keys = Array.from({ length: count }, (_, index) => `namespace-${index % 100}/pod-${index}`);
  const low = { priority: -100 };
  const through = async (isLow: (index: number) => boolean): Promise<number> =>
    await fastest(async () => {
      using queue = new RateLimitingQueue();
      for (const [index, key] of keys.entries()) queue.add(key, isLow(index) ? low : undefined);
      for (let taken = 0; taken < count; taken += 1) finish(queue, await queue.take());
    }, PRIORITY_ROUNDS);
  // Both are compiled before either is measured.
  for (const isLow of [() => false, () => true]) await through(isLow);
  const plainMs = await through(() => false);
  const prioritisedMs = await through((index) => index % 2 === 0);
  return { keys: count, plainMs, prioritisedMs };
}

function finish(queue: RateLimitingQueue, item: WorkItem<string> | undefined): void {
  if (item === undefined) throw new Error('the queue has closed');
  queue.forget(item.key);
  item.done();
}

async function fastest(round: () => Promise<void>, rounds: number = ROUNDS): Promise<number> {
  let best = Infinity;
  for (let run = 0; run < rounds; run += 1) {
    const startedMs = performance.now();
    await round();
    best = Math.min(best, performance.now() - startedMs);
  }
  return best;
}

if (isMain(import.meta)) {
  const { objects, priorities } = JSON.parse(process.argv[2] ?? '{}') as {
    readonly objects: number;
    readonly priorities?: boolean;
  };
  const work = priorities === true ? priorityWork : queueWork;
  console.log(JSON.stringify(await work(objects)));
}
