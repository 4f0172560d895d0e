import { deriveAbort, type DerivedAbort } from '../../kernel/abort.ts';
import { Backoff } from '../../kernel/backoff.ts';
import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/errors.ts';
import type { ErrorCode } from '../../kernel/errors.ts';
import { guardedCall } from '../../kernel/guarded-call.ts';
import { sleep } from '../../kernel/wait.ts';
import { isApiError } from '../../meta/failures.ts';
import type { HasMetadata } from '../../meta/object.ts';
import { identityOf } from '../../meta/object-view.ts';
import { isResourceVersion } from '../../meta/resource-version.ts';
import type { ObjectEvent, WatchEvent } from '../../meta/watch-event.ts';
import { rejectTable } from '../reflector/failure/table-object.ts';
import { remedyOf } from '../reflector/failure/remedy.ts';
import { StreamOrder } from '../reflector/watch/stream-order.ts';
import { WatchReader } from '../reflector/watch/watch-reader.ts';
import {
  resolveRetryWatcherOptions,
  type ResolvedRetryWatcherOptions,
  type RetryWatcherOptions,
} from './retry-watcher-options.ts';

/** Time between the starts of two watches, at least (client-go retrywatcher.go NewRetryWatcher @ 32ce75a7). */
const LEAST_MS_BETWEEN_STARTS = 1000;

/** A server may not silence a watcher for longer than this, milliseconds. */
const LONGEST_RETRY_AFTER_MS = 300_000;

/** Failures that the same request would meet again. */
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
 * Every change of a collection after a resource version, in order and each once, across watches that end or fail: for those
 * who want the events themselves and no cache.
 *
 * It runs only while a loop reads it. A loop that was left can be taken up again by another one, at the place where it
 * stopped.
 *
 * Guarantees:
 * - A watch that ends, breaks or falls silent is followed by one that begins behind the last event.
 * - At least a second lies between the starts of two watches; failures are followed by waits that grow, and by the wait that
 *   the server asks for.
 * - Nothing is buffered: the next batch is read when the last one is used up.
 * - `close` and the signal end everything at once, also with events that were not read.
 *
 * Not guaranteed: that history reaches back. The loop throws an `ApiError` with code EXPIRED or GONE when it does not; then
 * list, and watch from there. It throws HISTORY_REPLACED when the server went back to an older state, UNAUTHORIZED and FORBIDDEN
 * as well, and MALFORMED_EVENT or TABLE_OBJECT for what is no event of an object.
 *
 * @example
 * const { resourceVersion } = await listerWatcher.list({});
 * for await (const { type, object } of new RetryWatcher({ listerWatcher, resourceVersion, signal })) { … }
 * @see client-go tools/watch/retrywatcher.go @ 32ce75a7
 */
export class RetryWatcher<V extends HasMetadata>
  implements AsyncIterable<ObjectEvent<V>>, AsyncDisposable
{
  readonly #options: ResolvedRetryWatcherOptions<V>;
  readonly #backoff: Backoff;
  #resourceVersion: string;
  /** The state of the loop under way. */
  #loop: DerivedAbort | undefined;
  #closed = false;
  /** No watch starts before it. */
  #notBeforeMs = -Infinity;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: RetryWatcherOptions<V>) {
    this.#options = resolveRetryWatcherOptions(options);
    this.#backoff = new Backoff(this.#options.runtime, this.#options.backoff);
    this.#resourceVersion = this.#options.resourceVersion;
  }

  /** Everything up to it has been handed out. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Ends the loop under way, and every later one before it begins. Calling again is harmless. */
  close(): Promise<void> {
    this.#closed = true;
    this.#loop?.abort();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @throws {ListwatchError} code ALREADY_STARTED while another loop is under way. */
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
    // Rejects only when aborted, which the caller looks at next.
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
      // A bookmark of nowhere says nothing; an event of nowhere could be any.
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

  /** A watch that ended as it should; only one that carried nothing and hardly lived makes the next one wait. */
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

  /** The next watch starts after `delayMs`, or when its second is over; returns which. */
  #delay(delayMs: number): number {
    const nowMs = this.#options.runtime.monotonicMs();
    this.#notBeforeMs = Math.max(this.#notBeforeMs, nowMs + Math.round(delayMs));
    return this.#notBeforeMs - nowMs;
  }

  #report(error: unknown, exactDelayMs: number): void {
    const { logger, onRetry } = this.#options;
    const delayMs = Math.round(exactDelayMs);
    const resourceVersion = this.#resourceVersion;
    const plan = `it goes on behind resource version ${resourceVersion} in ${delayMs} ms`;
    const message =
      `the watch of ${this.#name} failed: ${errorMessage(error)}; ${plan}. ${remedyOf(error)}`.trimEnd();
    if (onRetry === undefined) {
      logger.warn(message, { error });
      return;
    }
    guardedCall(
      () => onRetry(error, { name: this.#name, resourceVersion, delayMs, message }),
      (hookError) => {
        logger.error(`the hook onRetry threw: ${errorMessage(hookError)}`, { error: hookError });
      },
    );
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
