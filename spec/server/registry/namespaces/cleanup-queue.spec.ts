import { expect } from 'chai';

import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { CleanupQueue } from '../../../../lib/server/registry/namespaces/cleanup-queue.ts';
import { lineLogger } from '../../../support/line-logger.ts';

describe('CleanupQueue', () => {
  function setUp(clean: (key: string) => Promise<boolean>) {
    const runtime = new VirtualRuntime();
    const warnings: string[] = [];
    const logger = lineLogger((line) => warnings.push(line));
    return {
      runtime,
      warnings,
      queue: new CleanupQueue({ name: 'things', runtime, logger, clean }),
    };
  }

  it('repeats a cleanup until it is finished, also after failures', async () => {
    let runs = 0;
    const { runtime, queue, warnings } = setUp(() => {
      runs += 1;
      if (runs === 2) throw new Error('broken');
      return Promise.resolve(runs === 4);
    });
    queue.add('a');
    await runtime.advance(60_000);
    expect([runs, queue.size]).to.deep.equal([4, 0]);
    expect(warnings).to.deep.equal([
      'cleanup failed, and is tried again: broken (name=things key=a)',
    ]);
  });

  it('runs again after a key that was added while its cleanup was running', async () => {
    let runs = 0;
    const { runtime, queue } = setUp((key) => {
      runs += 1;
      if (runs === 1) queue.add(key);
      return Promise.resolve(true);
    });
    queue.add('a');
    await runtime.settle();
    expect([runs, queue.size]).to.deep.equal([2, 0]);
  });

  it('never runs one key twice at a time', async () => {
    let running = 0;
    let most = 0;
    const { runtime, queue } = setUp(async () => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return true;
    });
    for (let count = 0; count < 10; count += 1) queue.add('a');
    await runtime.settle();
    expect(most).to.equal(1);
  });

  it('stops at close', async () => {
    let runs = 0;
    const { runtime, queue } = setUp(() => {
      runs += 1;
      return Promise.resolve(false);
    });
    queue.add('a');
    await runtime.advance(1000);
    await runtime.run(queue.close());
    const before = runs;
    queue.add('b');
    await runtime.advance(60_000);
    expect([runs, queue.size]).to.deep.equal([before, 0]);
  });
});
