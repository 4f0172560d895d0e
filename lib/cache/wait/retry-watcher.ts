import { deriveAbort, type DerivedAbort } from '../../kernel/time/abort.ts';
import { Backoff, readBackoff, type BackoffOptions } from '../../kernel/time/backoff.ts';
import { isListwatchError, ListwatchError, type ErrorCode } from '../../kernel/failure/errors.ts';
import { runHook } from '../../kernel/report/run-hook.ts';
import { sleep } from '../../kernel/time/wait.ts';
import { isApiError } from '../../meta/failure/failures.ts';
import type { HasMetadata } from '../../meta/object.ts';
import { identityOf } from '../../meta/object-view.ts';
import { isResourceVersion } from '../../meta/versions/resource-version.ts';
import type { ObjectEvent, WatchEvent } from '../../meta/watch-event.ts';
import { rejectTable } from '../reflector/failure/table-object.ts';
import { failureLine } from '../reflector/failure/failure-line.ts';
import { StreamOrder } from '../reflector/watch/stream-order.ts';
import { WatchReader } from '../reflector/watch/watch-reader.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import {
  invalidOption,
  is,
  optionsOf,
  type FilledOptions,
} from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { ListerWatcher } from '../reflector/contract/lister-watcher.ts';

/** The least time between the starts of two watches, milliseconds (client-go retrywatcher.go NewRetryWatcher @ 32ce75a7). */
const LEAST_MS_BETWEEN_STARTS = 1000;

/** The longest wait that a server can ask of a watcher, milliseconds. */
const LONGEST_RETRY_AFTER_MS = 300_000;

/** Failures that the same request would cause again. */
const FINAL_CODES: ReadonlySet<ErrorCode> = new Set([
  'EXPIRED',
  'GONE',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'HISTORY_REPLACED',
  'MALFORMED_EVENT',
  'TABLE_OBJECT',
]);

/**
 * Every change of a collection after a resource version, in order and each once, across watches that end or fail. It is for
 * callers that need the events and no cache.
 *
 * It runs only while a loop reads it. After a loop was left, another loop continues at the place where the first one stopped.
 *
 * Guarantees:
 * - When a watch ends, breaks or becomes silent, a new watch begins after the last event.
 * - At least a second passes between the starts of two watches. After failures the waits grow; a wait that the server asks
 *   for is observed.
 * - Nothing is buffered: the next batch is read when the caller has read the last one.
 * - `close` and the signal end the loop at once, even if events have not been read.
 *
 * Not guaranteed: that the server still has the history. If it has not, the loop throws an `ApiError` with code EXPIRED or
 * GONE; then list, and watch from the version of the list. The loop also throws HISTORY_REPLACED when the server went back to
 * an older state, UNAUTHORIZED, FORBIDDEN, and MALFORMED_EVENT or TABLE_OBJECT for data that is not an event of an object.
 *
 * @example
 * const { resourceVersion } = await listerWatcher.list({});
 * for await (const { type, object } of new RetryWatcher({ listerWatcher, resourceVersion, signal })) { … }
 * @see client-go tools/watch/retrywatcher.go @ 32ce75a7
 */
export class RetryWatcher<V extends HasMetadata>
  implements AsyncIterable<ObjectEvent<V>>, AsyncDisposable
{
  readonly #options: FilledOptions<
    RetryWatcherOptions<V>,
    'runtime' | 'logger' | 'minWatchTimeoutMs'
  >;
  readonly #backoff: Backoff;
  #resourceVersion: string;
  /** The state of the current loop. */
  #loop: DerivedAbort | undefined;
  #closed = false;
  /** No watch starts before this time. */
  #notBeforeMs = -Infinity;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: RetryWatcherOptions<V>) {
    const read = RETRY_WATCHER.read<RetryWatcherOptions<V>>(options);
    const { resourceVersion, runtime, backoff } = read;
    if (!isResourceVersion(resourceVersion) || resourceVersion === '0') {
      throw invalidOption(
        OWNER,
        `option "resourceVersion" must name a place in history, not ${JSON.stringify(resourceVersion)}: list first, and take the resource version of the list`,
      );
    }
    this.#options = read;
    this.#backoff = new Backoff(runtime, readBackoff(OWNER, FIRST_DELAY_MS, backoff));
    this.#resourceVersion = resourceVersion;
  }

  /** The loop has returned all events up to this version. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Ends the current loop, and every later one before it begins. Calling again has no effect. */
  close(): Promise<void> {
    this.#closed = true;
    this.#loop?.abort();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @throws {ListwatchError} code ALREADY_STARTED while another loop runs. */
  [Symbol.asyncIterator](): AsyncIterator<ObjectEvent<V>, undefined> {
    if (this.#loop !== undefined) {
      throw new ListwatchError(
        'ALREADY_STARTED',
        `there is a reader already of the watch of ${this.#options.listerWatcher.description}`,
      );
    }
    const loop = deriveAbort(this.#options.signal);
    const events = this.#events(loop);
    this.#loop = loop;
    const leave = (): void => {
      loop.abort();
      if (this.#loop === loop) this.#loop = undefined;
    };
    return {
      next: async () => {
        try {
          const result = await events.next();
          if (result.done === true) leave();
          return result;
        } catch (error) {
          leave();
          throw error;
        }
      },
      return: async () => {
        leave();
        return await events.return(undefined);
      },
    };
  }

  async *#events({ signal }: DerivedAbort): AsyncGenerator<ObjectEvent<V>, undefined> {
    while (this.#goesOn(signal)) {
      await this.#waitForTurn(signal);
      if (!this.#goesOn(signal)) return;
      const reader = this.#newReader(signal);
      const order = new StreamOrder<V>(this.#resourceVersion, false);
      try {
        await reader.open();
        for (;;) {
          const batch = await reader.read();
          if (batch === undefined) break;
          for (const event of order.take(batch)) {
            this.#moveTo(event);
            if (event.type === 'BOOKMARK') continue;
            yield event;
            if (signal.aborted) break;
          }
          if (order.wentBackTo !== undefined) throw this.#wentBack(order.wentBackTo);
        }
        this.#ended(reader);
      } catch (error) {
        if (!signal.aborted) this.#failed(error, reader);
      } finally {
        reader.close();
      }
    }
  }

  /** False at the end. @throws the reason of the caller's signal. */
  #goesOn(loop: AbortSignal): boolean {
    if (this.#closed) return false;
    this.#options.signal?.throwIfAborted();
    return !loop.aborted;
  }

  async #waitForTurn(signal: AbortSignal): Promise<void> {
    const { runtime } = this.#options;
    const delayMs = this.#notBeforeMs - runtime.monotonicMs();
    // Rejects only when aborted; the caller checks that next.
    if (delayMs > 0) await sleep(runtime, delayMs, { signal }).catch(() => {});
  }

  #newReader(signal: AbortSignal): WatchReader<V> {
    const { runtime, listerWatcher, minWatchTimeoutMs, idleTimeoutMs } = this.#options;
    this.#notBeforeMs = runtime.monotonicMs() + LEAST_MS_BETWEEN_STARTS;
    return new WatchReader<V>({
      runtime,
      listerWatcher,
      signal,
      idleTimeoutMs,
      request: {
        resourceVersion: this.#resourceVersion,
        allowWatchBookmarks: true,
        timeoutSeconds: Math.floor((minWatchTimeoutMs * (1 + runtime.random())) / 1000),
      },
    });
  }

  /** @throws {ListwatchError} code MALFORMED_EVENT, TABLE_OBJECT. */
  #moveTo(event: WatchEvent<V>): void {
    const resourceVersion = this.#versionOf(event);
    if (!isResourceVersion(resourceVersion)) {
      // A bookmark without a version is of no use; an event without one has no place in the order.
      if (event.type === 'BOOKMARK' && resourceVersion === '') return;
      const text = resourceVersion === '' ? 'no' : JSON.stringify(resourceVersion);
      throw this.#malformed(`an event of type ${event.type} with ${text} for a resource version`);
    }
    this.#resourceVersion = resourceVersion;
  }

  #versionOf(event: WatchEvent<V>): string {
    switch (event.type) {
      case 'BOOKMARK':
        return event.resourceVersion;
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED': {
        const resourceVersion = identityOf(event.object).resourceVersion ?? '';
        if (resourceVersion === '') rejectTable(event.object, this.#name);
        return resourceVersion;
      }
      default: {
        const { type } = event as { readonly type: unknown };
        throw this.#malformed(`an event of the unknown type ${JSON.stringify(type)}`);
      }
    }
  }

  /** A watch ended normally. The next one waits only if this one was short and had no events. */
  #ended({ ageMs, events }: WatchReader<V>): void {
    if (events > 0) this.#backoff.reset();
    else if (ageMs < LEAST_MS_BETWEEN_STARTS) this.#delay(this.#backoff.step());
  }

  /** @throws the error, if it is final. */
  #failed(error: unknown, { events }: WatchReader<V>): void {
    if (isListwatchError(error) && FINAL_CODES.has(error.code)) throw error;
    if (events > 0) this.#backoff.reset();
    const askedMs = isApiError(error) ? (error.retryAfterMs ?? 0) : 0;
    const delayMs = this.#delay(
      Math.max(this.#backoff.step(), Math.min(askedMs, LONGEST_RETRY_AFTER_MS)),
    );
    this.#report(error, delayMs);
  }

  /** The next watch starts after `delayMs` or one second after the last start, whichever is later; returns that delay. */
  #delay(delayMs: number): number {
    const nowMs = this.#options.runtime.monotonicMs();
    this.#notBeforeMs = Math.max(this.#notBeforeMs, nowMs + Math.round(delayMs));
    return this.#notBeforeMs - nowMs;
  }

  #report(error: unknown, exactDelayMs: number): void {
    const { logger, onRetry } = this.#options;
    const name = this.#name;
    const delayMs = Math.round(exactDelayMs);
    const resourceVersion = this.#resourceVersion;
    const plan = `it goes on behind resource version ${resourceVersion} in ${delayMs} ms`;
    const { server, text } = failureLine(error);
    const message = `the watch of ${name} failed${server}: ${text}; ${plan}`;
    const context: RetryContext = { name, resourceVersion, delayMs, message };
    if (onRetry === undefined) {
      const fields = { watcher: name, resourceVersion, delayMs, problem: message, error };
      logger.warn('watch failed', fields);
    } else runHook(logger, 'onRetry', () => onRetry(error, context), { watcher: name });
  }

  get #name(): string {
    return this.#options.listerWatcher.description;
  }

  #wentBack(resourceVersion: string): ListwatchError {
    return new ListwatchError(
      'HISTORY_REPLACED',
      `the watch of ${this.#name} is at ${this.#resourceVersion}, and the server went back to ${resourceVersion}: list again`,
    );
  }

  #malformed(what: string): ListwatchError {
    return new ListwatchError('MALFORMED_EVENT', `the watch of ${this.#name} carried ${what}`);
  }
}

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
const FIRST_DELAY_MS = 1000;
const RETRY_WATCHER = optionsOf<RetryWatcherOptions<HasMetadata>>()(OWNER, {
  listerWatcher: is.object().required,
  resourceVersion: is.anything().required,
  signal: is.abortSignal(),
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
  minWatchTimeoutMs: is.number({ min: 1000 }).default(300_000),
  idleTimeoutMs: is.number({ min: 1 }),
  backoff: is.object(),
  onRetry: is.callback(),
});
