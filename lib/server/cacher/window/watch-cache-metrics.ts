/** All metrics that the watch caches of a server report, as kube-apiserver names them. The labels `group` and `resource` name the cached resource. */
export const watchCacheMetrics = {
  consistentLists: {
    name: 'apiserver_watch_cache_consistent_read_total',
    type: 'counter',
    unit: 'lists',
    labels: ['group', 'resource', 'success', 'fallback'],
    help: 'Lists of the most recent state; `fallback` is `true` for those that the storage answered, because the cache was not current in time; `success` is always `true`.',
  },
  consistencyChecks: {
    name: 'apiserver_storage_consistency_checks_total',
    type: 'counter',
    unit: 'checks',
    labels: ['group', 'resource', 'status'],
    help: 'Comparisons of the cache with the storage, by status: `success`, `failure` for a difference, `error` for one that could not be made.',
  },
  terminatedWatchers: {
    name: 'apiserver_terminated_watchers_total',
    type: 'counter',
    unit: 'watchers',
    labels: ['group', 'resource'],
    help: 'Watchers that were ended because their reader did not keep up.',
  },
} as const;

/** The labels of a cached resource: `deployments.apps` is a resource and its group. */
export function resourceLabels(description: string): {
  readonly group: string;
  readonly resource: string;
} {
  const at = description.indexOf('.');
  if (at < 0) return { group: '', resource: description };
  return { group: description.slice(at + 1), resource: description.slice(0, at) };
}
