import { silentLogger, type Logger } from '../../kernel/logger.ts';
import { silentMetrics, type Metrics } from '../../kernel/metrics.ts';
import { numberOption, rejectUnknownOptions } from '../../kernel/options.ts';
import { realRuntime } from '../../kernel/real-runtime.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { StorageInterface } from '../storage/storage-interface.ts';
import { prepareResourcePrefix } from '../storage/storage-keys.ts';
import type { WatchCacheHistoryOptions } from './watch-cache-history.ts';

export interface CacherOptions<T extends KubernetesObject> {
  /** Where the objects are. */
  readonly storage: StorageInterface<T>;
  /** The prefix of the resource in the storage, e.g. `/registry/pods/`. */
  readonly resourcePrefix: string;
  /** Names the resource in messages, e.g. `pods`. @defaultValue the resource prefix */
  readonly description?: string | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue silentLogger */
  readonly logger?: Logger | undefined;
  /** @defaultValue silentMetrics */
  readonly metrics?: Metrics | undefined;
  /** The sliding window of past events. */
  readonly history?: WatchCacheHistoryOptions | undefined;
  /**
   * How long a request waits for a cache that is being filled before it is refused with 429, milliseconds.
   * @defaultValue 3000
   */
  readonly readyTimeoutMs?: number | undefined;
  /**
   * How long a request waits for the cache to show a resource version, milliseconds.
   * @defaultValue 3000 (cacher/watch_cache.go blockTimeout @ 24a394e)
   */
  readonly freshTimeoutMs?: number | undefined;
  /**
   * Answer lists of the most recent state from the cache. Needs a backend that answers progress requests correctly; etcd does
   * from 3.4.31 and 3.5.13 on.
   * @defaultValue true
   */
  readonly consistentListFromCache?: boolean | undefined;
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
];

/** @throws {ListwatchError} code INVALID_OPTION. @throws {StorageError} INVALID_KEY for the prefix. */
export function resolveCacherOptions<T extends KubernetesObject>(
  options: CacherOptions<T>,
): ResolvedCacherOptions<T> {
  rejectUnknownOptions('Cacher', options, KNOWN);
  const { storage, readyTimeoutMs, freshTimeoutMs } = options;
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
    consistentListFromCache: options.consistentListFromCache ?? true,
  };
}
