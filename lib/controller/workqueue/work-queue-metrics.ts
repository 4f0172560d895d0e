/**
 * All metrics that a work queue reports. The names are those that dashboards for Kubernetes controllers use. The label
 * `name` is the name of the queue.
 * @see component-base metrics/prometheus/workqueue/metrics.go @ eed236c
 */
export const workQueueMetrics = {
  depth: {
    name: 'workqueue_depth',
    type: 'gauge',
    unit: 'keys',
    labels: ['name', 'priority'],
    help: 'Keys that wait for a worker, by priority; 0 for keys without one.',
  },
  adds: {
    name: 'workqueue_adds_total',
    type: 'counter',
    unit: 'keys',
    labels: ['name'],
    help: 'Keys that were added; one that waits already is not counted again.',
  },
  retries: {
    name: 'workqueue_retries_total',
    type: 'counter',
    unit: 'keys',
    labels: ['name'],
    help: 'Keys that were added with a delay.',
  },
  queueDuration: {
    name: 'workqueue_queue_duration_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: ['name'],
    help: 'Time a key has waited for a worker.',
  },
  workDuration: {
    name: 'workqueue_work_duration_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: ['name'],
    help: 'Time a worker has taken for a key.',
  },
  unfinished: {
    name: 'workqueue_unfinished_work_seconds',
    type: 'gauge',
    unit: 'seconds',
    labels: ['name'],
    help: 'How long the keys that are in work have been so, added up. It grows without end when workers are stuck.',
  },
  longestRunning: {
    name: 'workqueue_longest_running_processor_seconds',
    type: 'gauge',
    unit: 'seconds',
    labels: ['name'],
    help: 'How long the key that is in work for the longest time has been so.',
  },
} as const;
