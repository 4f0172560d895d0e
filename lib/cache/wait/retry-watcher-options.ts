import type { BackoffOptions } from '../../kernel/time/backoff.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import {
  invalidOption,
  is,
  optionsOf,
  type FilledOptions,
} from '../../kernel/options/options-schema.ts';
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

const OWNER = 'RetryWatcher';
const BACKOFF = optionsOf<Partial<BackoffOptions>>()(OWNER, {
  baseMs: is.number({ min: 1 }).default(1000),
  capMs: is.number({ min: 1 }).default(30_000),
  factor: is.number({ min: 1 }).default(2),
  jitter: is.number({ min: 0 }).default(1),
  resetAfterMs: is.number({ min: 0 }).default(120_000),
});
const RETRY_WATCHER = optionsOf<RetryWatcherOptions<HasMetadata>>()(OWNER, {
  listerWatcher: is.object().required,
  resourceVersion: is.anything().required,
  signal: is.abortSignal(),
  runtime: is.object().default(realRuntime),
  logger: is.object().default(consoleLogger),
  minWatchTimeoutMs: is.number({ min: 1000 }).default(300_000),
  idleTimeoutMs: is.number({ min: 1 }),
  backoff: is.object(),
  onRetry: is.callback(),
});

export type ResolvedRetryWatcherOptions<V extends HasMetadata> = FilledOptions<
  RetryWatcherOptions<V>,
  'runtime' | 'logger' | 'minWatchTimeoutMs'
> & { readonly backoff: BackoffOptions };

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveRetryWatcherOptions<V extends HasMetadata>(
  given: RetryWatcherOptions<V>,
): ResolvedRetryWatcherOptions<V> {
  const options = RETRY_WATCHER.read<RetryWatcherOptions<V>>(given);
  const { resourceVersion, backoff = {} } = options;
  if (!isResourceVersion(resourceVersion) || resourceVersion === '0') {
    throw invalidOption(
      OWNER,
      `option "resourceVersion" must name a place in history, not ${JSON.stringify(resourceVersion)}: list first, and take the resource version of the list`,
    );
  }
  return { ...options, backoff: BACKOFF.read(backoff, OWNER, 'backoff.') };
}
