import { readBackoff, type BackoffOptions } from '../../../kernel/time/backoff.ts';
import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import { LOGGER } from '../../../kernel/report/logger-rule.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { silentMetrics, type Metrics } from '../../../kernel/report/metrics.ts';
import { is, optionsOf, type FilledOptions } from '../../../kernel/options/options-schema.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { metaNamespaceKeyFunc, type KeyFunc } from '../../../meta/key.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { ListerWatcher } from '../contract/lister-watcher.ts';
import type { ReflectorSettings } from '../table/reflector-state.ts';
import type { ReflectorErrorContext, ReflectorTransition } from './reflector-report.ts';
import type { ReflectorSink, ReplaceSink } from '../contract/reflector-sink.ts';

export interface ReflectorOptions<V extends HasMetadata> {
  /** The collection to follow. */
  readonly listerWatcher: ListerWatcher<V>;
  /** The consumer of its objects and changes. */
  readonly sink: ReflectorSink<V> | ReplaceSink<V>;
  /** Names the reflector in messages and metrics. @defaultValue the description of the lister-watcher */
  readonly name?: string | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
  /** @defaultValue silentMetrics */
  readonly metrics?: Metrics | undefined;
  /** The interval at which the sink resyncs, milliseconds; relists do not restart it. 0: never. @defaultValue 0 */
  readonly resyncIntervalMs?: number | undefined;
  /** Called at each interval; false skips one resync. @defaultValue always true */
  readonly shouldResync?: (() => boolean) | undefined;
  /**
   * The reaction to a request that the server refuses for good: an unsupported selector (400, 422), a verb or format that the
   * resource does not have (405, 406, 415). `fail`: `run` rejects with the error. `retry`: the request is sent again, with
   * growing delays. @defaultValue 'fail'
   */
  readonly onRefused?: 'fail' | 'retry' | undefined;
  /** Try a streaming list before a plain one. @defaultValue what the lister-watcher supports */
  readonly watchList?: boolean | undefined;
  /**
   * The state that the first plain list asks for. `any`: what the caches of the server have; after a restart it may be older than what the
   * process before has seen. `newest`: all that was written before. Later lists are never older than what was seen, and streaming lists
   * always are of the newest state. @defaultValue 'any' (client-go reflector.go list @ 32ce75a7)
   */
  readonly firstList?: 'any' | 'newest' | undefined;
  /**
   * Items a page of a list, for every list; 0 for no paging. Left out: 500 if the server has to read its storage anyway,
   * no paging if its cache can answer (client-go reflector.go list @ 32ce75a7).
   */
  readonly pageSize?: number | undefined;
  /** Longest wait for one page, milliseconds. @defaultValue 300 000 */
  readonly listTimeoutMs?: number | undefined;
  /**
   * Longest wait for the end of a streaming list, milliseconds; after it, and after 10 000 ms of silence in the stream, a
   * plain list replaces it. @defaultValue 60 000
   */
  readonly watchListTimeoutMs?: number | undefined;
  /**
   * Milliseconds, at least 1000. The server ends each watch after a random time between this time and twice this time; one that was
   * opened before a list, three times as late.
   * @defaultValue 300 000 (client-go reflector.go defaultMinWatchTimeout @ 32ce75a7)
   */
  readonly minWatchTimeoutMs?: number | undefined;
  /** A watch without events and bookmarks for this long is reopened; milliseconds. Left out: never. */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * After this time without events and bookmarks on a watch, milliseconds, a second request checks whether the watch has missed
   * events. This detects a dead connection and a server that was restored from a backup. A quiet watch causes about two small
   * requests each time: see `SilenceProbe`. 0: never, otherwise at least 1000. @defaultValue 0
   */
  readonly silenceProbeMs?: number | undefined;
  /**
   * The time for which a server may answer watches with 500 before the collection is listed again, milliseconds, counted from
   * the first such answer of a row. Until then the watch is reopened, with back-off. 0: the collection is listed at once.
   * @defaultValue 0 (client-go reflector.go MaxInternalErrorRetryDuration @ 32ce75a7)
   */
  readonly internalErrorRetryMs?: number | undefined;
  /** @defaultValue base 800, cap 30 000, factor 2, jitter 1, reset after 120 000 without a failure */
  readonly backoff?: Partial<BackoffOptions> | undefined;
  /** The sink has the state of this version: the first request is a watch from it. @defaultValue none: a list */
  readonly resumeFrom?: string | undefined;
  /** Computes the keys of objects during a streaming list. @defaultValue metaNamespaceKeyFunc */
  readonly keyFunc?: KeyFunc | undefined;
  /** Called with every error and the next operation. @defaultValue the logger gets it */
  readonly onError?: ((error: unknown, context: ReflectorErrorContext) => void) | undefined;
  /** Called at every change of state. */
  readonly onTransition?: ((transition: ReflectorTransition) => void) | undefined;
}

/** client-go reflector.go defaultMinWatchTimeout @ 32ce75a7 */
export const MIN_WATCH_TIMEOUT_MS = 300_000;

/** client-go reflector.go defaultBackoffInit @ 32ce75a7 */
const FIRST_DELAY_MS = 800;

const REFLECTOR = optionsOf<ReflectorOptions<HasMetadata>>()('Reflector', {
  listerWatcher: is.object().required,
  sink: is.object().required,
  name: is.text(),
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
  metrics: is.object().default(silentMetrics),
  resyncIntervalMs: is.number({ min: 0 }).default(0),
  shouldResync: is.callback().default((): boolean => true),
  watchList: is.flag(),
  firstList: is.oneOf('any', 'newest').default('any'),
  onRefused: is.oneOf('fail', 'retry').default('fail'),
  pageSize: is.integer({ min: 0 }),
  listTimeoutMs: is.number({ min: 1 }).default(300_000),
  watchListTimeoutMs: is.number({ min: 1 }).default(60_000),
  minWatchTimeoutMs: is.number({ min: 1000 }).default(MIN_WATCH_TIMEOUT_MS),
  idleTimeoutMs: is.number({ min: 1 }),
  silenceProbeMs: is
    .openRule<number>('0, or a number of at least 1000', (given) => {
      return given === 0 || (typeof given === 'number' && given >= 1000);
    })
    .default(0),
  internalErrorRetryMs: is.number({ min: 0 }).default(0),
  backoff: is.object(),
  resumeFrom: is.text().default(''),
  keyFunc: is.callback().default(metaNamespaceKeyFunc),
  onError: is.callback(),
  onTransition: is.callback(),
});

type Defaulted =
  | 'runtime'
  | 'logger'
  | 'metrics'
  | 'resyncIntervalMs'
  | 'shouldResync'
  | 'listTimeoutMs'
  | 'watchListTimeoutMs'
  | 'minWatchTimeoutMs'
  | 'silenceProbeMs'
  | 'internalErrorRetryMs'
  | 'resumeFrom'
  | 'keyFunc';

export type ResolvedReflectorOptions<V extends HasMetadata> = FilledOptions<
  ReflectorOptions<V>,
  Defaulted
> & {
  readonly name: string;
  readonly settings: ReflectorSettings;
  readonly backoff: BackoffOptions;
};

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveReflectorOptions<V extends HasMetadata>(
  given: ReflectorOptions<V>,
): ResolvedReflectorOptions<V> {
  const options = REFLECTOR.read<ReflectorOptions<V>>(given);
  const { listerWatcher, pageSize, watchList, firstList, onRefused, backoff } = options;
  return {
    ...options,
    name: options.name ?? listerWatcher.description,
    settings: {
      pageSize,
      watchList: watchList ?? listerWatcher.supports?.watchList ?? true,
      firstIsNewest: firstList === 'newest',
      retryRefused: onRefused === 'retry',
    },
    backoff: readBackoff('Reflector', FIRST_DELAY_MS, backoff),
  };
}
