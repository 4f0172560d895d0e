import type { MetricLabels, Metrics } from '../../kernel/metrics.ts';

/**
 * What a reconcile loop counts, under the names dashboards for Kubernetes controllers know.
 * @see controller-runtime pkg/internal/controller/metrics/metrics.go
 */
export class ReconcileMetrics {
  readonly #metrics: Metrics | undefined;
  readonly #labels: MetricLabels;
  readonly #success: MetricLabels;
  readonly #requeueAfter: MetricLabels;
  readonly #error: MetricLabels;

  constructor(metrics: Metrics | undefined, controller: string) {
    this.#metrics = metrics;
    this.#labels = { controller };
    this.#success = { controller, result: 'success' };
    this.#requeueAfter = { controller, result: 'requeue_after' };
    this.#error = { controller, result: 'error' };
  }

  succeeded(requeued: boolean): void {
    const labels = requeued ? this.#requeueAfter : this.#success;
    this.#metrics?.count('controller_runtime_reconcile_total', 1, labels);
  }

  failed(): void {
    this.#metrics?.count('controller_runtime_reconcile_total', 1, this.#error);
  }

  took(durationMs: number): void {
    const name = 'controller_runtime_reconcile_time_seconds';
    this.#metrics?.observe(name, durationMs / 1000, this.#labels);
  }
}
