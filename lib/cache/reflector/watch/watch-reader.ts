import { deriveAbort, onAbort, type DerivedAbort } from '../../../kernel/time/abort.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { IdleWatchdog } from '../../../kernel/time/idle-watchdog.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import type { ListerWatcher, WatchRequest, WatchStream } from '../contract/lister-watcher.ts';

/** The server ends the stream at `timeoutSeconds`; after this additional time the connection counts as dead, milliseconds. */
const DEADLINE_SLACK_MS = 10_000;

export interface WatchReaderOptions<V extends HasMetadata> {
  readonly runtime: Runtime;
  readonly listerWatcher: ListerWatcher<V>;
  readonly request: WatchRequest & { readonly timeoutSeconds: number };
  readonly signal: AbortSignal;
  /** Longest silence while a reader waits, milliseconds; left out: no limit. */
  readonly idleTimeoutMs?: number | undefined;
}

/**
 * One watch from its request to its end. It cannot hang: it stops waiting for a source that ignores its signal or its timeout,
 * and for a connection that died without an error.
 *
 * Guarantees:
 * - `open` and `read` settle when the signal aborts, when the deadline or the idle limit passes, and on `interrupt`.
 * - After any of these, and after `close`, the signal of the source has aborted; no timer or listener is left.
 */
export class WatchReader<V extends HasMetadata> {
  /** The time before the request: some proxies hold the answer back until the first event. */
  readonly startedAtMs: number;
  /** Waits while the source is read. */
  readonly idle: IdleWatchdog;
  /** Events read so far. */
  events = 0;
  readonly #options: WatchReaderOptions<V>;
  readonly #abort: DerivedAbort;
  readonly #releaseSignal: () => void;
  #deadline: Timer;
  #iterator: AsyncIterator<readonly WatchEvent<V>[]> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #resolve: ((batch: readonly WatchEvent<V>[] | undefined) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  constructor(options: WatchReaderOptions<V>) {
    const { runtime, signal, request } = options;
    this.#options = options;
    this.startedAtMs = runtime.monotonicMs();
    this.#abort = deriveAbort();
    this.idle = new IdleWatchdog(runtime);
    this.#deadline = this.#armDeadline(request.timeoutSeconds * 1000 + DEADLINE_SLACK_MS);
    this.#releaseSignal = onAbort(signal, () => {
      this.interrupt(signal.reason);
    });
  }

  /** Milliseconds since the request was made. */
  get ageMs(): number {
    return this.#options.runtime.monotonicMs() - this.startedAtMs;
  }

  /** Resolves when the source has accepted the watch. */
  async open(): Promise<void> {
    const { listerWatcher, request } = this.#options;
    const accepted = (async (): Promise<WatchStream<V>> =>
      await listerWatcher.watch({ ...request, signal: this.#abort.signal }))();
    const stream = await this.#settle(accepted, discard);
    this.#iterator = stream[Symbol.asyncIterator]();
    if (this.#failure !== undefined) {
      leave(this.#iterator);
      throw this.#failure.error;
    }
    const { idleTimeoutMs: limitMs } = this.#options;
    if (limitMs === undefined) return;
    const text = `the watch carried nothing for ${limitMs} ms`;
    const onIdle = (): void => this.interrupt(new ListwatchError('STREAM_IDLE', text));
    this.idle.limit({ limitMs, onIdle });
  }

  /** The next batch; undefined when the server has ended the stream. */
  read(): Promise<readonly WatchEvent<V>[] | undefined> {
    return new Promise(this.#read);
  }

  /** Ends the watch now; a pending `open` or `read` rejects with `error`. */
  interrupt(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    this.#deadline.cancel();
    this.idle.stop();
    this.#releaseSignal?.();
    const reject = this.#reject;
    this.#reject = undefined;
    this.#resolve = undefined;
    this.#abort.abort(error);
    leave(this.#iterator);
    reject?.(error);
  }

  /** Ends the watch; it has no effect when the watch has ended. */
  close(): void {
    this.interrupt(new ListwatchError('CLOSED', 'the watch was closed'));
  }

  // A stream may bring one event at a time: these are made once, and a batch costs one promise beside that of the source.
  readonly #read = (
    resolve: (batch: readonly WatchEvent<V>[] | undefined) => void,
    reject: (error: unknown) => void,
  ): void => {
    const iterator = this.#iterator;
    if (iterator === undefined) throw new ListwatchError('ASSERTION', 'read before open');
    this.idle.expect();
    this.#resolve = resolve;
    this.#reject = reject;
    if (this.#failure !== undefined) reject(this.#failure.error);
    iterator.next().then(this.#brought, this.#broke);
  };

  readonly #brought = (result: IteratorResult<readonly WatchEvent<V>[]>): void => {
    if (this.#failure !== undefined) return;
    this.idle.pause();
    try {
      if (result.done !== true) this.events += result.value.length;
      this.#resolve?.(result.done === true ? undefined : result.value);
      this.#reject = undefined;
      this.#resolve = undefined;
    } catch (error) {
      // An invalid result must not be lost here.
      this.#broke(error);
    }
  };

  readonly #broke = (error: unknown): void => {
    const reject = this.#reject;
    this.#reject = undefined;
    this.#resolve = undefined;
    reject?.(error);
  };

  /** Settles with `work` or with an interruption, whichever is first; a later result goes to `tooLate`. */
  #settle<R>(work: Promise<R>, tooLate?: (result: R) => void): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#failure !== undefined) reject(this.#failure.error);
      work.then(
        (result) => {
          if (this.#failure !== undefined) tooLate?.(result);
          this.#reject = undefined;
          resolve(result);
        },
        (error: unknown) => {
          this.#reject = undefined;
          reject(error);
        },
      );
    });
  }

  /** The source may have ended unnoticed while no reader was waiting for it. */
  #armDeadline(delayMs: number): Timer {
    const { runtime, request } = this.#options;
    return runtime.setTimer(delayMs, () => {
      if (this.#reject === undefined) {
        this.#deadline = this.#armDeadline(DEADLINE_SLACK_MS);
        return;
      }
      const text = `the watch did not end at its timeout of ${request.timeoutSeconds} s: the connection counts as dead`;
      this.interrupt(new ListwatchError('TIMEOUT', text));
    });
  }
}

/** Ends a stream that is not read. */
function discard(stream: WatchStream<HasMetadata>): void {
  leave(stream[Symbol.asyncIterator]());
}

/** The signal stops the source, too; its answer to `return` is ignored. */
function leave(iterator: AsyncIterator<unknown> | undefined): void {
  iterator?.return?.().catch(() => {});
}
