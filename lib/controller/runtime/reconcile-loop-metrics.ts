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
  duration: {
    name: 'controller_runtime_reconcile_time_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: ['controller'],
    help: 'Time of one reconcile, whatever its result.',
  },
} as const;
