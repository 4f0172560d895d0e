import { expect } from 'chai';
import { ReconcileLoop } from '../../../lib/controller/runtime/reconcile-loop.ts';
import { ReconcileRun } from '../../../lib/controller/runtime/reconcile-run.ts';
import { RateLimitingQueue } from '../../../lib/controller/workqueue/rate-limiting-queue.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

describe('ReconcileRun', () => {
  const overdue = new Error('overdue');
  const stopped = new Error('stopped');
  let runtime: VirtualRuntime;
  let reports: number;
  let run: ReconcileRun;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    reports = 0;
    run = new ReconcileRun({
      runtime,
      timeoutMs: 1000,
      onOverdue: () => {
        reports += 1;
        return overdue;
      },
    });
  });

  it('has one signal for all reads', () => {
    expect(run.signal).to.equal(run.signal);
    expect(run.signal.aborted).to.equal(false);
    run.end();
  });

  for (const when of ['before', 'after'] as const) {
    it(`aborts a signal that is read ${when} the abort, with the first reason`, async () => {
      const early = when === 'before' ? run.signal : undefined;
      run.abort(stopped);
      run.abort(overdue);
      expect((early ?? run.signal).reason).to.equal(stopped);
      await runtime.advance(5000);
      expect(reports, 'it was cut short before it was overdue').to.equal(0);
    });
  }

  it('is reported once, and aborted, when it takes too long', async () => {
    const { signal } = run;
    await runtime.advance(1000);
    expect([reports, signal.reason]).to.deep.equal([1, overdue]);
    run.abort(stopped);
    expect(signal.reason).to.equal(overdue);
  });

  it('leaves no timer behind when it ends', async () => {
    run.end();
    await runtime.advance(5000);
    expect([reports, run.signal.aborted]).to.deep.equal([0, false]);
  });

  it('shows its signal to a reconcile that hands a copy of its context on', async () => {
    const queue = new RateLimitingQueue({ runtime });
    const seen: unknown[] = [];
    const loop = new ReconcileLoop({
      queue,
      runtime,
      reconcile: async (_, context) => {
        const copy = { ...context, mine: true };
        seen.push(copy.signal === context.signal, copy.signal instanceof AbortSignal);
        queue.destroy();
      },
    });
    queue.add('a');
    await runtime.run(loop.run());
    expect(seen).to.deep.equal([true, true]);
  });
});
