import type { MetricLabels, Metrics } from '../../kernel/report/metrics.ts';
import { reconcileLoopMetrics } from './reconcile-loop-metrics.ts';

/** Reports the metrics of a reconcile loop. */
export class ReconcileMetrics {
  #metrics: Metrics | undefined;
  readonly #labels: MetricLabels;
  readonly #success: MetricLabels;
  readonly #requeueAfter: MetricLabels;
  readonly #error: MetricLabels;

  constructor(controller: string) {
    this.#labels = { controller };
    this.#success = { controller, result: 'success' };
    this.#requeueAfter = { controller, result: 'requeue_after' };
    this.#error = { controller, result: 'error' };
  }

  /** From now on reports to these. */
  reportTo(metrics: Metrics): void {
    this.#metrics = metrics;
  }

  succeeded(requeued: boolean): void {
    const labels = requeued ? this.#requeueAfter : this.#success;
    this.#metrics?.count(reconcileLoopMetrics.total.name, 1, labels);
  }

  failed(terminal: boolean): void {
    const { total, errors, terminalErrors } = reconcileLoopMetrics;
    this.#metrics?.count(total.name, 1, this.#error);
    this.#metrics?.count(errors.name, 1, this.#labels);
    if (terminal) this.#metrics?.count(terminalErrors.name, 1, this.#labels);
  }

  allows(concurrency: number): void {
    this.#metrics?.gauge(reconcileLoopMetrics.maxConcurrent.name, concurrency, this.#labels);
  }

  active(running: number): void {
    this.#metrics?.gauge(reconcileLoopMetrics.activeWorkers.name, running, this.#labels);
  }

  took(durationMs: number): void {
    const { name } = reconcileLoopMetrics.duration;
    this.#metrics?.observe(name, durationMs / 1000, this.#labels);
  }
}
