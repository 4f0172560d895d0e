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
