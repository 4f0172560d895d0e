import { deriveAbort } from '../../../kernel/time/abort.ts';
import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import { LOGGER } from '../../../kernel/report/logger-rule.ts';
import {
  errorMessage,
  isListwatchError,
  ListwatchError,
  type ErrorCode,
  type ErrorOptions,
} from '../../../kernel/failure/errors.ts';
import { startAtUser } from '../../../kernel/failure/user-frames.ts';
import { runHook } from '../../../kernel/report/run-hook.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { is, optionsOf, type FilledOptions } from '../../../kernel/options/options-schema.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import { withDeadline } from '../../../kernel/time/wait.ts';
import type { WaitOptions } from '../handlers/handler-registration.ts';

/** A cache that can be awaited: an informer, or the registration of a handler. */
export interface CacheSync {
  readonly name: string;
  /** It never becomes false again. */
  readonly synced: boolean;
  /** The reason why it is not synced, as text. */
  readonly waitingFor?: string | undefined;
  whenSynced(options?: WaitOptions): Promise<void>;
}

/** A cache that is not synced, and the reason. */
export interface MissingCache {
  readonly name: string;
  readonly waitingFor: string;
}

export interface CacheSyncProgress {
  /** The time since the wait began, milliseconds. */
  readonly elapsedMs: number;
  /** Names of the caches that are synced, sorted. */
  readonly synced: readonly string[];
  /** The others, sorted by name. */
  readonly missing: readonly MissingCache[];
}

export interface CacheSyncOptions extends WaitOptions {
  /**
   * Called whenever a cache has synced, and every `progressIntervalMs`.
   * @defaultValue the log names every `progressIntervalMs` what is missing, and why
   */
  readonly onProgress?: ((progress: CacheSyncProgress) => void) | undefined;
  /** Milliseconds, at least 1. @defaultValue 10 000 */
  readonly progressIntervalMs?: number | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
}

const OPTIONS = optionsOf<CacheSyncOptions>()('waitForCacheSync', {
  timeoutMs: is.number({ min: 0 }).default(Infinity),
  signal: is.abortSignal(),
  onProgress: is.callback(),
  progressIntervalMs: is.number({ min: 1 }).default(10_000),
  logger: LOGGER.default(consoleLogger),
  runtime: is.object().default(realRuntime),
});
type SyncOptions = FilledOptions<CacheSyncOptions, 'progressIntervalMs' | 'logger' | 'runtime'>;

/** Caches were not synced when the wait ended. Its cause is the reason of the signal, or the error that ended an informer. */
export class CacheSyncError extends ListwatchError {
  /** Sorted by name. */
  readonly missing: readonly MissingCache[];

  constructor(
    code: ErrorCode,
    message: string,
    missing: readonly MissingCache[],
    options: ErrorOptions = {},
  ) {
    super(code, message, options);
    this.missing = missing;
  }
}

/**
 * Resolves when all arguments are synced: the caches of informers have a whole list, and the handlers of registrations have
 * seen it. Until then it logs every 10 seconds what is missing and why.
 *
 * Caches that are synced already resolve at once, even if the signal has aborted.
 * @throws {CacheSyncError} code TIMEOUT or ABORTED; NOT_STARTED when one of them has not been started by the next task; or, as soon
 * as one of them ended, CLOSED, or the error that ended it.
 * @see client-go tools/cache/wait.go WaitFor @ 32ce75a7
 */
export async function waitForCacheSync(
  caches: readonly CacheSync[],
  options: CacheSyncOptions = {},
): Promise<void> {
  const read = OPTIONS.read(options);
  const { signal, runtime, timeoutMs } = read;
  const progress = new ProgressReport(caches, read);
  if (progress.now().missing.length === 0) return;
  const wait = deriveAbort(signal);
  progress.start();
  try {
    const each = caches.map(async (cache) => {
      if (cache.synced) return;
      await cache.whenSynced({ signal: wait.signal });
      progress.advance(cache);
    });
    await withDeadline(runtime, Promise.all(each), {
      timeoutMs,
      signal,
      describe: () => describeMissing(progress.now()),
    });
  } catch (error) {
    const failure = syncError(error, signal, progress.now());
    startAtUser(failure);
    throw failure;
  } finally {
    progress.stop();
    wait.abort();
  }
}

/** Reports the progress of a wait: when a cache has synced, and at intervals. */
class ProgressReport {
  readonly #caches: readonly CacheSync[];
  readonly #options: SyncOptions;
  readonly #startedAtMs: number;
  #timer: Timer | undefined;

  constructor(caches: readonly CacheSync[], options: SyncOptions) {
    this.#caches = caches;
    this.#options = options;
    this.#startedAtMs = options.runtime.monotonicMs();
  }

  now(): CacheSyncProgress {
    const synced = this.#caches.filter((cache) => cache.synced).map(({ name }) => name);
    const missing = this.#caches
      .filter((cache) => !cache.synced)
      .map(({ name, waitingFor }) => ({ name, waitingFor: waitingFor ?? name }));
    return {
      elapsedMs: Math.round(this.#options.runtime.monotonicMs() - this.#startedAtMs),
      synced: synced.toSorted(),
      missing: missing.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    };
  }

  start(): void {
    const { runtime, progressIntervalMs } = this.#options;
    // The wait keeps the process alive, not the report.
    this.#timer = runtime.setTimer(progressIntervalMs, () => this.#repeat(), { background: true });
  }

  /** A cache has synced. */
  advance({ name }: CacheSync): void {
    const progress = this.now();
    const { elapsedMs, missing } = progress;
    this.#options.logger.debug('cache synced', { name, elapsedMs, missing: missing.length });
    this.#notify(progress);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #repeat(): void {
    this.start();
    const progress = this.now();
    const { onProgress, logger } = this.#options;
    if (onProgress === undefined) {
      const waitsFor = describeMissing(progress);
      logger.warn('caches are not synced yet', { elapsedMs: progress.elapsedMs, waitsFor });
    }
    this.#notify(progress);
  }

  #notify(progress: CacheSyncProgress): void {
    const { onProgress, logger } = this.#options;
    runHook(logger, 'onProgress', () => onProgress?.(progress));
  }
}

function syncError(
  error: unknown,
  signal: AbortSignal | undefined,
  progress: CacheSyncProgress,
): CacheSyncError {
  const { missing } = progress;
  if (signal?.aborted === true) {
    const message = `the wait was aborted (${errorMessage(signal.reason)}) with ${describeMissing(progress)} missing`;
    return new CacheSyncError('ABORTED', message, missing, { cause: signal.reason });
  }
  if (isListwatchError(error, 'TIMEOUT')) {
    return new CacheSyncError('TIMEOUT', error.message, missing);
  }
  const code = isListwatchError(error) ? error.code : 'CLOSED';
  return new CacheSyncError(code, errorMessage(error), missing, { cause: error });
}

/** `1 of 3 caches: the first list of pods; the last error: …` */
function describeMissing({ synced, missing }: CacheSyncProgress): string {
  const words = missing.map(({ waitingFor }) => waitingFor).join('; ');
  return `${missing.length} of ${missing.length + synced.length} caches: ${words}`;
}
