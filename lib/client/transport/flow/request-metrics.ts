/**
 * The metrics of the requests of a client. Those that begin with `rest_client_` are named as in client-go, with more labels.
 * `host` is host and port of the server. `resource` is the plural with its group, such as `deployments.apps`, and for a
 * subresource `pods/eviction`; for other paths the path, such as `/version`. Names and namespaces are never labels.
 * @see component-base metrics/prometheus/restclient/metrics.go @ eed236c
 */
export const requestMetrics = {
  requests: {
    name: 'rest_client_requests_total',
    type: 'counter',
    unit: 'requests',
    labels: ['host', 'method', 'verb', 'resource', 'code'],
    help: 'Requests that have ended, by status code, or by error code if there was no answer. One that was sent again is counted once.',
  },
  duration: {
    name: 'rest_client_request_duration_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: ['host', 'verb', 'resource'],
    help: 'Time from the call until the headers of the answer, with all waits. For a watch, the time to open it.',
  },
  retries: {
    name: 'rest_client_request_retries_total',
    type: 'counter',
    unit: 'requests',
    labels: ['host', 'method', 'code'],
    help: 'Requests that were sent again, by the status code or error code that was the cause.',
  },
  limiterWait: {
    name: 'rest_client_rate_limiter_duration_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: ['host', 'verb'],
    help: 'Time that a request has waited for its turn in the limiter. Requests that did not wait are not observed.',
  },
  refreshes: {
    name: 'listwatch_client_credential_refreshes_total',
    type: 'counter',
    unit: 'requests',
    labels: ['host'],
    help: 'Requests that were sent again with another credential, because the server answered 401 or refused the certificate.',
  },
  connections: {
    name: 'listwatch_client_connections_opened_total',
    type: 'counter',
    unit: 'connections',
    labels: ['host'],
    help: 'Connections on which a first answer has arrived. Kept connections serve many requests.',
  },
  http2Sessions: {
    name: 'listwatch_client_http2_sessions',
    type: 'gauge',
    unit: 'connections',
    labels: ['host'],
    help: 'Open HTTP/2 connections. While this is not reported, or 0, only HTTP/1.1 is used.',
  },
  http2Streams: {
    name: 'listwatch_client_http2_streams',
    type: 'gauge',
    unit: 'requests',
    labels: ['host'],
    help: 'Requests and watches on HTTP/2 connections.',
  },
  limiterRate: {
    name: 'listwatch_client_limiter_rate',
    type: 'gauge',
    unit: 'requests per second',
    labels: ['host'],
    help: 'The rate that the limiter allows; 0 while there is no limit.',
  },
  limiterQueue: {
    name: 'listwatch_client_limiter_queue_length',
    type: 'gauge',
    unit: 'requests',
    labels: ['host'],
    help: 'Requests that wait for their turn in the limiter.',
  },
  slowdowns: {
    name: 'listwatch_client_limiter_slowdowns_total',
    type: 'counter',
    unit: 'decreases',
    labels: ['host'],
    help: 'How often the limiter has lowered its rate because the server refused requests.',
  },
} as const;
