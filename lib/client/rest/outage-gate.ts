import type { ServerGate } from '../../cache/reflector/contract/lister-watcher.ts';
import { onAbort } from '../../kernel/time/abort.ts';
import { errorMessage, isListwatchError, type ErrorCode } from '../../kernel/failure/errors.ts';
import { explainedError } from '../../kernel/failure/explained-error.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import { isApiError } from '../../meta/failure/failures.ts';
import { TransportError } from '../transport/contract/transport-error.ts';

/** The wait between two attempts while the server does not answer, milliseconds. It doubles up to the longest; up to a third is added. */
const SHORTEST_GAP_MS = 1000;
const LONGEST_GAP_MS = 4500;
const JITTER = 0.33;

/** After the server has answered again, the queued readers continue at this interval, and all of them within the total time; milliseconds. */
const RELEASE_GAP_MS = 20;
const LONGEST_RELEASE_MS = 2000;

/** The server gave no answer. */
const UNANSWERED: ReadonlySet<ErrorCode> = new Set([
  'CONNECTION_REFUSED',
  'CONNECTION_FAILED',
  'CERTIFICATE',
  'PROXY',
  'REQUEST_TIMEOUT',
  'TIMEOUT',
]);

interface Closed {
  /** The last error. */
  reason: string;
  readonly sinceMs: number;
  /** Attempts without an answer; 0 if only the end of a watch is known. */
  failures: number;
  lastFailureMs: number;
}

/**
 * Limits the requests of all informers of one client when the server stops answering, and during an outage.
 *
 * Guarantees:
 * - When a watch has ended, the first request is sent at once; other requests wait for its answer, at most a second.
 * - While the server does not answer, all informers together make at most one attempt a second, and at least one in six
 *   seconds while a reader waits. The reader that has waited longest is next.
 * - After any answer all readers continue within two seconds.
 * - A reader leaves the queue when its signal aborts; no timer is armed while the queue is empty.
 *
 * Not guaranteed: anything about requests that do not wait for a turn, and about requests that are in flight when the outage
 * begins.
 */
export class OutageGate implements ServerGate {
  readonly #runtime: Runtime;
  readonly #server: string;
  readonly #queue = new Set<() => void>();
  #closed: Closed | undefined;
  #lastTurnMs = -Infinity;
  #timer: Timer | undefined;

  constructor({ runtime, server }: { readonly runtime: Runtime; readonly server: string }) {
    this.#runtime = runtime;
    this.#server = server;
  }

  get waitingFor(): string | undefined {
    const closed = this.#closed;
    if (closed === undefined || closed.failures === 0) return undefined;
    const seconds = Math.round((this.#runtime.monotonicMs() - closed.sinceMs) / 1000);
    const line = this.#queue.size > 1 ? `; ${this.#queue.size} readers take turns` : '';
    return `waiting for the server: no answer from ${this.#server} for ${seconds} s: ${closed.reason}${line}`;
  }

  turn(signal: AbortSignal): Promise<void> | undefined {
    const closed = this.#closed;
    if (closed === undefined) return undefined;
    if (closed.failures === 0 && this.#lastTurnMs < closed.sinceMs) {
      this.#lastTurnMs = this.#runtime.monotonicMs();
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const go = (): void => {
        this.#queue.delete(go);
        release();
        resolve();
      };
      this.#queue.add(go);
      const release = onAbort(signal, () => {
        this.#queue.delete(go);
        if (this.#queue.size === 0) this.#timer?.cancel();
        reject(signal.reason as Error);
      });
      this.#arm();
    });
  }

  /** A watch has ended; the server may be down. */
  doubt(): void {
    const sinceMs = this.#runtime.monotonicMs();
    this.#closed ??= {
      reason: 'a watch has ended',
      sinceMs,
      failures: 0,
      lastFailureMs: -Infinity,
    };
  }

  /** A request got an answer, with any status. */
  answered(): void {
    if (this.#closed === undefined) return;
    const { failures } = this.#closed;
    this.#closed = undefined;
    this.#timer?.cancel();
    if (failures > 0) this.#release();
    else for (const go of this.#queue) go();
  }

  /** A request has failed. An error that is not about the server, such as an abort, has no effect. */
  failed(error: unknown): void {
    if (!isListwatchError(error)) return;
    if (!UNANSWERED.has(error.code)) {
      if (isApiError(error) || error instanceof TransportError) this.answered();
      return;
    }
    const nowMs = this.#runtime.monotonicMs();
    this.doubt();
    const closed = this.#closed as Closed;
    closed.reason = explainedError(error)?.problem ?? errorMessage(error);
    // Requests that were in flight together fail together; they count once.
    if (nowMs - closed.lastFailureMs < SHORTEST_GAP_MS) return;
    if (closed.failures === 0) this.#lastTurnMs = Math.max(this.#lastTurnMs, nowMs);
    closed.failures += 1;
    closed.lastFailureMs = nowMs;
    this.#arm();
  }

  /** Arms the timer for the turn of the next reader. */
  #arm(): void {
    const closed = this.#closed;
    if (closed === undefined || this.#queue.size === 0) return;
    this.#timer?.cancel();
    const growth = 2 ** Math.max(0, closed.failures - 1);
    const gapMs = Math.min(LONGEST_GAP_MS, SHORTEST_GAP_MS * growth);
    const jitter = closed.failures === 0 ? 0 : this.#runtime.random() * JITTER;
    const delayMs = this.#lastTurnMs + gapMs * (1 + jitter) - this.#runtime.monotonicMs();
    this.#timer = this.#runtime.setTimer(delayMs, () => {
      this.#lastTurnMs = this.#runtime.monotonicMs();
      this.#letOne();
      this.#arm();
    });
  }

  /** Lets all readers continue, one after the other, until the server stops answering again. */
  #release(): void {
    const gapMs = Math.min(RELEASE_GAP_MS, LONGEST_RELEASE_MS / Math.max(1, this.#queue.size));
    const next = (): void => {
      this.#letOne();
      if (this.#queue.size > 0) this.#timer = this.#runtime.setTimer(gapMs, next);
    };
    next();
  }

  #letOne(): void {
    for (const go of this.#queue) {
      go();
      return;
    }
  }
}
