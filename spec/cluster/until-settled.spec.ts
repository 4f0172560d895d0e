import { expect } from 'chai';
import { untilSettled } from '../../lib/cluster/until-settled.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import { caught } from './support/virtual-cluster-world.ts';

/** A cluster that works until one time and writes until another, milliseconds. */
function cluster(worksUntilMs: number, writesUntilMs: number) {
  const runtime = new VirtualRuntime();
  return {
    runtime,
    pending: () => (runtime.monotonicMs() < worksUntilMs ? ['3 objects of deployment'] : []),
    revision: () => Promise.resolve(String(Math.min(runtime.monotonicMs(), writesUntilMs))),
  };
}

describe('the wait until a cluster has settled', () => {
  it('resolves when no part has work, and nothing has been written for 50 ms', async () => {
    const working = cluster(1000, 0);
    await working.runtime.run(() => untilSettled(working));
    expect(working.runtime.monotonicMs()).to.be.within(1050, 1060);

    const writing = cluster(0, 2000);
    await writing.runtime.run(() => untilSettled(writing));
    expect(writing.runtime.monotonicMs()).to.be.within(2050, 2150);
  });

  it('ends with the pending work in words, at its time limit', async () => {
    const working = cluster(Infinity, 0);
    const error = await working.runtime.run(() =>
      caught(untilSettled(working, { timeoutMs: 500 })),
    );
    expect(error).to.include({ code: 'TIMEOUT' });
    expect((error as Error).message).to.include('the cluster to settle: 3 objects of deployment');
    const writing = cluster(0, Infinity);
    const other = await writing.runtime.run(() =>
      caught(untilSettled(writing, { timeoutMs: 500 })),
    );
    expect((other as Error).message).to.include('the cluster to settle: writes go on');
  });

  it('ends with the reason of its signal', async () => {
    const { runtime, ...parts } = cluster(Infinity, 0);
    const stop = new AbortController();
    const error = await runtime.run(() => {
      runtime.setTimer(100, () => stop.abort(new Error('enough')));
      return caught(untilSettled({ runtime, ...parts }, { signal: stop.signal }));
    });
    expect((error as Error).message).to.equal('enough');
    expect(runtime.monotonicMs()).to.equal(100);
  });
});
