import { silentLogger, type Logger } from '../../kernel/report/logger.ts';
import { silentMetrics, type Metrics } from '../../kernel/report/metrics.ts';
import { numberOption, rejectUnknownOptions } from '../../kernel/options/options.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { StorageInterface } from '../storage/contract/storage-interface.ts';
import { prepareResourcePrefix } from '../storage/contract/storage-keys.ts';
import type { WatchCacheHistoryOptions } from './window/watch-cache-history.ts';

export interface CacherOptions<T extends KubernetesObject> {
  /** The storage of the objects. */
  readonly storage: StorageInterface<T>;
  /** The prefix of the resource in the storage, e.g. `/registry/pods/`. */
  readonly resourcePrefix: string;
  /** The name of the resource in messages, e.g. `pods`. @defaultValue the resource prefix */
  readonly description?: string | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue silentLogger */
  readonly logger?: Logger | undefined;
  /** @defaultValue silentMetrics */
  readonly metrics?: Metrics | undefined;
  /** Options of the sliding window of past events. */
  readonly history?: WatchCacheHistoryOptions | undefined;
  /**
   * How long a request waits for a cache that is being filled, milliseconds. After that it is refused with 429.
   * @defaultValue 3000
   */
  readonly readyTimeoutMs?: number | undefined;
  /**
   * How long a request waits until the cache has reached a resource version, milliseconds.
   * @defaultValue 3000 (cacher/watch_cache.go blockTimeout @ 24a394e)
   */
  readonly freshTimeoutMs?: number | undefined;
  /**
   * Whether lists of the most recent state are answered from the cache. Without effect over a storage without
   * `supportsProgress`: there the storage answers them.
   * @defaultValue true
   */
  readonly consistentListFromCache?: boolean | undefined;
  /**
   * Interval at which the cache is compared with the storage, milliseconds; each check is up to half of it later. 0: only on demand.
   * @defaultValue 300 000 (cacher/consistency consistencyCheckPeriod @ 24a394e)
   */
  readonly consistencyCheckIntervalMs?: number | undefined;
}

export interface ResolvedCacherOptions<T extends KubernetesObject> {
  readonly storage: StorageInterface<T>;
  readonly resourcePrefix: string;
  readonly description: string;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly history: WatchCacheHistoryOptions | undefined;
  readonly readyTimeoutMs: number;
  readonly freshTimeoutMs: number;
  readonly consistentListFromCache: boolean;
  readonly consistencyCheckIntervalMs: number;
}

const KNOWN: readonly (keyof CacherOptions<KubernetesObject>)[] = [
  'storage',
  'resourcePrefix',
  'description',
  'runtime',
  'logger',
  'metrics',
  'history',
  'readyTimeoutMs',
  'freshTimeoutMs',
  'consistentListFromCache',
  'consistencyCheckIntervalMs',
];

/** @throws {ListwatchError} code INVALID_OPTION. @throws {StorageError} INVALID_KEY for the prefix. */
export function resolveCacherOptions<T extends KubernetesObject>(
  options: CacherOptions<T>,
): ResolvedCacherOptions<T> {
  rejectUnknownOptions('Cacher', options, KNOWN);
  const { storage, readyTimeoutMs, freshTimeoutMs, consistencyCheckIntervalMs } = options;
  const consistentListFromCache = options.consistentListFromCache ?? true;
  const resourcePrefix = prepareResourcePrefix(options.resourcePrefix);
  return {
    storage,
    resourcePrefix,
    description: options.description ?? resourcePrefix,
    runtime: options.runtime ?? realRuntime,
    logger: options.logger ?? silentLogger,
    metrics: options.metrics ?? silentMetrics,
    history: options.history,
    readyTimeoutMs: numberOption('Cacher', 'readyTimeoutMs', readyTimeoutMs, 3000, { min: 0 }),
    freshTimeoutMs: numberOption('Cacher', 'freshTimeoutMs', freshTimeoutMs, 3000, { min: 0 }),
    consistentListFromCache: consistentListFromCache && storage.supportsProgress,
    consistencyCheckIntervalMs: numberOption(
      'Cacher',
      'consistencyCheckIntervalMs',
      consistencyCheckIntervalMs,
      300_000,
      { min: 0 },
    ),
  };
}
