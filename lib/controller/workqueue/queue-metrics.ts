import { consoleLogger } from '../../kernel/console-logger.ts';
import { guardedMetrics, logFailedMetrics } from '../../kernel/guarded-metrics.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { MetricLabels, Metrics } from '../../kernel/metrics.ts';

export interface QueueMetricsOptions {
  readonly metrics?: Metrics | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * What a work queue counts, under the names dashboards for Kubernetes controllers know. It never throws.
 * @see component-base metrics/prometheus/workqueue/metrics.go @ eed236c
 */
export class QueueMetrics {
  readonly #metrics: Metrics | undefined;
  readonly #labels: MetricLabels;

  constructor(name: string, { metrics, logger = consoleLogger }: QueueMetricsOptions) {
    this.#labels = { name };
    if (metrics === undefined) return;
    this.#metrics = guardedMetrics(metrics, logFailedMetrics(name, logger));
  }

  /** Whether anybody looks at them: else nothing has to be measured. */
  get wanted(): boolean {
    return this.#metrics !== undefined;
  }

  added(): void {
    this.#metrics?.count('workqueue_adds_total', 1, this.#labels);
  }

  retried(): void {
    this.#metrics?.count('workqueue_retries_total', 1, this.#labels);
  }

  depth(waiting: number): void {
    this.#metrics?.gauge('workqueue_depth', waiting, this.#labels);
  }

  handedOut(waitedMs: number): void {
    this.#metrics?.observe('workqueue_queue_duration_seconds', waitedMs / 1000, this.#labels);
  }

  finished(workedMs: number): void {
    this.#metrics?.observe('workqueue_work_duration_seconds', workedMs / 1000, this.#labels);
  }
}
