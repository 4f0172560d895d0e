/**
 * All metrics of a webhook server, under the names that dashboards for controllers use. The label `webhook` is the path of the webhook.
 * @see controller-runtime pkg/webhook/internal/metrics/metrics.go
 */
export const webhookMetrics = {
  requests: {
    name: 'controller_runtime_webhook_requests_total',
    type: 'counter',
    unit: 'calls',
    labels: ['webhook', 'code'],
    help: 'Calls that were answered, by status of HTTP; a denied request is an answer with 200.',
  },
  latency: {
    name: 'controller_runtime_webhook_latency_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: ['webhook'],
    help: 'Time from the head of a call to its answer.',
  },
  inFlight: {
    name: 'controller_runtime_webhook_requests_in_flight',
    type: 'gauge',
    unit: 'calls',
    labels: ['webhook'],
    help: 'Calls that are not answered yet.',
  },
} as const;
