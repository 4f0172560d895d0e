import type { MetricDescription } from '../../../kernel/report/metrics.ts';
import { droppedReports } from '../../../kernel/report/prometheus-metrics.ts';

const REQUEST_LABELS = [
  'verb',
  'group',
  'version',
  'resource',
  'subresource',
  'scope',
  'component',
];
const COLLECTION_LABELS = ['group', 'version', 'resource'];

export type ApiServerMetric =
  | 'requests'
  | 'duration'
  | 'responseSizes'
  | 'inFlight'
  | 'longRunning'
  | 'watchEvents'
  | 'watchEventSizes'
  | 'storageRequests'
  | 'storageErrors'
  | 'storageDuration'
  | 'resourceObjects'
  | 'storageObjects'
  | 'watchCacheVersion'
  | 'watchCacheCapacity'
  | 'registeredWatchers'
  | 'cpuTime'
  | 'residentMemory'
  | 'startTime'
  | 'droppedSeries';

/**
 * All metrics that a server reports about its requests and its storage, under the names of kube-apiserver. Requests that are about
 * no resource have the root of their path as `subresource`, e.g. `/livez`.
 */
export const apiServerMetrics: Readonly<Record<ApiServerMetric, MetricDescription>> = {
  requests: {
    name: 'apiserver_request_total',
    type: 'counter',
    unit: 'requests',
    labels: [...REQUEST_LABELS, 'dry_run', 'code'],
    help: 'Requests that have been answered, by status code. A watch counts when it ends.',
  },
  duration: {
    name: 'apiserver_request_duration_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: [...REQUEST_LABELS, 'dry_run'],
    help: 'Time from a request, with its whole body, to its answer. Watches are not observed.',
  },
  responseSizes: {
    name: 'apiserver_response_sizes',
    type: 'histogram',
    unit: 'size in bytes',
    labels: REQUEST_LABELS,
    help: 'Size of the body of answers to get and list, as long as it is known.',
  },
  inFlight: {
    name: 'apiserver_current_inflight_requests',
    type: 'gauge',
    unit: 'requests',
    labels: ['request_kind'],
    help: 'Requests that are being answered, `readOnly` or `mutating`; watches are not counted.',
  },
  longRunning: {
    name: 'apiserver_longrunning_requests',
    type: 'gauge',
    unit: 'requests',
    labels: REQUEST_LABELS,
    help: 'Watches that are open.',
  },
  watchEvents: {
    name: 'apiserver_watch_events_total',
    type: 'counter',
    unit: 'events',
    labels: COLLECTION_LABELS,
    help: 'Events that were sent to watches.',
  },
  watchEventSizes: {
    name: 'apiserver_watch_events_sizes',
    type: 'histogram',
    unit: 'size in bytes',
    labels: COLLECTION_LABELS,
    help: 'Size of the pieces of bytes in which events were sent to watches; a piece has one event or several.',
  },
  storageRequests: {
    name: 'etcd_requests_total',
    type: 'counter',
    unit: 'requests',
    labels: ['operation', 'group', 'resource'],
    help: 'Requests to the key-value store, embedded or not.',
  },
  storageErrors: {
    name: 'etcd_request_errors_total',
    type: 'counter',
    unit: 'requests',
    labels: ['operation', 'group', 'resource'],
    help: 'Requests to the key-value store that failed.',
  },
  storageDuration: {
    name: 'etcd_request_duration_seconds',
    type: 'histogram',
    unit: 'seconds',
    labels: ['operation', 'group', 'resource'],
    help: 'Time of a request to the key-value store: `get`, `list`, `create`, `update` or `delete`.',
  },
  resourceObjects: {
    name: 'apiserver_resource_objects',
    type: 'gauge',
    unit: 'objects',
    labels: ['group', 'resource'],
    help: 'Objects in the watch cache of a resource.',
  },
  storageObjects: {
    name: 'apiserver_storage_objects',
    type: 'gauge',
    unit: 'objects',
    labels: ['resource'],
    help: 'The same with the group in the name of the resource, as it was called before Kubernetes 1.34.',
  },
  watchCacheVersion: {
    name: 'apiserver_watch_cache_resource_version',
    type: 'gauge',
    unit: 'resource version',
    labels: ['group', 'resource'],
    help: 'Resource version of a watch cache: its last 15 digits.',
  },
  watchCacheCapacity: {
    name: 'watch_cache_capacity',
    type: 'gauge',
    unit: 'events',
    labels: ['group', 'resource'],
    help: 'Events that the sliding window of a watch cache can hold at present.',
  },
  registeredWatchers: {
    name: 'apiserver_registered_watchers',
    type: 'gauge',
    unit: 'watchers',
    labels: ['group', 'resource'],
    help: 'Watchers of a watch cache.',
  },
  cpuTime: {
    name: 'process_cpu_seconds_total',
    type: 'counter',
    unit: 'seconds of work',
    labels: [],
    help: 'Processor time of the process, also of what else runs in it.',
  },
  residentMemory: {
    name: 'process_resident_memory_bytes',
    type: 'gauge',
    unit: 'bytes',
    labels: [],
    help: 'Memory of the process that is not swapped out.',
  },
  startTime: {
    name: 'process_start_time_seconds',
    type: 'gauge',
    unit: 'seconds',
    labels: [],
    help: 'When the process was started, in seconds since 1970.',
  },
  droppedSeries: droppedReports,
};
