import { expect } from 'chai';
import { ConsoleLogger } from '../../../lib/kernel/report/console-logger.ts';
import type { Logger } from '../../../lib/kernel/report/logger.ts';
import type { Metrics } from '../../../lib/kernel/report/metrics.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { defaultRateLimiter } from '../../../lib/controller/workqueue/limits/rate-limiter-presets.ts';
import type { RateLimiter } from '../../../lib/controller/workqueue/limits/rate-limiter.ts';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';
import {
  ReconcileLoop,
  type ReconcileResult,
} from '../../../lib/controller/runtime/reconcile-loop.ts';
import { revokedProxy } from '../../support/hostile-values.ts';
import { lineLogger } from '../../support/line-logger.ts';

const boom = (): never => {
  throw new Error('boom');
};
const throwingMetrics: Metrics = { count: boom, gauge: boom, observe: boom };
const reject: () => unknown = () => Promise.reject(new Error('boom'));
const rejectingMetrics: Metrics = { count: reject, gauge: reject, observe: reject };
const throwingLogger: Logger = { debug: boom, info: boom, warn: boom, error: boom };

/** Reconciles a, which fails once, b and c; returns what was reconciled, in order. */
async function reconcileThree(options: {
  readonly metrics?: Metrics;
  readonly logger?: Logger;
  readonly limiter?: (base: RateLimiter) => RateLimiter;
  readonly fails?: () => Promise<ReconcileResult>;
}): Promise<string[]> {
  const runtime = new VirtualRuntime();
  const { metrics, logger, fails, limiter = (base): RateLimiter => base } = options;
  const rateLimiter = limiter(defaultRateLimiter(runtime));
  const queue = new RateLimitingQueue({ name: 'shops', runtime, metrics, logger, rateLimiter });
  const keys: string[] = [];
  const loop = new ReconcileLoop({
    queue,
    runtime,
    metrics,
    logger,
    reconcile: async ({ key }) => {
      keys.push(key);
      if (keys.length > 1) return {};
      if (fails !== undefined) return await fails();
      throw new Error('once');
    },
  });
  const running = loop.run();
  for (const key of ['a', 'b', 'c']) queue.add(key);
  await runtime.advance(60_000);
  await runtime.run(queue.close());
  await runtime.run(running);
  return keys;
}

describe('A reconcile loop and its queue', () => {
  for (const [how, metrics] of [
    ['throw', throwingMetrics],
    ['reject', rejectingMetrics],
  ] as const) {
    it(`lose no key to metrics that ${how}, and say so`, async () => {
      const lines: string[] = [];
      const logger = lineLogger((line) => lines.push(line));
      expect(await reconcileThree({ metrics, logger })).to.deep.equal(['a', 'b', 'c', 'a']);
      expect(lines).to.include('metrics failed: boom (owner=shops)');
      expect(lines).to.include('reconcile failed: shops: a: once (failures=1 retryInMs=5)');
    });
  }

  for (const how of ['throws', 'returns'] as const) {
    it(`lose no key to a reconcile that ${how} what cannot be read`, async () => {
      const lines: string[] = [];
      const logger = lineLogger((line) => lines.push(line));
      const fails = async (): Promise<ReconcileResult> => {
        // oxlint-disable-next-line typescript/only-throw-error -- some code does
        if (how === 'throws') throw revokedProxy();
        return revokedProxy();
      };
      expect(await reconcileThree({ logger, fails })).to.deep.equal(['a', 'b', 'c', 'a']);
      expect(
        lines.filter((line) => line.startsWith('reconcile failed: shops: a: ')),
      ).to.have.length(1);
    });
  }

  it('say where a reconcile threw, once, and how often it did', async () => {
    const runtime = new VirtualRuntime();
    const lines: string[] = [];
    const logger = new ConsoleLogger({ runtime, write: (line) => lines.push(line) });
    const queue = new RateLimitingQueue({ name: 'shops', runtime, logger });
    const loop = new ReconcileLoop({
      queue,
      runtime,
      logger,
      reconcile: () => {
        const cause = new RangeError('port 99999');
        return Promise.reject(new AggregateError([new Error('no route', { cause })]));
      },
    });
    const running = loop.run();
    queue.add('a');
    await runtime.advance(60_000);
    await runtime.run(queue.close());
    await runtime.run(running);
    expect(lines[0]).to.equal(
      'listwatch: error: reconcile failed: shops: a: no route (failures=1 retryInMs=5)',
    );
    const titles = lines.map((line) => line.trim()).filter((line) => !line.startsWith('at '));
    expect(titles.slice(1, 4)).to.deep.equal([
      'AggregateError: no route',
      '1 of 1: Error: no route',
      'caused by: RangeError: port 99999',
    ]);
    expect(
      lines.filter((line) => /^ +at .*failing-helpers\.spec\.ts/.test(line)),
    ).to.have.length.above(2);
    for (const line of titles.slice(4)) {
      expect(line).to.match(
        /^listwatch: error: reconcile failed: shops: a: no route \(failures=\d+ .*\) \(\d+ times by now\)$/,
      );
    }
    expect(titles.length).to.be.within(5, 8);
  });

  it('lose no key to a logger that throws', async () => {
    const options = { metrics: throwingMetrics, logger: throwingLogger };
    expect(await reconcileThree(options)).to.deep.equal(['a', 'b', 'c', 'a']);
  });

  for (const [what, nextDelayMs] of [
    ['throws', boom],
    ['knows no delay', (): number => Number.NaN],
  ] as const) {
    it(`retry a key whose rate limiter ${what}, and say so`, async () => {
      const lines: string[] = [];
      const logger = lineLogger((line) => lines.push(line));
      const keys = await reconcileThree({
        logger,
        limiter: (base) => ({
          nextDelayMs,
          forget: (key) => base.forget(key),
          numRequeues: (key) => base.numRequeues(key),
        }),
      });
      expect(keys).to.deep.equal(['a', 'b', 'c', 'a']);
      expect(lines.some((line) => line.startsWith('rate limiter failed: '))).to.equal(true);
    });
  }

  it('leave no timer behind a run that outlives the shutdown', async () => {
    const runtime = new VirtualRuntime();
    const queue = new RateLimitingQueue({ runtime });
    const stop = new AbortController();
    let finish = (): void => {};
    const endless = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const failures: unknown[] = [];
    const running = new ReconcileLoop({
      queue,
      runtime,
      reconcile: () => endless,
      onError: (error) => void failures.push(error),
    })
      .run({ signal: stop.signal })
      .catch((error: unknown) => error);
    queue.add('a');
    await runtime.settle();
    stop.abort();
    expect(await runtime.run(running)).to.include({ code: 'TIMEOUT' });
    expect(runtime.pending).to.equal(0);
    await runtime.advance(600_000);
    expect(failures).to.deep.equal([]);
    finish();
    await runtime.settle();
  });

  it('take for no failure what others make of the abort at a shutdown', async () => {
    const inTheirWords: readonly ((reason: unknown) => Error)[] = [
      (reason) => reason as Error,
      (reason) => new Error('request failed', { cause: reason }),
      () => Object.assign(new Error('The operation was aborted'), { name: 'AbortError' }),
      () => Object.assign(new Error('canceled'), { name: 'CanceledError' }),
    ];
    for (const [index, errorOf] of [...inTheirWords, () => new Error('no quota')].entries()) {
      const runtime = new VirtualRuntime();
      const queue = new RateLimitingQueue({ runtime });
      const stop = new AbortController();
      const failures: unknown[] = [];
      const running = new ReconcileLoop({
        queue,
        runtime,
        onError: (error) => void failures.push(error),
        reconcile: async (_, { signal }) => {
          await sleep(runtime, 60_000, { signal }).catch((reason: unknown) => {
            throw errorOf(reason);
          });
        },
      }).run({ signal: stop.signal });
      queue.add('a');
      await runtime.settle();
      stop.abort();
      await runtime.run(running);
      expect(failures, `word ${index}`).to.have.length(index < inTheirWords.length ? 0 : 1);
    }
  });

  it('report how deep the queue is once it was destroyed', async () => {
    const depths: number[] = [];
    const metrics: Metrics = {
      count: () => {},
      observe: () => {},
      gauge: (name, value) => void (name === 'workqueue_depth' && depths.push(value)),
    };
    const queue = new RateLimitingQueue({ metrics });
    queue.add('a');
    queue.add('b');
    queue.destroy();
    expect(depths).to.deep.equal([1, 2, 0]);
  });

  it('keep the delayed keys of a queue that was closed with an option out of range', async () => {
    const runtime = new VirtualRuntime();
    const queue = new RateLimitingQueue({ runtime });
    queue.addAfter('a', 10);
    const failure = await queue.close({ timeoutMs: -1 }).catch((error: unknown) => error);
    expect(failure).to.include({ code: 'INVALID_OPTION' });
    expect([queue.closing, queue.delayed]).to.deep.equal([false, 1]);
    await runtime.run(sleep(runtime, 10));
    expect(queue.size).to.equal(1);
    queue.destroy();
  });
});
