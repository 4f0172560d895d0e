import { expect } from 'chai';
import { InformerMeter } from '../../../../lib/cache/informer/observe/informer-meter.ts';
import { informerMetrics } from '../../../../lib/cache/informer/observe/informer-metrics.ts';
import type {
  MetricDescription,
  MetricLabels,
  Metrics,
} from '../../../../lib/kernel/report/metrics.ts';
import { deferred } from '../../../../lib/kernel/time/latch.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { forbidden } from '../../../../lib/meta/failure/failures.ts';
import { Harness } from '../../support/informer-harness.ts';
import { pod } from '../../support/objects.ts';

const TABLE: readonly MetricDescription[] = Object.values(informerMetrics);

/** Remembers the newest gauges, the sums of counters, and the number of observations, by name and labels. */
class Recorder implements Metrics {
  readonly values = new Map<string, number>();
  readonly names = new Set<string>();

  count(name: string, by: number = 1, labels: MetricLabels = {}): void {
    const series = this.#series(name, labels);
    this.values.set(series, (this.values.get(series) ?? 0) + by);
  }

  gauge(name: string, value: number, labels: MetricLabels = {}): void {
    this.values.set(this.#series(name, labels), value);
  }

  observe(name: string, value: number, labels: MetricLabels = {}): void {
    if (!Number.isFinite(value) || value < 0) throw new Error(`${name} observed ${value}`);
    this.count(name, 1, labels);
  }

  of({ name }: { readonly name: string }, ...labels: readonly string[]): number | undefined {
    return this.values.get([name, ...labels].join(' '));
  }

  #series(name: string, labels: MetricLabels): string {
    const description = TABLE.find((one) => one.name === name);
    this.names.add(name);
    expect(Object.keys(labels).toSorted(), name).to.deep.equal(description?.labels.toSorted());
    return [name, ...(description?.labels ?? []).map((label) => labels[label])].join(' ');
  }
}

describe('the metrics of an informer', () => {
  it('say what it has, what waits, and what handlers did', async () => {
    const metrics = new Recorder();
    const harness = new Harness({ objects: [pod('a'), pod('b')], metrics });
    const gate = deferred<void>();
    harness.informer.addHandler(
      { onAdd: (_, { key }) => (key === 'shop/c' ? gate.promise : undefined) },
      { name: 'slow' },
    );
    harness.informer.addHandler(
      {
        onAdd: () => {
          throw new Error('no');
        },
      },
      { name: 'bad' },
    );
    await harness.start();
    expect(metrics.of(informerMetrics.objects, 'pods')).to.equal(2);
    expect(metrics.of(informerMetrics.syncDuration, 'pods')).to.equal(1);
    harness.source.add(pod('c'));
    harness.source.modify(pod('c'));
    await harness.runtime.advance(5000);
    expect(metrics.of(informerMetrics.connected, 'pods')).to.equal(1);
    expect(metrics.of(informerMetrics.queueDepth, 'pods')).to.equal(0);
    expect(metrics.of(informerMetrics.lag, 'pods')).to.equal(0);
    expect(metrics.of(informerMetrics.lastEventAge, 'pods')).to.equal(5);
    expect(metrics.of(informerMetrics.eventsApplied, 'pods')).to.equal(2);
    expect(metrics.of(informerMetrics.handlerPending, 'pods', 'slow')).to.equal(2);
    expect(metrics.of(informerMetrics.handlerDelivered, 'pods', 'slow')).to.equal(2);
    expect(metrics.of(informerMetrics.handlerFailed, 'pods', 'bad')).to.equal(3);
    gate.resolve();
    harness.source.dropConnections(forbidden({ group: '', resource: 'pods' }, '', 'no'));
    await harness.relist();
    harness.source.add(pod('d'));
    await harness.runtime.advance(30_000);
    expect(metrics.of(informerMetrics.handlerFailed, 'pods', 'bad')).to.equal(4);
    expect(metrics.of(informerMetrics.relists, 'pods')).to.be.at.least(1);
    expect(metrics.of(informerMetrics.watchErrors, 'pods', 'other')).to.be.at.least(1);
    await harness.stop();
    expect(metrics.of(informerMetrics.handlerDelivered, 'pods', 'slow')).to.equal(5);
    const byOption = ['staleness', 'stalenessRevisions', 'audits', 'missedChanges'];
    const never = new Set(['handlerCoalesced', 'staleEvents', 'silenceProbes', ...byOption]);
    for (const [key, { name }] of Object.entries(informerMetrics)) {
      if (!never.has(key)) expect([...metrics.names], key).to.include(name);
    }
  });

  it('give times in seconds', async () => {
    const observed = new Map<string, number[]>();
    const gauges = new Map<string, number>();
    const metrics: Metrics = {
      count: () => {},
      gauge: (name, value) => void gauges.set(name, value),
      observe: (name, value) => {
        observed.set(name, [...(observed.get(name) ?? []), value]);
      },
    };
    const harness = new Harness({ objects: [pod('a')], metrics });
    // The list may come over a watch.
    const { source } = harness;
    const slowly = async (): Promise<void> => await sleep(harness.runtime, 1500);
    const list = source.list.bind(source);
    const watch = source.watch.bind(source);
    source.list = async (request) => {
      await slowly();
      return await list(request);
    };
    source.watch = async (request) => {
      await slowly();
      return await watch(request);
    };
    await harness.start();
    await harness.runtime.advance(5000);
    expect(observed.get(informerMetrics.listDuration.name)).to.deep.equal([1.5]);
    expect(observed.get(informerMetrics.syncDuration.name)).to.deep.equal([1.5]);
    expect(gauges.get(informerMetrics.lastEventAge.name), 'after 3.5 s').to.equal(3.5);
    await harness.stop();
  });

  it('give the time of a batch and the lag of the store in seconds', () => {
    const notified: string[] = [];
    const note = (name: string, value: number): void => void notified.push(`${name} ${value}`);
    const metrics: Metrics = { count: () => {}, gauge: note, observe: note };
    const memory = { slabBytes: 0, decodedBytes: 0 };
    const inspection = { connected: true, objects: 1, bytes: 1, queued: 1, eventsApplied: 0 };
    const meter = new InformerMeter({
      name: 'pods',
      metrics,
      runtime: new VirtualRuntime(),
      handlers: () => [],
      inspect: () => ({ ...inspection, memory, lagMs: 250, lastEventAgeMs: undefined }) as never,
    });
    meter.applied(1500);
    expect(notified).to.deep.equal([`${informerMetrics.applyDuration.name} 1.5`]);
    meter.synced();
    expect(notified).to.include(`${informerMetrics.lag.name} 0.25`);
    expect(notified).to.include(`${informerMetrics.lastEventAge.name} 0`);
  });

  it('go on when an informer is made again under its name, and end with a handler', async () => {
    const metrics = new Recorder();
    const runtime = new VirtualRuntime();
    for (let round = 1; round <= 2; round += 1) {
      const harness = new Harness({ objects: [pod('a')], metrics, runtime });
      const registration = harness.informer.addHandler({ onAdd: () => {} }, { name: 'one' });
      await harness.start();
      await registration.close();
      expect(metrics.of(informerMetrics.handlerDelivered, 'pods', 'one')).to.equal(round);
      expect(metrics.of(informerMetrics.handlerPending, 'pods', 'one')).to.equal(0);
      metrics.values.delete(`${informerMetrics.handlerPending.name} pods one`);
      await runtime.advance(60_000);
      expect(metrics.of(informerMetrics.handlerPending, 'pods', 'one')).to.equal(undefined);
      expect(metrics.of(informerMetrics.objects, 'pods')).to.equal(1);
      await harness.stop();
      expect(metrics.of(informerMetrics.objects, 'pods')).to.equal(0);
      expect(metrics.of(informerMetrics.connected, 'pods')).to.equal(0);
    }
  });

  it('cost an event nothing: samples and batches are what is reported', async () => {
    let calls = 0;
    const note = (): void => {
      calls += 1;
    };
    const metrics: Metrics = { count: note, gauge: note, observe: note };
    const objects = Array.from({ length: 1000 }, (_, index) => pod(`p${index}`));
    const harness = new Harness({ objects, metrics });
    harness.informer.addHandler({ onUpdate: () => {} });
    await harness.start();
    calls = 0;
    harness.source.pause();
    for (const object of objects) harness.source.modify(object);
    harness.source.resume();
    await harness.settle();
    expect(harness.informer.inspect().eventsApplied).to.equal(1000);
    expect(calls).to.be.at.most(10);
    await harness.stop();
  });

  it('that throw are reported, and disturb nothing', async () => {
    const fail = (): never => {
      throw new Error('registry is full');
    };
    const metrics: Metrics = { count: fail, gauge: fail, observe: fail };
    const harness = new Harness({ objects: [pod('a')], metrics });
    await harness.start();
    expect(harness.informer.lister.list()).to.have.length(1);
    expect(harness.errors.map(({ error }) => error.message)).to.include('registry is full');
    await harness.stop();
  });
});
