export type MetricLabels = Readonly<Record<string, string>>;

/** The metrics of the package. Wrap your own metrics library; the default counts nothing. */
export interface Metrics {
  /** Adds to a counter that only grows. */
  count(name: string, by?: number, labels?: MetricLabels): void;
  /** Sets a gauge. */
  gauge(name: string, value: number, labels?: MetricLabels): void;
  /** Adds one observation to a histogram. */
  observe(name: string, value: number, labels?: MetricLabels): void;
}

/** One metric, as a metrics library wants it declared. */
export interface MetricDescription {
  readonly name: string;
  /** How it is reported: `count`, `gauge` or `observe` of `Metrics`. */
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** What the number counts. */
  readonly unit: string;
  readonly labels: readonly string[];
  readonly help: string;
}

export const silentMetrics: Metrics = {
  count: () => {},
  gauge: () => {},
  observe: () => {},
};
