import { guardedMetrics, logFailedMetrics } from '../../../kernel/report/guarded-metrics.ts';
import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { silentMetrics, type Metrics } from '../../../kernel/report/metrics.ts';
import { watchCacheMetrics } from '../../cacher/window/watch-cache-metrics.ts';
import { apiServerMetrics } from './api-server-metrics.ts';
import { PrometheusMetrics } from '../../../kernel/report/prometheus-metrics.ts';

export interface ServerMetricsOptions {
  /** Gets all reports as well. @defaultValue nothing else does */
  readonly metrics?: Metrics | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
}

/** Reports what is not worth a report at every change, such as the number of objects, when `/metrics` is read. */
export type Collector = (metrics: Metrics) => void;

/**
 * The metrics of one server: kept for `/metrics`, and passed on to the user's own. What is collected when `/metrics` is read is
 * not passed on.
 */
export class ServerMetrics {
  /** Where the parts of the server report. */
  readonly sink: Metrics;
  readonly #kept = new PrometheusMetrics({
    descriptions: [...Object.values(apiServerMetrics), ...Object.values(watchCacheMetrics)],
    dropped: apiServerMetrics.droppedSeries,
  });
  readonly #collectors: Collector[] = [];
  readonly #preparations: (() => Promise<void>)[] = [];

  constructor({ metrics = silentMetrics, logger = consoleLogger }: ServerMetricsOptions = {}) {
    const guarded = guardedMetrics(metrics, logFailedMetrics('ApiServer', logger));
    this.sink = metrics === silentMetrics ? this.#kept : both(this.#kept, guarded);
  }

  /** Adds a collector of gauges, whose series are made anew each time. */
  collect(names: readonly string[], collector: Collector): void {
    this.#collectors.push((metrics) => {
      for (const name of names) this.#kept.clear(name);
      collector(metrics);
    });
  }

  /** Adds what has to happen before the collectors are called. It must not reject. */
  prepare(preparation: () => Promise<void>): void {
    this.#preparations.push(preparation);
  }

  /** In the text format of Prometheus. Awaits the preparations; then all is collected at one moment. */
  async text(): Promise<string> {
    await Promise.all(this.#preparations.map((prepare) => prepare()));
    for (const collector of this.#collectors) collector(this.#kept);
    return this.#kept.text();
  }

  reset(): void {
    this.#kept.reset();
  }
}

function both(one: Metrics, other: Metrics): Metrics {
  return {
    count: (name, by, labels) => {
      one.count(name, by, labels);
      other.count(name, by, labels);
    },
    gauge: (name, value, labels) => {
      one.gauge(name, value, labels);
      other.gauge(name, value, labels);
    },
    observe: (name, value, labels) => {
      one.observe(name, value, labels);
      other.observe(name, value, labels);
    },
  };
}
