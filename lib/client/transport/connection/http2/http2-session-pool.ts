import { onAbort } from '../../../../kernel/time/abort.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import type { Http2SessionInspection } from '../../contract/transport-inspection.ts';
import { notSent } from '../cause/http2-failure.ts';
import { streamTransport, type StreamTransport } from './http2-request.ts';
import { dialSession, type Http2DialerOptions } from './http2-dialer.ts';
import { PooledSession, type StreamSlot } from './http2-session.ts';

/** A server without HTTP/2 is asked again after this time, milliseconds: it may have been replaced. */
const ASK_AGAIN_MS = 10 * 60_000;

export interface Http2SessionPoolOptions extends Http2DialerOptions {
  readonly runtime: Runtime;
  /** Called after each change of the number of sessions or streams. */
  readonly onChange?: ((pool: Http2SessionPool) => void) | undefined;
}

/** The part of a `StreamSlot` for the sender of a request: it need not know sessions. */
export interface Http2Place extends Pick<StreamSlot, 'reused' | 'release'> {
  /** The `transport` of an axios request. */
  transport(hasBody: boolean, admit?: () => void): StreamTransport;
}

interface Waiting {
  readonly resolve: (slot: StreamSlot | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The HTTP/2 sessions to one server with one set of TLS settings.
 *
 * Guarantees:
 * - A new session is opened when there are more requests than all sessions may have streams, before Node queues one. So N streams
 *   that start together open as many sessions as the limit of the server asks for, and at most one more.
 * - No request waits longer than for a connection and its settings: while one waits, a session is being opened.
 * - Each session that fails to open fails as many requests as it should have served.
 * - `retire` lets streams end; `close` ends them.
 *
 * Not guaranteed: an even distribution. The oldest session with a free stream is taken, so that the others can become idle.
 */
export class Http2SessionPool {
  readonly #options: Http2SessionPoolOptions;
  readonly #sessions = new Set<PooledSession>();
  /** One for each request that waits; a request that was aborted leaves. */
  readonly #waiting = new Set<Waiting>();
  readonly #closing = new AbortController();
  #connecting = 0;
  /** The streams that the most recent session allowed; before, one session is expected to be enough. */
  #expected = Infinity;
  #absentUntilMs = -Infinity;
  #retired = false;

  constructor(options: Http2SessionPoolOptions) {
    this.#options = options;
  }

  /** Whether no session is open or being opened. */
  get isEmpty(): boolean {
    return this.#sessions.size === 0 && this.#connecting === 0;
  }

  /** Whether the server has said that it does not speak HTTP/2; it is not asked again for ten minutes. */
  get isAbsent(): boolean {
    return this.#options.runtime.monotonicMs() < this.#absentUntilMs;
  }

  inspect(): Http2SessionInspection[] {
    return Array.from(this.#sessions, (session) => session.inspect());
  }

  /** A place for one stream; undefined when the server does not speak HTTP/2, or allows no stream. */
  async place(signal: AbortSignal): Promise<Http2Place | undefined> {
    const slot = await this.#slot(signal);
    if (slot === undefined) return undefined;
    return {
      reused: slot.reused,
      release: () => slot.release(),
      transport: (hasBody, admit) => streamTransport(slot, hasBody, admit),
    };
  }

  /** The server asks for HTTP/1.1. */
  avoid(): void {
    this.#absentUntilMs = this.#options.runtime.monotonicMs() + ASK_AGAIN_MS;
  }

  /** New requests use another pool: the sessions are closed when their streams have ended. */
  retire(): void {
    this.#retired = true;
    for (const session of this.#sessions) session.retire();
  }

  /** Resolves when the connections are closed. */
  async close(): Promise<void> {
    this.#closing.abort();
    const closed = Array.from(this.#sessions, (session) => session.close());
    this.#failWaiting(this.#closing.signal.reason, 0);
    await Promise.all(closed);
  }

  async #slot(signal: AbortSignal): Promise<StreamSlot | undefined> {
    signal.throwIfAborted();
    this.#closing.signal.throwIfAborted();
    if (this.isAbsent) return undefined;
    const free = this.#waiting.size === 0 ? this.#free() : undefined;
    if (free !== undefined) return this.#take(free);
    let release = (): void => {};
    try {
      return await new Promise<StreamSlot | undefined>((resolve, reject) => {
        const waiting = { resolve, reject };
        this.#waiting.add(waiting);
        release = onAbort(signal, () => {
          this.#waiting.delete(waiting);
          reject(signal.reason as Error);
        });
        this.#open();
      });
    } finally {
      release();
    }
  }

  #free(): PooledSession | undefined {
    for (const session of this.#sessions) if (session.hasRoom) return session;
    return undefined;
  }

  #take(session: PooledSession): StreamSlot {
    const slot = session.take();
    this.#options.onChange?.(this);
    return slot;
  }

  /** Opens as many sessions as those who wait need. */
  #open(): void {
    const { signal } = this.#closing;
    while (!signal.aborted && this.#waiting.size > this.#awaited()) {
      this.#connecting += 1;
      void this.#connect(signal);
    }
  }

  /** The number of streams that the sessions being opened will take, if their limits are as the last one's. */
  #awaited(): number {
    return this.#connecting === 0 ? 0 : this.#connecting * this.#expected;
  }

  /** Never rejects. */
  async #connect(signal: AbortSignal): Promise<void> {
    try {
      const dialled = await dialSession(this.#options, signal);
      this.#connecting -= 1;
      if (dialled === undefined) return this.#absent();
      const { runtime } = this.#options;
      const session = new PooledSession({ ...dialled, runtime, onChange: this.#changed });
      if (session.state === 'closed') return this.#failWaiting(notSent(), this.#awaited());
      if (session.limit === 0) {
        session.destroy();
        return this.#absent();
      }
      this.#expected = session.limit;
      this.#sessions.add(session);
      this.#changed(session);
      if (this.#retired) session.retire();
    } catch (error) {
      this.#connecting -= 1;
      this.#failWaiting(error, this.#awaited());
    }
  }

  #absent(): void {
    this.avoid();
    for (const { resolve } of this.#waiting) resolve(undefined);
    this.#waiting.clear();
  }

  /** Fails those who wait, except `kept` of them. */
  #failWaiting(error: unknown, kept: number): void {
    for (const waiting of this.#waiting) {
      if (this.#waiting.size <= kept) return;
      this.#waiting.delete(waiting);
      waiting.reject(error);
    }
  }

  readonly #changed = (session: PooledSession): void => {
    if (session.state === 'closed') this.#sessions.delete(session);
    for (const waiting of this.#waiting) {
      const free = this.#free();
      if (free === undefined) break;
      this.#waiting.delete(waiting);
      waiting.resolve(free.take());
    }
    this.#open();
    this.#options.onChange?.(this);
  };
}
