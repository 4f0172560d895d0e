import type { MetricLabels, Metrics } from '../../kernel/report/metrics.ts';

/**
 * All metrics that a reconcile loop reports. The names are those that dashboards for Kubernetes controllers use. The label
 * `controller` is the name of the loop.
 * @see controller-runtime pkg/internal/controller/metrics/metrics.go
 */
export const reconcileLoopMetrics = {
  total: {
    name: 'controller_runtime_reconcile_total',
    type: 'counter',
    unit: 'reconciles',
    labels: ['controller', 'result'],
    help: 'Reconciles that have ended, by result: `success`, `requeue_after` or `error`.',
  },
  errors: {
    name: 'controller_runtime_reconcile_errors_total',
    type: 'counter',
    unit: 'reconciles',
    labels: ['controller'],
    help: 'Reconciles that have failed.',
  },
  terminalErrors: {
    name: 'controller_runtime_terminal_reconcile_errors_total',
    type: 'counter',
    unit: 'reconciles',
    labels: ['controller'],
    help: 'Reconciles that have failed with a `TerminalError`.',
  },
  activeWorkers: {
    name: 'controller_runtime_active_workers',
    type: 'gauge',
    unit: 'reconciles',
    labels: ['controller'],
    help: 'Reconciles that are running.',
  },
  maxConcurrent: {
    name: 'controller_runtime_max_concurrent_reconciles',
    type: 'gauge',
    unit: 'reconciles',
    labels: ['controller'],
    help: 'Maximum number of concurrent reconciles.',
  },
  duration: {
    name: 'controller_runtime_reconcile_time_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: ['controller'],
    help: 'Time of one reconcile, whatever its result.',
  },
} as const;

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
