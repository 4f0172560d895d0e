export type MetricLabels = Readonly<Record<string, string>>;

/** The metrics of the package; implement it to wrap your own metrics library. By default nothing is recorded. */
export interface Metrics {
  /** Adds to a counter that only grows. */
  count(name: string, by?: number, labels?: MetricLabels): void;
  /** Sets a gauge. */
  gauge(name: string, value: number, labels?: MetricLabels): void;
  /** Adds one observation to a histogram. */
  observe(name: string, value: number, labels?: MetricLabels): void;
}

/** One metric, in the form in which metrics libraries declare it. */
export interface MetricDescription {
  readonly name: string;
  /** How it is reported: `count`, `gauge` or `observe` of `Metrics`. */
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** The unit of the value, or the thing that is counted. */
  readonly unit: string;
  readonly labels: readonly string[];
  readonly help: string;
}

export const silentMetrics: Metrics = {
  count: () => {},
  gauge: () => {},
  observe: () => {},
};
