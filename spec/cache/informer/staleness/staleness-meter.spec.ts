import { expect } from 'chai';
import type { InformerInspection } from '../../../../lib/cache/informer/observe/informer-inspection.ts';
import { informerMetrics } from '../../../../lib/cache/informer/observe/informer-metrics.ts';
import type { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { tooManyRequests } from '../../../../lib/meta/failure/failures.ts';
import { Between } from '../../support/between.ts';
import { Harness, type HarnessOptions } from '../../support/informer-harness.ts';
import { pod, type Pod } from '../../support/objects.ts';

const EVERY_MS = 10_000;

const NOT_BEHIND = { revisions: 0, ms: 0 };

async function started(options: HarnessOptions = {}): Promise<Harness> {
  const harness = new Harness({
    objects: [pod('a')],
    silenceProbeMs: 0,
    stalenessIntervalMs: EVERY_MS,
    ...options,
  });
  await harness.start();
  return harness;
}

/** A watch that ends without an event and without a bookmark. */
async function* silentFor(runtime: VirtualRuntime, ms: number): AsyncGenerator<never> {
  await sleep(runtime, ms);
  yield* [];
}

function staleness({ informer }: Harness): InformerInspection['staleness'] {
  return informer.inspect().staleness;
}

describe('how far a cache is behind its server', () => {
  it('is nothing for a cache that gets its changes, however busy or quiet the server is', async () => {
    const harness = await started();
    expect(staleness(harness)).to.deep.equal(NOT_BEHIND);
    for (let round = 0; round < 20; round += 1) {
      harness.source.modify(pod('a', { labels: { round: `${round}` } }));
      if (round % 3 === 0) harness.source.skipVersions(100);
      await harness.runtime.advance(3000);
      expect(staleness(harness), `round ${round}`).to.deep.equal(NOT_BEHIND);
    }
    await harness.stop();
  });

  it('is measured in revisions and in time, until the cache has the changes', async () => {
    const harness = await started();
    const { source, runtime } = harness;
    await runtime.advance(EVERY_MS - 1000);
    source.pause();
    source.add(pod('b'));
    source.add(pod('c'));
    await runtime.advance(5000);
    const { revisions = 0, ms = 0 } = staleness(harness) ?? {};
    expect(revisions).to.equal(2);
    expect(ms).to.be.within(3000, 5000);
    source.skipVersions(50);
    source.add(pod('d'));
    await runtime.advance(EVERY_MS + 5000);
    const later = staleness(harness);
    expect(later?.revisions).to.equal(53);
    expect(later?.ms, 'since the first change that it lacks').to.be.within(18_000, 20_000);
    source.resume();
    await runtime.settle();
    expect(staleness(harness)).to.deep.equal(NOT_BEHIND);
    await harness.stop();
  });

  it('stays as it was while the server cannot be asked', async () => {
    const harness = await started();
    const { source, runtime } = harness;
    source.pause();
    source.add(pod('b'));
    await runtime.advance(2 * EVERY_MS);
    expect(staleness(harness)?.revisions).to.equal(1);
    source.failNext('list', tooManyRequests('busy', 1), 2);
    await runtime.advance(2 * EVERY_MS);
    expect(staleness(harness)?.revisions).to.equal(1);
    expect(harness.errors).to.deep.equal([]);
    await harness.stop();
  });

  it('stays as it was while watches are silent', async () => {
    const between = new Between<Pod>();
    const harness = new Harness({
      objects: [pod('a')],
      listerWatcher: between,
      silenceProbeMs: 0,
      watchList: false,
      stalenessIntervalMs: EVERY_MS,
    });
    const { source, runtime } = harness;
    between.source = source;
    await harness.start();
    source.pause();
    source.add(pod('b'));
    await runtime.advance(2 * EVERY_MS);
    expect(staleness(harness)?.revisions).to.equal(1);
    between.watch = async () => silentFor(runtime, 3000);
    await runtime.advance(2 * EVERY_MS);
    const { revisions, ms = 0 } = staleness(harness) ?? {};
    expect(revisions).to.equal(1);
    expect(ms).to.be.at.least(3 * EVERY_MS);
    source.resume();
    await runtime.settle();
    expect(staleness(harness)).to.deep.equal(NOT_BEHIND);
    await harness.stop();
  });

  it('is in the metrics, and not without the option', async () => {
    const gauges = new Map<string, number>();
    const metrics = {
      count: () => {},
      observe: () => {},
      gauge: (name: string, value: number) => void gauges.set(name, value),
    };
    const { stalenessRevisions, staleness: seconds, storeVersion } = informerMetrics;
    const without = await started({ metrics, stalenessIntervalMs: 0 });
    await without.runtime.advance(60_000);
    expect(staleness(without)).to.equal(undefined);
    await without.stop();
    expect([...gauges.keys()]).to.include(storeVersion.name);
    expect([...gauges.keys()]).to.not.include.members([stalenessRevisions.name, seconds.name]);
    const harness = await started({ metrics });
    harness.source.pause();
    harness.source.add(pod('b'));
    await harness.runtime.advance(2 * EVERY_MS);
    expect(gauges.get(storeVersion.name)).to.equal(1);
    expect(gauges.get(stalenessRevisions.name)).to.equal(1);
    expect(gauges.get(seconds.name)).to.be.within(5, 10);
    await harness.stop();
    expect(gauges.get(seconds.name)).to.equal(0);
  });

  it('is asked for once an interval, and no more after the end', async () => {
    const harness = await started();
    const before = harness.source.requests.length;
    await harness.runtime.advance(10 * EVERY_MS);
    const asked = harness.source.requests.slice(before).map(({ request }) => request.limit);
    expect(asked).to.deep.equal(Array.from({ length: 10 }, () => 1));
    await harness.stop();
    await harness.runtime.advance(10 * EVERY_MS);
    expect(harness.source.requests.length).to.equal(before + 10);
  });

  it('counts from the version of the server where several namespaces are followed', async () => {
    const harness = new Harness({
      objects: [pod('a')],
      namespaces: ['shop'],
      inNamespace: () => harness.source,
      silenceProbeMs: 0,
      stalenessIntervalMs: EVERY_MS,
    });
    await harness.start();
    harness.source.skipVersions(9);
    await harness.runtime.advance(2 * EVERY_MS);
    expect(staleness(harness)?.revisions).to.equal(9);
    harness.source.bookmark();
    await harness.runtime.settle();
    expect(staleness(harness)).to.deep.equal(NOT_BEHIND);
    await harness.stop();
  });
});
