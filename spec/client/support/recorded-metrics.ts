import type { MetricLabels, Metrics } from '../../../lib/kernel/report/metrics.ts';

export interface RecordedMetric {
  readonly name: string;
  readonly value: number;
  readonly labels: MetricLabels;
}

/** Metrics that keep everything that was reported, in its order. */
export class RecordedMetrics implements Metrics {
  readonly all: RecordedMetric[] = [];

  count(name: string, by: number = 1, labels: MetricLabels = {}): void {
    this.all.push({ name, value: by, labels });
  }

  gauge(name: string, value: number, labels: MetricLabels = {}): void {
    this.all.push({ name, value, labels });
  }

  observe(name: string, value: number, labels: MetricLabels = {}): void {
    this.all.push({ name, value, labels });
  }

  /** The values of a metric with these labels, and perhaps others. */
  values(name: string, labels: MetricLabels = {}): number[] {
    return this.all
      .filter((one) => one.name === name)
      .filter((one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value))
      .map(({ value }) => value);
  }

  sum(name: string, labels: MetricLabels = {}): number {
    return this.values(name, labels).reduce((total, value) => total + value, 0);
  }
}
