/** All metrics that the watch caches of a server report, as kube-apiserver names them. The label `resource` names the cached resource. */
export const watchCacheMetrics = {
  consistentLists: {
    name: 'apiserver_watch_cache_consistent_read_total',
    type: 'counter',
    unit: 'lists',
    labels: ['resource', 'fallback'],
    help: 'Lists of the most recent state; `fallback` is `true` for those that the storage answered, because the cache was not current in time.',
  },
  consistencyChecks: {
    name: 'apiserver_storage_consistency_checks_total',
    type: 'counter',
    unit: 'checks',
    labels: ['resource', 'status'],
    help: 'Comparisons of the cache with the storage, by status: `success`, `failure` for a difference, `error` for one that could not be made.',
  },
  terminatedWatchers: {
    name: 'apiserver_terminated_watchers_total',
    type: 'counter',
    unit: 'watchers',
    labels: ['resource'],
    help: 'Watchers that were ended because their reader did not keep up.',
  },
} as const;
