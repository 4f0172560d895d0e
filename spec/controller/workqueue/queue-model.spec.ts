import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import type { QueuePacingOptions } from '../../../lib/controller/workqueue/queue-pacing.ts';
import {
  RateLimitingQueue,
  type RateLimitingQueueOptions,
} from '../../../lib/controller/workqueue/rate-limiting-queue.ts';

const STEPS = 3_000;
const KEYS = 200;
const WORKERS = 4;

/** Random adds with priorities, delays and retries; the workers compare what they get with what was asked for. */
class QueueModel {
  readonly runtime: VirtualRuntime;
  readonly queue: RateLimitingQueue;
  /** When each key was first asked for since it was last handed out, milliseconds. */
  readonly dueAtMs = new Map<string, number>();
  readonly takenAtMs = new Map<string, number>();
  readonly faults: string[] = [];
  workers = 0;
  #inWork = new Set<string>();
  readonly #minIntervalMs: number;

  constructor(seed: number, options: RateLimitingQueueOptions) {
    this.runtime = new VirtualRuntime({ seed });
    this.queue = new RateLimitingQueue({ runtime: this.runtime, ...options });
    this.#minIntervalMs = options.minIntervalMs ?? 0;
    for (let count = 0; count < WORKERS; count += 1) void this.#work();
  }

  async step(): Promise<void> {
    const { runtime, queue } = this;
    const key = `key-${Math.floor(runtime.random() * KEYS)}`;
    const drawn = runtime.random();
    if (drawn < 0.5) {
      queue.add(key, { priority: Math.floor(runtime.random() * 5) });
      if (!this.dueAtMs.has(key)) this.dueAtMs.set(key, runtime.monotonicMs());
    } else if (drawn < 0.6) queue.addAfter(key, runtime.random() * 100);
    else if (drawn < 0.65) queue.addRateLimited(key);
    else if (drawn < 0.7) queue.forget(key);
    else await runtime.advance(runtime.random() * 6);
  }

  async #work(): Promise<void> {
    this.workers += 1;
    for (;;) {
      using item = await this.queue.take();
      if (item === undefined) break;
      this.#taken(item.key);
      await sleep(this.runtime, 1 + this.runtime.random() * 4);
      this.#inWork.delete(item.key);
    }
    this.workers -= 1;
  }

  #taken(key: string): void {
    const nowMs = this.runtime.monotonicMs();
    if (this.#inWork.has(key)) this.faults.push(`${key} is given to two workers`);
    const before = this.takenAtMs.get(key) ?? -Infinity;
    if (before + this.#minIntervalMs > nowMs) this.faults.push(`${key} is taken too soon`);
    this.#inWork.add(key);
    this.takenAtMs.set(key, nowMs);
    this.dueAtMs.delete(key);
  }
}

describe('a queue with priorities, delays and limits, compared with a model', () => {
  const cases: readonly QueuePacingOptions[] = [
    {},
    { debounceMs: 50 },
    { minIntervalMs: 30 },
    { maxPerSecond: 200, burst: 5 },
    { debounceMs: 20, minIntervalMs: 30, maxPerSecond: 500 },
  ];
  for (const [index, pacing] of cases.entries()) {
    it(`loses no key, gives none out twice, and ends: ${JSON.stringify(pacing)}`, async () => {
      const model = new QueueModel(index + 1, { ageingMs: 1_000, ...pacing });
      for (let left = STEPS; left > 0; left -= 1) await model.step();
      await model.runtime.advance(5_000_000);
      expect([...model.dueAtMs.keys()]).to.deep.equal([]);
      const mode = index % 2 === 0 ? 'all' : 'running';
      const { drained } = await model.runtime.run(model.queue.drain({ mode }));
      await model.runtime.settle();
      expect(drained).to.equal(true);
      expect(model.faults).to.deep.equal([]);
      expect(model.workers + model.queue.size + model.queue.delayed).to.equal(0);
      expect(model.runtime.pending).to.equal(0);
    });
  }

  it('the end of an interval is the same moment for all that compute it, also when it is rounded', async () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const runtime = new VirtualRuntime({ seed });
      const queue = new RateLimitingQueue({ runtime, minIntervalMs: 30 });
      let runs = 0;
      const worker = async (): Promise<void> => {
        for (;;) {
          using item = await queue.take();
          if (item === undefined) return;
          runs += 1;
          if (runs === 1) queue.add(item.key);
        }
      };
      void worker();
      // Early times have more binary digits after the point than their sum with the interval.
      await runtime.advance(runtime.random() / 3);
      queue.add('a');
      // A wrong end would be tried again and again, without a pause.
      await runtime.advance(31);
      expect(runs).to.equal(2);
      queue.destroy();
      await runtime.settle();
    }
  });

  it('a low priority waits for the limit of age and ten runs for each key before it, for any load', async () => {
    const runtime = new VirtualRuntime({ seed: 7 });
    const queue = new RateLimitingQueue({ runtime, ageingMs: 1_000 });
    const low = Array.from({ length: 20 }, (_, index) => `low-${index}`);
    const waited = new Map<string, number>();
    const worker = async (): Promise<void> => {
      for (;;) {
        using item = await queue.take();
        if (item === undefined) return;
        if (low.includes(item.key)) waited.set(item.key, runtime.monotonicMs());
        else queue.add(`high-${Math.floor(runtime.random() * 500)}`, { priority: 10 });
        await sleep(runtime, 1);
      }
    };
    for (let index = 0; index < 500; index += 1) queue.add(`high-${index}`, { priority: 10 });
    const begunAtMs = runtime.monotonicMs();
    for (const key of low) queue.add(key, { priority: -100 });
    void worker();
    // Those of high priority that are older than the limit may come before.
    await runtime.advance(1_000 + 10 * (low.length + 500) + 100);
    expect(waited.size).to.equal(low.length);
    expect(Math.min(...waited.values()) - begunAtMs).to.be.at.least(1_000);
    queue.destroy();
    await runtime.settle();
  });
});
