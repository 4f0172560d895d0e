import type { BackoffOptions } from '../../kernel/time/backoff.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import {
  numberOption,
  rejectUnknownOptions,
  requireOptions,
} from '../../kernel/options/options.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { HasMetadata } from '../../meta/object.ts';
import { isResourceVersion } from '../../meta/versions/resource-version.ts';
import type { ListerWatcher } from '../reflector/contract/lister-watcher.ts';

/** The reaction of a `RetryWatcher` to a watch that failed. */
export interface RetryContext {
  /** The collection. */
  readonly name: string;
  /** The next watch starts after this resource version. */
  readonly resourceVersion: string;
  /** The delay before the next watch, milliseconds. */
  readonly delayMs: number;
  /** One or two sentences for a log. */
  readonly message: string;
}

export interface RetryWatcherOptions<V extends HasMetadata> {
  /** The collection to watch. It is never listed. */
  readonly listerWatcher: ListerWatcher<V>;
  /** Events begin after this version; usually the version of a list. `""` and `"0"` are no place in history and are refused. */
  readonly resourceVersion: string;
  /** Ends every loop over the watcher; the loop throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger: warnings and errors, on standard error */
  readonly logger?: Logger | undefined;
  /**
   * Milliseconds, at least 1000. The server ends each watch after a random time between this time and twice this time; a watch
   * that stays open longer counts as dead.
   * @defaultValue 300 000 (client-go reflector.go defaultMinWatchTimeout @ 32ce75a7)
   */
  readonly minWatchTimeoutMs?: number | undefined;
  /** A watch without events and bookmarks for this long is reopened; milliseconds. Left out: never. */
  readonly idleTimeoutMs?: number | undefined;
  /** Waits after failures. @defaultValue base 1000, cap 30 000, factor 2, jitter 1, reset after 120 000 without a failure */
  readonly backoff?: Partial<BackoffOptions> | undefined;
  /** Called with every failure after which the watcher tries again. @defaultValue the logger gets it */
  readonly onRetry?: ((error: unknown, context: RetryContext) => void) | undefined;
}

export interface ResolvedRetryWatcherOptions<V extends HasMetadata> {
  readonly listerWatcher: ListerWatcher<V>;
  readonly resourceVersion: string;
  readonly signal: AbortSignal | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly minWatchTimeoutMs: number;
  readonly idleTimeoutMs: number | undefined;
  readonly backoff: BackoffOptions;
  readonly onRetry: RetryWatcherOptions<V>['onRetry'];
}

const KNOWN: readonly (keyof RetryWatcherOptions<HasMetadata>)[] = [
  'listerWatcher',
  'resourceVersion',
  'signal',
  'runtime',
  'logger',
  'minWatchTimeoutMs',
  'idleTimeoutMs',
  'backoff',
  'onRetry',
];

const OWNER = 'RetryWatcher';

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveRetryWatcherOptions<V extends HasMetadata>(
  options: RetryWatcherOptions<V>,
): ResolvedRetryWatcherOptions<V> {
  requireOptions(OWNER, options, ['listerWatcher', 'resourceVersion']);
  rejectUnknownOptions(OWNER, options, KNOWN);
  const { resourceVersion, idleTimeoutMs, backoff = {} } = options;
  if (!isResourceVersion(resourceVersion) || resourceVersion === '0') {
    throw new ListwatchError(
      'INVALID_OPTION',
      `${OWNER}: option "resourceVersion" must name a place in history, not ${JSON.stringify(resourceVersion)}: list first, and take the resource version of the list`,
    );
  }
  const number = (name: string, value: number | undefined, fallback: number, min: number): number =>
    numberOption(OWNER, name, value, fallback, { min });
  return {
    listerWatcher: options.listerWatcher,
    resourceVersion,
    signal: options.signal,
    runtime: options.runtime ?? realRuntime,
    logger: options.logger ?? consoleLogger,
    minWatchTimeoutMs: number('minWatchTimeoutMs', options.minWatchTimeoutMs, 300_000, 1000),
    idleTimeoutMs:
      idleTimeoutMs === undefined ? undefined : number('idleTimeoutMs', idleTimeoutMs, 0, 1),
    backoff: {
      baseMs: number('backoff.baseMs', backoff.baseMs, 1000, 1),
      capMs: number('backoff.capMs', backoff.capMs, 30_000, 1),
      factor: number('backoff.factor', backoff.factor, 2, 1),
      jitter: number('backoff.jitter', backoff.jitter, 1, 0),
      resetAfterMs: number('backoff.resetAfterMs', backoff.resetAfterMs, 120_000, 0),
    },
    onRetry: options.onRetry,
  };
}
