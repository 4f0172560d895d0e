import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { WatchHub } from '../../../lib/server/mvcc/watch-hub.ts';
import { EmbeddedStoreHarness } from './embedded-store-harness.ts';

const PROGRESS_MS = 1000;

/** When the clock stops because no timer is left. */
async function lastTimerMs({ runtime }: EmbeddedStoreHarness): Promise<number> {
  const silent = new Promise<never>(() => {});
  const error: unknown = await runtime.run(silent).catch((reason: unknown) => reason);
  expect(error).to.include({ code: 'VIRTUAL_DEADLOCK' });
  return runtime.monotonicMs();
}

describe('WatchHub', () => {
  let harness: EmbeddedStoreHarness;

  beforeEach(() => {
    harness = new EmbeddedStoreHarness({
      progressIntervalMs: PROGRESS_MS,
      compactionIntervalMs: 0,
    });
  });
  afterEach(async () => {
    await harness.store.close();
  });

  it('leaves no listener at the signal of a watch that has ended', async () => {
    const { signal } = new AbortController();
    const watch = await harness.store.watch({ key: 'a', signal });
    expect(getEventListeners(signal, 'abort')).to.have.length(1);
    watch.destroy();
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
  });

  it('runs no timer without a watch that wants progress', async () => {
    await harness.watch('');
    expect(await lastTimerMs(harness)).to.equal(0);
  });

  it('stops its timer with the last watch that wants progress, whichever way that ends', async () => {
    const endings = [
      (close: () => void): void => close(),
      (_close: () => void, stopper: AbortController): void => stopper.abort(),
    ];
    for (const end of endings) {
      const stopper = new AbortController();
      const request = { key: 'a', progressNotify: true };
      const first = await harness.store.watch({ ...request, signal: stopper.signal });
      const second = await harness.store.watch(request);
      await harness.watch('');
      await harness.runtime.advance(2.5 * PROGRESS_MS);
      const endedMs = harness.runtime.monotonicMs();
      second.destroy();
      end(() => first.destroy(), stopper);
      expect(await lastTimerMs(harness)).to.equal(endedMs);
    }
  });

  it('reports progress until the last watch that wants it has ended, and again to the next one', async () => {
    const first = await harness.watch('a', undefined, { progressNotify: true });
    const second = await harness.watch('a', undefined, { progressNotify: true });
    first.watch.destroy();
    await harness.runtime.advance(PROGRESS_MS);
    expect(await second.read()).to.deep.equal(['progress@1']);
    second.watch.destroy();
    await harness.runtime.advance(5 * PROGRESS_MS);
    const third = await harness.watch('a', undefined, { progressNotify: true });
    await harness.runtime.advance(PROGRESS_MS - 1);
    expect(await third.read(), 'a whole interval of its own').to.deep.equal([]);
    await harness.runtime.advance(1);
    expect(await third.read()).to.deep.equal(['progress@1']);
  });

  it('counts the watches that run', () => {
    const { runtime } = harness;
    const history = {
      revision: 1n,
      compactedRevision: 0n,
      oldestWatchable: 0n,
      eventsAt: () => undefined,
    };
    const limits = { bufferEvents: 10, bufferBytes: 1000, progressIntervalMs: PROGRESS_MS };
    const hub = new WatchHub({ runtime, history, ...limits });
    const stopper = new AbortController();
    const first = hub.watch({ key: 'a', signal: stopper.signal });
    const second = hub.watch({ key: 'a', rangeEnd: 'b' });
    expect(hub.size).to.equal(2);
    stopper.abort();
    first.destroy();
    expect(hub.size).to.equal(1);
    hub.watch({ key: 'a', signal: stopper.signal });
    expect(hub.size, 'its signal had aborted before').to.equal(1);
    hub.destroy();
    second.destroy();
    expect(hub.size).to.equal(0);
  });
});
