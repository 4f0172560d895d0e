import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { WorkQueue } from '../../../lib/controller/workqueue/work-queue.ts';

describe('The gauges of keys in work', () => {
  it('are reported each half second while there are any, then once as 0', async () => {
    const runtime = new VirtualRuntime();
    const notified: string[] = [];
    const queue = new WorkQueue({
      runtime,
      metrics: {
        count: () => {},
        observe: () => {},
        gauge: (name, value) => {
          const [, which] = /_(unfinished|longest)/.exec(name) ?? [];
          if (which !== undefined) notified.push(`${which} ${value}`);
        },
      },
    });
    queue.add('a');
    queue.add('b');
    const first = queue.takeNow();
    await runtime.advance(300);
    const second = queue.takeNow();
    await runtime.advance(700);
    expect(notified).to.deep.equal([
      'unfinished 0.7',
      'longest 0.5',
      'unfinished 1.7',
      'longest 1',
    ]);
    first?.done();
    second?.done();
    await runtime.advance(5000);
    expect(notified.slice(4)).to.deep.equal(['unfinished 0', 'longest 0']);
    expect(runtime.pending).to.equal(0);
  });

  it('end with the queue', async () => {
    const runtime = new VirtualRuntime();
    const metrics = { count: () => {}, gauge: () => {}, observe: () => {} };
    const queue = new WorkQueue({ runtime, metrics });
    queue.add('a');
    queue.takeNow();
    queue.destroy();
    expect(runtime.pending).to.equal(0);
  });
});
