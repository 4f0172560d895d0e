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

export const silentMetrics: Metrics = {
  count: () => {},
  gauge: () => {},
  observe: () => {},
};
