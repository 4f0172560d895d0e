import type { MetricDescription, MetricLabels, Metrics } from './metrics.ts';

/** Of durations in seconds. @see apiserver pkg/endpoints/metrics/metrics.go requestLatencies @ 24a394e */
const SECONDS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45,
  60,
];
/** Of sizes in bytes. */
const BYTES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** Combinations of label values of one metric; custom resources come and go. */
const MOST_SERIES = 5000;

interface Series {
  /** The values of the labels, in the order of their description. */
  readonly labels: readonly string[];
  value: number;
  /** Of a histogram: the observations by bucket, the last one above all bounds. */
  readonly buckets: number[] | undefined;
  count: number;
}

interface Metric {
  readonly description: MetricDescription;
  readonly bounds: readonly number[] | undefined;
  readonly series: Map<string, Series>;
  /** By frozen labels, which are reported again and again. */
  byLabels: WeakMap<MetricLabels, Series>;
}

export interface PrometheusMetricsOptions {
  /** The metrics that are kept; reports of others are ignored. */
  readonly descriptions: readonly MetricDescription[];
  /** Counts the reports that were dropped; one of `descriptions`. */
  readonly dropped: MetricDescription;
  /** Upper bounds of the buckets of histograms in seconds, ascending. @defaultValue 5 ms to 60 s, as kube-apiserver has them */
  readonly secondsBounds?: readonly number[] | undefined;
}

/** A `dropped` of `PrometheusMetricsOptions`. */
export const droppedReports = {
  name: 'listwatch_metrics_dropped_total',
  type: 'counter',
  unit: 'reports',
  labels: [],
  help: 'Reports of `/metrics` that were dropped because there were too many combinations of labels.',
} as const;

/**
 * Keeps metrics in memory and writes them in the text format of Prometheus.
 *
 * It keeps at most 5,000 combinations of labels of each metric. Reports of further ones are dropped and counted. A series is found
 * faster by labels that are frozen and the same object each time.
 */
export class PrometheusMetrics implements Metrics {
  readonly #metrics = new Map<string, Metric>();
  readonly #dropped: MetricDescription;

  constructor({ descriptions, dropped, secondsBounds = SECONDS }: PrometheusMetricsOptions) {
    this.#dropped = dropped;
    for (const description of descriptions) {
      const bounds =
        description.type === 'histogram' ? boundsOf(description, secondsBounds) : undefined;
      this.#metrics.set(description.name, {
        description,
        bounds,
        series: new Map(),
        byLabels: new WeakMap(),
      });
    }
  }

  count(name: string, by: number = 1, labels: MetricLabels = {}): void {
    const series = this.#series(name, labels);
    if (series !== undefined) series.value += by;
  }

  gauge(name: string, value: number, labels: MetricLabels = {}): void {
    const series = this.#series(name, labels);
    if (series !== undefined) series.value = value;
  }

  observe(name: string, value: number, labels: MetricLabels = {}): void {
    const series = this.#series(name, labels);
    const bounds = this.#metrics.get(name)?.bounds;
    if (series?.buckets === undefined || bounds === undefined) return;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    series.buckets[bucket] = (series.buckets[bucket] as number) + 1;
    series.value += value;
    series.count += 1;
  }

  /** Removes the series of a metric, before its gauges are set again. */
  clear(name: string): void {
    const metric = this.#metrics.get(name);
    if (metric !== undefined) clear(metric);
  }

  /** Starts again from nothing. */
  reset(): void {
    for (const metric of this.#metrics.values()) clear(metric);
  }

  /** All metrics that have been reported, in the order of their names. */
  text(): string {
    const names = [...this.#metrics.keys()].toSorted();
    return names.map((name) => textOf(this.#metrics.get(name) as Metric)).join('');
  }

  #series(name: string, labels: MetricLabels): Series | undefined {
    const metric = this.#metrics.get(name);
    if (metric === undefined) return undefined;
    const known = metric.byLabels.get(labels);
    if (known !== undefined) return known;
    const found = this.#seriesOf(metric, labels);
    if (found !== undefined && Object.isFrozen(labels)) metric.byLabels.set(labels, found);
    return found;
  }

  #seriesOf(metric: Metric, labels: MetricLabels): Series | undefined {
    const { labels: names } = metric.description;
    let key = '';
    for (const label of names) key += `${labels[label] ?? ''}\n`;
    const known = metric.series.get(key);
    if (known !== undefined) return known;
    if (metric.series.size >= MOST_SERIES) {
      this.count(this.#dropped.name);
      return undefined;
    }
    const made: Series = {
      labels: names.map((label) => labels[label] ?? ''),
      value: 0,
      buckets:
        metric.bounds === undefined
          ? undefined
          : Array.from({ length: metric.bounds.length + 1 }, () => 0),
      count: 0,
    };
    metric.series.set(key, made);
    return made;
  }
}

function clear(metric: Metric): void {
  metric.series.clear();
  metric.byLabels = new WeakMap();
}

function boundsOf({ unit }: MetricDescription, seconds: readonly number[]): readonly number[] {
  return unit === 'seconds' ? seconds : BYTES;
}

function textOf({ description, bounds, series }: Metric): string {
  if (series.size === 0) return '';
  const { name, type, help, labels: names } = description;
  const lines = [`# HELP ${name} ${help.replaceAll('\\', '\\\\')}`, `# TYPE ${name} ${type}`];
  for (const one of series.values()) {
    const labels = labelText(names, one.labels);
    if (bounds === undefined) lines.push(`${name}${labels} ${numberText(one.value)}`);
    else lines.push(...histogramLines(name, labels, one, bounds));
  }
  return `${lines.join('\n')}\n`;
}

function histogramLines(
  name: string,
  labels: string,
  { value, count, buckets = [] }: Series,
  bounds: readonly number[],
): string[] {
  const lines: string[] = [];
  const inside = labels === '' ? '' : `${labels.slice(1, -1)},`;
  let total = 0;
  for (const [index, bound] of bounds.entries()) {
    total += buckets[index] ?? 0;
    lines.push(`${name}_bucket{${inside}le="${numberText(bound)}"} ${total}`);
  }
  lines.push(`${name}_bucket{${inside}le="+Inf"} ${count}`);
  lines.push(`${name}_sum${labels} ${numberText(value)}`, `${name}_count${labels} ${count}`);
  return lines;
}

/** `{verb="GET",...}`, or empty; in the order of the label names, as in kube-apiserver. */
function labelText(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return '';
  const pairs = names.map((label, index) => `${label}="${escaped(values[index] ?? '')}"`);
  return `{${pairs.toSorted().join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** As Go writes numbers: an exponent from 21 digits on, and for large round numbers from 7 digits on. */
function numberText(value: number): string {
  if (value !== 0 && Math.abs(value) >= 1e6 && Number.isInteger(value)) {
    const [mantissa = '', exponent = ''] = value.toExponential().split('e+');
    return `${mantissa}e+${exponent.padStart(2, '0')}`;
  }
  return String(value);
}
