import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { HistoryKeeper } from '../../../lib/server/mvcc/history-keeper.ts';
import { MultiVersionMap } from '../../../lib/server/mvcc/multi-version-map.ts';
import { EmbeddedStoreHarness } from './embedded-store-harness.ts';

describe('HistoryKeeper', () => {
  it('compacts to the revision of one interval before', async () => {
    const harness = new EmbeddedStoreHarness({ compactionIntervalMs: 1000 });
    const compacted = async (): Promise<bigint> => (await harness.store.status()).compactedRevision;
    await harness.put('a');
    await harness.put('a');
    await harness.runtime.advance(1000);
    expect(await compacted(), 'the first tick only records').to.equal(0n);
    await harness.put('a');
    await harness.runtime.advance(1000);
    expect(await compacted()).to.equal(3n);
    await harness.runtime.advance(1000);
    expect(await compacted()).to.equal(4n);
    await harness.store.close();
  });

  it('runs no timer while nothing is written', async () => {
    const harness = new EmbeddedStoreHarness({ compactionIntervalMs: 1000 });
    await harness.put('a');
    await harness.runtime.advance(10_000);
    const silent = new Promise<never>(() => {});
    const error: unknown = await harness.runtime.run(silent).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'VIRTUAL_DEADLOCK' });
    await harness.put('a');
    await harness.runtime.advance(2000);
    expect((await harness.store.status()).compactedRevision, 'it starts again').to.equal(3n);
    await harness.store.close();
  });

  it('never compacts by time when the interval is 0', async () => {
    const harness = new EmbeddedStoreHarness({ compactionIntervalMs: 0 });
    await harness.put('a');
    await harness.runtime.advance(3_600_000);
    expect((await harness.store.status()).compactedRevision).to.equal(0n);
    await harness.store.close();
  });

  it('compacts the oldest history when it exceeds its size', async () => {
    const harness = new EmbeddedStoreHarness({ maxHistoryBytes: 20_000 });
    for (let index = 0; index < 100; index += 1) await harness.put('a', 'x'.repeat(1000));
    const { revision, compactedRevision } = await harness.store.status();
    expect(revision - compactedRevision).to.equal(14n); // 15 kept revisions of 1000 + 256 bytes
    expect(await harness.list('a', compactedRevision)).to.have.lengthOf(1);
    await harness.store.close();
  });

  it('frees a long history without stopping the writers', async () => {
    const harness = new EmbeddedStoreHarness();
    for (let index = 0; index < 25_000; index += 1) await harness.put(`k${index % 10}`);
    await harness.store.compact(25_000n);
    expect(harness.runtime.pending, 'the rest is a task').to.equal(1);
    await harness.put('k0', 'in between');
    await harness.runtime.settle();
    expect(harness.runtime.pending).to.equal(0);
    expect(await harness.list('k0')).to.deep.equal(['k0=in between@25002']);
    await harness.store.close();
  });

  it('frees all of it, in as many tasks as it takes', () => {
    const runtime = new VirtualRuntime();
    let steps = 3;
    const state = new MultiVersionMap();
    state.trim = () => {
      steps -= 1;
      return steps > 0;
    };
    const keeper = new HistoryKeeper({ runtime, state, intervalMs: 0, maxBytes: Infinity });
    keeper.trim();
    expect([steps, runtime.pending]).to.deep.equal([2, 1]);
    return runtime.settle().then(() => {
      expect([steps, runtime.pending]).to.deep.equal([0, 0]);
    });
  });

  it('has no timer after its end, and starts none', () => {
    const runtime = new VirtualRuntime();
    const open = new Set<number>();
    let timers = 0;
    const setTimer = runtime.setTimer.bind(runtime);
    runtime.setTimer = (...given) => {
      const number = (timers += 1);
      open.add(number);
      const timer = setTimer(...given);
      return {
        ...timer,
        cancel() {
          open.delete(number);
          timer.cancel();
        },
      };
    };
    const state = new MultiVersionMap();
    const keeper = new HistoryKeeper({ runtime, state, intervalMs: 1000, maxBytes: Infinity });
    keeper.afterCommit();
    expect([timers, open.size]).to.deep.equal([1, 1]);
    keeper.destroy();
    keeper.afterCommit();
    expect([timers, open.size]).to.deep.equal([1, 0]);
  });
});
