import type { BackoffOptions } from '../../../kernel/time/backoff.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { silentLogger, type Logger } from '../../../kernel/report/logger.ts';
import { silentMetrics, type Metrics } from '../../../kernel/report/metrics.ts';
import { numberOption, rejectUnknownOptions } from '../../../kernel/options/options.ts';
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
  /** @defaultValue silentLogger */
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

export interface ResolvedReflectorOptions<V extends HasMetadata> {
  readonly listerWatcher: ListerWatcher<V>;
  readonly sink: ReflectorSink<V> | ReplaceSink<V>;
  readonly name: string;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly resyncIntervalMs: number;
  readonly shouldResync: () => boolean;
  readonly settings: ReflectorSettings;
  readonly listTimeoutMs: number;
  readonly watchListTimeoutMs: number;
  readonly minWatchTimeoutMs: number;
  readonly idleTimeoutMs: number | undefined;
  readonly silenceProbeMs: number;
  readonly internalErrorRetryMs: number;
  readonly backoff: BackoffOptions;
  readonly resumeFrom: string;
  readonly keyFunc: KeyFunc;
  readonly onError: ReflectorOptions<V>['onError'];
  readonly onTransition: ReflectorOptions<V>['onTransition'];
}

const KNOWN: readonly (keyof ReflectorOptions<HasMetadata>)[] = [
  'listerWatcher',
  'sink',
  'name',
  'runtime',
  'logger',
  'metrics',
  'resyncIntervalMs',
  'shouldResync',
  'watchList',
  'firstList',
  'onRefused',
  'pageSize',
  'listTimeoutMs',
  'watchListTimeoutMs',
  'minWatchTimeoutMs',
  'idleTimeoutMs',
  'silenceProbeMs',
  'internalErrorRetryMs',
  'backoff',
  'resumeFrom',
  'keyFunc',
  'onError',
  'onTransition',
];

/** client-go reflector.go defaultMinWatchTimeout @ 32ce75a7 */
export const MIN_WATCH_TIMEOUT_MS = 300_000;

/** client-go reflector.go defaultBackoff… @ 32ce75a7 */
const BACKOFF = {
  baseMs: 800,
  capMs: 30_000,
  factor: 2,
  jitter: 1,
  resetAfterMs: 120_000,
} as const satisfies BackoffOptions;

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveReflectorOptions<V extends HasMetadata>(
  options: ReflectorOptions<V>,
): ResolvedReflectorOptions<V> {
  rejectUnknownOptions('Reflector', options, KNOWN);
  requireOption(options, 'listerWatcher');
  requireOption(options, 'sink');
  const { listerWatcher, pageSize, idleTimeoutMs, silenceProbeMs } = options;
  const number = (name: keyof ReflectorOptions<V>, fallback: number, min: number): number =>
    numberOption('Reflector', name, options[name] as number | undefined, fallback, { min });
  return {
    listerWatcher,
    sink: options.sink,
    name: options.name ?? listerWatcher.description,
    runtime: options.runtime ?? realRuntime,
    logger: options.logger ?? silentLogger,
    metrics: options.metrics ?? silentMetrics,
    resyncIntervalMs: number('resyncIntervalMs', 0, 0),
    shouldResync: options.shouldResync ?? ((): boolean => true),
    settings: {
      pageSize:
        pageSize === undefined
          ? undefined
          : numberOption('Reflector', 'pageSize', pageSize, 0, { min: 0, integer: true }),
      watchList: options.watchList ?? listerWatcher.supports?.watchList ?? true,
      firstIsNewest: oneOf('firstList', options.firstList, ['any', 'newest']) === 'newest',
      retryRefused: oneOf('onRefused', options.onRefused, ['fail', 'retry']) === 'retry',
    },
    listTimeoutMs: number('listTimeoutMs', 300_000, 1),
    watchListTimeoutMs: number('watchListTimeoutMs', 60_000, 1),
    minWatchTimeoutMs: number('minWatchTimeoutMs', MIN_WATCH_TIMEOUT_MS, 1000),
    idleTimeoutMs: idleTimeoutMs === undefined ? undefined : number('idleTimeoutMs', 0, 1),
    silenceProbeMs: number('silenceProbeMs', 0, silenceProbeMs === 0 ? 0 : 1000),
    internalErrorRetryMs: number('internalErrorRetryMs', 0, 0),
    backoff: resolveBackoff(options.backoff),
    resumeFrom: options.resumeFrom ?? '',
    keyFunc: options.keyFunc ?? metaNamespaceKeyFunc,
    onError: options.onError,
    onTransition: options.onTransition,
  };
}

/** One of two words; the first is the default. */
function oneOf<Word extends string>(
  name: string,
  value: Word | undefined,
  words: readonly [Word, Word],
): Word {
  const [first, second] = words;
  if (value === undefined || words.includes(value)) return value ?? first;
  throw new ListwatchError(
    'INVALID_OPTION',
    `Reflector: option "${name}" must be '${first}' or '${second}', not ${JSON.stringify(value)}`,
  );
}

function requireOption(options: object, name: string): void {
  const value = (options as Readonly<Record<string, unknown>>)[name];
  if (typeof value === 'object' && value !== null) return;
  throw new ListwatchError('INVALID_OPTION', `Reflector: option "${name}" is required`);
}

/** A delay of 0 would be no back-off. */
function resolveBackoff(given: Partial<BackoffOptions> = {}): BackoffOptions {
  const number = (name: keyof BackoffOptions, min: number): number =>
    numberOption('Reflector', `backoff.${name}`, given[name], BACKOFF[name], { min });
  return {
    baseMs: number('baseMs', 1),
    capMs: number('capMs', 1),
    factor: number('factor', 1),
    jitter: number('jitter', 0),
    resetAfterMs: number('resetAfterMs', 0),
  };
}
