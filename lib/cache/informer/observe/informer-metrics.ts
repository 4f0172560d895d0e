/** One metric, as a metrics library wants it declared. */
export interface MetricDescription {
  readonly name: string;
  /** How it is reported: `count`, `gauge` or `observe` of `Metrics`. */
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** What the number counts. */
  readonly unit: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/**
 * Everything an informer and its reflector report to `metrics`. The label `name` is the name of the informer; one that is
 * made again under the same name goes on with the same series. `docs/metrics.md` is held against this table by a spec.
 *
 * Gauges and what handlers did are reported every 5 seconds while the informer runs, and when it is synced and stops; a
 * stopped informer and a removed handler leave their gauges at 0.
 */
export const informerMetrics = {
  connected: {
    name: 'listwatch_informer_connected',
    type: 'gauge',
    unit: '0 or 1',
    labels: ['name'],
    help: 'Whether a watch is open.',
  },
  objects: {
    name: 'listwatch_informer_store_objects',
    type: 'gauge',
    unit: 'objects',
    labels: ['name'],
    help: 'Objects in the cache.',
  },
  bytes: {
    name: 'listwatch_informer_store_bytes',
    type: 'gauge',
    unit: 'bytes',
    labels: ['name'],
    help: 'Size on the wire of the objects in the cache.',
  },
  memory: {
    name: 'listwatch_informer_store_memory_bytes',
    type: 'gauge',
    unit: 'bytes',
    labels: ['name'],
    help: 'What the objects in the cache take in memory: their bytes, and decoded ones as estimated.',
  },
  queueDepth: {
    name: 'listwatch_informer_queue_depth',
    type: 'gauge',
    unit: 'changes',
    labels: ['name'],
    help: 'Changes that wait for the store.',
  },
  lag: {
    name: 'listwatch_informer_store_lag_ms',
    type: 'gauge',
    unit: 'milliseconds',
    labels: ['name'],
    help: 'How long the oldest change that waits for the store has waited.',
  },
  lastEventAge: {
    name: 'listwatch_informer_last_event_age_ms',
    type: 'gauge',
    unit: 'milliseconds',
    labels: ['name'],
    help: 'How old the last event, bookmark or list is.',
  },
  eventsApplied: {
    name: 'listwatch_informer_events_applied_total',
    type: 'counter',
    unit: 'events',
    labels: ['name'],
    help: 'Events of watches that were applied to the store.',
  },
  applyDuration: {
    name: 'listwatch_informer_apply_duration_ms',
    type: 'histogram',
    unit: 'milliseconds',
    labels: ['name'],
    help: 'Time to apply one batch of up to 1000 changes to the store and to queue it for the handlers.',
  },
  syncDuration: {
    name: 'listwatch_informer_sync_duration_ms',
    type: 'histogram',
    unit: 'milliseconds',
    labels: ['name'],
    help: 'Time from the start until the cache had its first whole list.',
  },
  relists: {
    name: 'listwatch_informer_relists_total',
    type: 'counter',
    unit: 'lists',
    labels: ['name'],
    help: 'Lists after the first one, because the history in between was lost.',
  },
  handlerPending: {
    name: 'listwatch_informer_handler_pending',
    type: 'gauge',
    unit: 'events',
    labels: ['name', 'handler'],
    help: 'Events that wait for the handler.',
  },
  handlerDelivered: {
    name: 'listwatch_informer_handler_delivered_total',
    type: 'counter',
    unit: 'callbacks',
    labels: ['name', 'handler'],
    help: 'Callbacks of the handler that have returned, those that threw included.',
  },
  handlerFailed: {
    name: 'listwatch_informer_handler_failed_total',
    type: 'counter',
    unit: 'callbacks',
    labels: ['name', 'handler'],
    help: 'Callbacks of the handler that threw.',
  },
  handlerCoalesced: {
    name: 'listwatch_informer_handler_coalesced_total',
    type: 'counter',
    unit: 'events',
    labels: ['name', 'handler'],
    help: 'Events that were merged into others because the handler was too slow.',
  },
  watchErrors: {
    name: 'listwatch_reflector_errors_total',
    type: 'counter',
    unit: 'errors',
    labels: ['name', 'kind'],
    help: 'Lists and watches that failed, by kind of failure.',
  },
  staleEvents: {
    name: 'listwatch_reflector_stale_events_total',
    type: 'counter',
    unit: 'events',
    labels: ['name'],
    help: 'Events that were dropped, because they were not newer than what had been seen.',
  },
  silenceProbes: {
    name: 'listwatch_reflector_silence_probes_total',
    type: 'counter',
    unit: 'probes',
    labels: ['name', 'verdict'],
    help: 'Questions to the server whether a silent watch has anything to tell, by what came of them.',
  },
  transitions: {
    name: 'listwatch_reflector_transitions_total',
    type: 'counter',
    unit: 'transitions',
    labels: ['name', 'from', 'to'],
    help: 'Changes of state of the reflector.',
  },
  listDuration: {
    name: 'listwatch_reflector_list_duration_ms',
    type: 'histogram',
    unit: 'milliseconds',
    labels: ['name'],
    help: 'Time of one list, streaming or not, whatever its end.',
  },
  listedItems: {
    name: 'listwatch_reflector_listed_items',
    type: 'gauge',
    unit: 'objects',
    labels: ['name'],
    help: 'Objects of the last list.',
  },
  watchEvents: {
    name: 'listwatch_reflector_watch_events',
    type: 'histogram',
    unit: 'events',
    labels: ['name'],
    help: 'Events that one watch carried from its start to its end.',
  },
} as const;
