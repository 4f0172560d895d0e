import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import {
  informerMetrics,
  type MetricDescription,
} from '../../../../lib/cache/informer/observe/informer-metrics.ts';
import type { MetricLabels, Metrics } from '../../../../lib/kernel/metrics.ts';
import { deferred } from '../../../../lib/kernel/latch.ts';
import { VirtualRuntime } from '../../../../lib/kernel/virtual-runtime.ts';
import { forbidden } from '../../../../lib/meta/failures.ts';
import { Harness } from '../../support/informer-harness.ts';
import { pod } from '../../support/objects.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const PAGE = join(ROOT, 'docs/metrics.md');
const BEGIN = '<!-- metrics: begin -->';
const END = '<!-- metrics: end -->';
const TABLE: readonly MetricDescription[] = Object.values(informerMetrics);

const INTRODUCTION = `# Metrics

Give \`metrics\` to an informer, a factory, a queue or a reconcile loop: three functions, \`count\`, \`gauge\` and \`observe\`, that
you wrap around your own metrics library. Without it nothing is measured. The table is exported as \`informerMetrics\`, so that
a library that wants its metrics declared can be fed from it. The label \`name\` is the name of the informer.

Gauges and counters of handlers are reported every 5 seconds. A stopped informer and a removed handler leave their gauges at 0;
an informer that is made again under the same name goes on with the same series.

Work queues and reconcile loops report under the names that dashboards know from Kubernetes controllers:
\`workqueue_depth\`, \`workqueue_adds_total\`, \`workqueue_retries_total\`, \`workqueue_queue_duration_seconds\`,
\`workqueue_work_duration_seconds\`, \`controller_runtime_reconcile_total\`, \`controller_runtime_reconcile_time_seconds\`.
`;

function table(): string {
  const rows = TABLE.map(
    ({ name, type, unit, labels, help }) =>
      `| \`${name}\` | ${type} | ${unit} | ${labels.map((label) => `\`${label}\``).join(' ')} | ${help} |`,
  );
  return [
    BEGIN,
    '| name | type | unit | labels | meaning |',
    '|---|---|---|---|---|',
    ...rows,
    END,
  ].join('\n');
}

function rewritten(page: string): string {
  const [before = '', rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  return after === undefined ? `${INTRODUCTION}\n${table()}\n` : `${before}${table()}${after}`;
}

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
  it('stand in docs/metrics.md (LISTWATCH_UPDATE_DOCS=1 rewrites it)', () => {
    const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
    if (process.env['LISTWATCH_UPDATE_DOCS'] === '1') writeFileSync(PAGE, rewritten(page));
    expect(readFileSync(PAGE, 'utf8').split(BEGIN)[1]?.split(END)[0]).to.equal(
      table().slice(BEGIN.length, -END.length),
    );
  });

  it('are all that the cache reports', () => {
    const folder = join(ROOT, 'lib/cache');
    const used = new Set<string>();
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const text = readFileSync(join(folder, file), 'utf8');
      for (const [name] of text.matchAll(/listwatch_[a-z_]+/g)) used.add(name);
    }
    expect([...used].toSorted()).to.deep.equal(TABLE.map(({ name }) => name).toSorted());
  });

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
    expect(metrics.of(informerMetrics.lastEventAge, 'pods')).to.equal(5000);
    expect(metrics.of(informerMetrics.eventsApplied, 'pods')).to.equal(2);
    expect(metrics.of(informerMetrics.handlerPending, 'pods', 'slow')).to.equal(2);
    expect(metrics.of(informerMetrics.handlerDelivered, 'pods', 'slow')).to.equal(2);
    expect(metrics.of(informerMetrics.handlerFailed, 'pods', 'bad')).to.equal(3);
    gate.resolve();
    harness.source.dropConnections(forbidden({ group: '', resource: 'pods' }, '', 'no'));
    await harness.relist();
    expect(metrics.of(informerMetrics.relists, 'pods')).to.be.at.least(1);
    expect(metrics.of(informerMetrics.watchErrors, 'pods', 'other')).to.be.at.least(1);
    await harness.stop();
    expect(metrics.of(informerMetrics.handlerDelivered, 'pods', 'slow')).to.equal(4);
    const never = new Set(['handlerCoalesced', 'staleEvents', 'silenceProbes']);
    for (const [key, { name }] of Object.entries(informerMetrics)) {
      if (!never.has(key)) expect([...metrics.names], key).to.include(name);
    }
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
