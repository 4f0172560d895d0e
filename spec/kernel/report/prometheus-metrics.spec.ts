import { expect } from 'chai';
import type { MetricDescription } from '../../../lib/kernel/report/metrics.ts';
import { PrometheusMetrics } from '../../../lib/kernel/report/prometheus-metrics.ts';

const described = (
  name: string,
  type: MetricDescription['type'],
  labels: readonly string[],
): MetricDescription => ({ name, type, unit: 'seconds', labels, help: `The ${name}.` });

const dropped = described('dropped_total', 'counter', []);
const descriptions = [
  described('jobs_total', 'counter', ['zone', 'area']),
  described('depth', 'gauge', []),
  described('wait_seconds', 'histogram', ['zone']),
  dropped,
];

describe('PrometheusMetrics', () => {
  it('writes what was reported, by name, with sorted labels', () => {
    const metrics = new PrometheusMetrics({ descriptions, dropped });
    expect(metrics.text()).to.equal('');
    metrics.count('jobs_total', 1, { zone: 'b', area: 'a"\\\n' });
    metrics.count('jobs_total', 2, { zone: 'b', area: 'a"\\\n' });
    metrics.count('jobs_total');
    metrics.gauge('depth', 7);
    metrics.gauge('depth', 1.5);
    expect(metrics.text()).to.equal(
      [
        '# HELP depth The depth.',
        '# TYPE depth gauge',
        'depth 1.5',
        '# HELP jobs_total The jobs_total.',
        '# TYPE jobs_total counter',
        'jobs_total{area="a\\"\\\\\\n",zone="b"} 3',
        'jobs_total{area="",zone=""} 1',
        '',
      ].join('\n'),
    );
  });

  it('adds observations to their bucket and to all above', () => {
    const metrics = new PrometheusMetrics({ descriptions, dropped });
    for (const value of [0.005, 0.3, 0.3, 100])
      metrics.observe('wait_seconds', value, { zone: 'a' });
    const lines = metrics.text().split('\n');
    expect(lines).to.include.members([
      'wait_seconds_bucket{zone="a",le="0.005"} 1',
      'wait_seconds_bucket{zone="a",le="0.2"} 1',
      'wait_seconds_bucket{zone="a",le="0.4"} 3',
      'wait_seconds_bucket{zone="a",le="60"} 3',
      'wait_seconds_bucket{zone="a",le="+Inf"} 4',
      'wait_seconds_sum{zone="a"} 100.605',
      'wait_seconds_count{zone="a"} 4',
    ]);
  });

  it('keeps 5,000 combinations of labels, and counts what it drops', () => {
    const metrics = new PrometheusMetrics({ descriptions, dropped });
    for (let zone = 0; zone < 5010; zone += 1) metrics.count('jobs_total', 1, { zone: `${zone}` });
    metrics.count('jobs_total', 1, { zone: '0' });
    const text = metrics.text();
    expect(text.match(/^jobs_total\{/gm)).to.have.length(5000);
    expect(text).to.include('jobs_total{area="",zone="0"} 2\n');
    expect(text).to.include('dropped_total 10\n');
  });

  it('starts again after a reset, also for labels that it has seen', () => {
    const metrics = new PrometheusMetrics({ descriptions, dropped });
    const labels = Object.freeze({ zone: 'a', area: 'b' });
    metrics.count('jobs_total', 5, labels);
    metrics.reset();
    expect(metrics.text()).to.equal('');
    metrics.count('jobs_total', 2, labels);
    metrics.count('jobs_total', 1, { zone: 'a', area: 'b' });
    expect(metrics.text()).to.include('jobs_total{area="b",zone="a"} 3\n');
  });

  it('ignores metrics that were not described', () => {
    const metrics = new PrometheusMetrics({ descriptions, dropped });
    metrics.count('other_total');
    metrics.observe('other', 1);
    expect(metrics.text()).to.equal('');
  });
});
