import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { silentMetrics, type Metrics } from '../../kernel/report/metrics.ts';
import { is, optionsOf, type FilledOptions } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { StorageInterface } from '../storage/contract/storage-interface.ts';
import { prepareResourcePrefix } from '../storage/contract/storage-keys.ts';
import {
  WATCH_CACHE_HISTORY,
  type WatchCacheHistoryOptions,
} from './window/watch-cache-history.ts';

/** @experimental */
export interface CacherOptions<T extends KubernetesObject> {
  /** The storage of the objects. */
  readonly storage: StorageInterface<T>;
  /** The prefix of the resource in the storage, e.g. `/registry/pods/`. */
  readonly resourcePrefix: string;
  /** The name of the resource in messages, e.g. `pods`. @defaultValue the resource prefix */
  readonly description?: string | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger */
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

const CACHER = optionsOf<CacherOptions<KubernetesObject>>()('Cacher', {
  storage: is.object().required,
  resourcePrefix: is.text().required,
  description: is.text(),
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
  metrics: is.object().default(silentMetrics),
  history: WATCH_CACHE_HISTORY.nested,
  readyTimeoutMs: is.number({ min: 0 }).default(3000),
  freshTimeoutMs: is.number({ min: 0 }).default(3000),
  consistentListFromCache: is.flag().default(true),
  consistencyCheckIntervalMs: is.number({ min: 0 }).default(300_000),
});

export type ResolvedCacherOptions<T extends KubernetesObject> = FilledOptions<
  CacherOptions<T>,
  Exclude<keyof CacherOptions<T>, 'history'>
>;

/** @throws {ListwatchError} code INVALID_OPTION. @throws {StorageError} INVALID_KEY for the prefix. */
export function resolveCacherOptions<T extends KubernetesObject>(
  given: CacherOptions<T>,
): ResolvedCacherOptions<T> {
  const options = CACHER.read(given);
  const { storage, consistentListFromCache } = options;
  const resourcePrefix = prepareResourcePrefix(options.resourcePrefix);
  return {
    ...options,
    resourcePrefix,
    description: options.description ?? resourcePrefix,
    consistentListFromCache: consistentListFromCache && storage.supportsProgress,
  };
}
