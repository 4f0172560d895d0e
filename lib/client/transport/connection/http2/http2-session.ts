import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  ClientSessionRequestOptions,
  OutgoingHttpHeaders,
} from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import type { Http2SessionInspection } from '../../contract/transport-inspection.ts';
import { notSent, pingUnanswered } from '../cause/http2-failure.ts';
import { whenClosed } from './when-closed.ts';
import { SessionPulse } from './session-pulse.ts';

/**
 * - `open`: takes streams, up to the limit of the server.
 * - `draining`: takes no new stream; the running ones go on.
 * - `closed`: nothing is left of it.
 *
 * A session begins when the settings of the server have arrived.
 */
type Http2SessionState = 'open' | 'draining' | 'closed';

type Http2SessionInput =
  /** The server sends GOAWAY without an error. */
  | 'goaway'
  /** New requests use other TLS settings. */
  | 'retire'
  /** The last stream has ended. */
  | 'emptied'
  /** No stream for the idle time. */
  | 'idle'
  /** The connection broke, a ping was not answered, or GOAWAY with an error. */
  | 'lost';

type Row = Readonly<Record<Http2SessionInput, Http2SessionState>>;

/** The state machine of a session: state and input give the next state. */
const TABLE: Readonly<Record<Http2SessionState, Row>> = {
  open: {
    goaway: 'draining',
    retire: 'draining',
    emptied: 'open',
    idle: 'closed',
    lost: 'closed',
  },
  draining: {
    goaway: 'draining',
    retire: 'draining',
    emptied: 'closed',
    idle: 'closed',
    lost: 'closed',
  },
  closed: { goaway: 'closed', retire: 'closed', emptied: 'closed', idle: 'closed', lost: 'closed' },
};

function nextSessionState(state: Http2SessionState, input: Http2SessionInput): Http2SessionState {
  return TABLE[state][input];
}

export interface PooledSessionOptions {
  /** A session whose server has sent its settings, and that has no stream. */
  readonly session: ClientHttp2Session;
  /** The connection of the session. */
  readonly socket: Duplex;
  readonly runtime: Runtime;
  /** The number of streams, the limit or the state has changed. */
  readonly onChange: (session: PooledSession) => void;
}

/** NGHTTP2_CANCEL. */
const CANCEL = 8;

/** A place for one stream of a session. The end of the stream gives it back. */
export interface StreamSlot {
  /** Whether the session had carried a stream before: then it may have died unnoticed. */
  readonly reused: boolean;
  /** @throws {Http2Failure} HTTP2_NOT_SENT when the session has ended since the slot was taken. */
  request(headers: OutgoingHttpHeaders, options: ClientSessionRequestOptions): ClientHttp2Stream;
  /** Whether the connection of the session is closed. */
  readonly lost: boolean;
  /** Data of the stream has arrived. */
  heard(): void;
  /** Ends the stream, which is not needed any more, with the error code CANCEL. The place is free at once. */
  cancel(): void;
  /** Gives the place back if no stream was opened; harmless otherwise. */
  release(): void;
}

/**
 * One session, which counts its streams.
 *
 * Guarantees:
 * - It never has more streams than the settings of the server allow, so that Node queues none. When the settings are lowered, the
 *   streams go on, and there is no new one before enough have ended.
 * - A dead server is noticed 34 s after its last data; all streams fail then. A session without a stream is closed after 60 s.
 * - A session without a stream does not keep the process alive.
 * - After it has ended, no socket and no timer is left.
 */
export class PooledSession {
  readonly #session: ClientHttp2Session;
  readonly #socket: Duplex;
  readonly #runtime: Runtime;
  readonly #onChange: (session: PooledSession) => void;
  readonly #pulse: SessionPulse;
  #state: Http2SessionState = 'open';
  #streams = 0;
  #limit: number;
  #used = false;

  constructor({ session, socket, runtime, onChange }: PooledSessionOptions) {
    this.#session = session;
    this.#socket = socket;
    this.#runtime = runtime;
    this.#onChange = onChange;
    this.#limit = limitOf(session);
    this.#pulse = new SessionPulse({
      runtime,
      ping: (answered) => this.#ping(answered),
      onEnd: (reason) => this.#pulseEnded(reason),
    });
    session.unref();
    session.on('remoteSettings', () => {
      this.#limit = limitOf(session);
      this.#pulse.heard();
      this.#changed();
    });
    // With an error, Node destroys the session.
    session.on('goaway', () => this.#input('goaway'));
    session.on('error', () => {});
    session.on('close', () => this.#input('lost'));
    // GOAWAY came with the settings.
    if (session.closed || session.destroyed) this.#input('goaway');
  }

  get state(): Http2SessionState {
    return this.#state;
  }

  get streams(): number {
    return this.#streams;
  }

  /** The most streams that the server allows. */
  get limit(): number {
    return this.#limit;
  }

  get hasRoom(): boolean {
    return this.#state === 'open' && this.#streams < this.#limit && !this.#session.closed;
  }

  inspect(): Http2SessionInspection {
    const silentMs = this.#runtime.monotonicMs() - this.#pulse.heardMs;
    return { state: this.#state, streams: this.#streams, limit: this.#limit, silentMs };
  }

  /** Takes a place for a stream. One must be free. */
  take(): StreamSlot {
    const session = this.#session;
    const reused = this.#used;
    this.#used = true;
    this.#streams += 1;
    if (this.#streams === 1) {
      this.#pulse.used();
      session.ref();
    }
    let taken = true;
    const free = (): void => {
      if (taken) this.#released();
      taken = false;
    };
    let stream: ClientHttp2Stream | undefined;
    const socket = this.#socket;
    return {
      reused,
      get lost() {
        return session.destroyed || socket.destroyed;
      },
      heard: () => this.#pulse.heard(),
      request: (headers, options) => {
        if (session.closed || session.destroyed) throw notSent();
        stream = session.request(headers, options);
        stream.once('close', free);
        return stream;
      },
      cancel: () => {
        if (stream === undefined || stream.destroyed) return;
        stream.on('error', () => {});
        if (!stream.closed) stream.close(CANCEL);
        // Node keeps a stream that has ended until its data is read.
        stream.destroy();
        // nghttp2 sends the reset before the headers of new streams.
        free();
      },
      release: () => {
        if (stream === undefined) free();
      },
    };
  }

  /** It takes no new stream, and is closed when its last one has ended. */
  retire(): void {
    this.#input('retire');
  }

  /** Ends it with all its streams. */
  destroy(error?: Error): void {
    this.#close(error);
    this.#input('lost');
  }

  /** Destroys it, and resolves when its connection is closed. */
  close(): Promise<void> {
    this.destroy();
    return whenClosed(this.#socket);
  }

  #released(): void {
    this.#streams -= 1;
    if (this.#streams > 0) return this.#changed();
    this.#pulse.unused();
    if (!this.#session.destroyed) this.#session.unref();
    this.#input('emptied');
    this.#changed();
  }

  /** Goes to the next state. One that drains and has no stream is emptied already. */
  #input(input: Http2SessionInput): void {
    const before = this.#state;
    const empty = this.#streams === 0 && input !== 'lost';
    this.#state = nextSessionState(before, input);
    if (this.#state === 'draining' && empty) this.#state = nextSessionState('draining', 'emptied');
    if (this.#state === before) return;
    if (this.#state === 'closed') this.#close();
    this.#changed();
  }

  #close(error?: Error): void {
    this.#pulse.stop();
    this.#session.destroy(error);
    // A session that drains would wait for the server to close the connection.
    this.#socket.destroy();
  }

  #changed(): void {
    this.#onChange(this);
  }

  #ping(answered: () => void): void {
    const session = this.#session;
    if (session.destroyed) return;
    const done = (error: Error | null): void => {
      if (error === null) answered();
    };
    // Node sends no ping after GOAWAY. Settings that change nothing are confirmed just as soon.
    if (session.closed) session.settings({}, done);
    else session.ping(done);
  }

  #pulseEnded(reason: 'unanswered' | 'idle'): void {
    if (reason === 'idle') this.#input('idle');
    else this.destroy(pingUnanswered());
  }
}

function limitOf(session: ClientHttp2Session): number {
  return session.remoteSettings?.maxConcurrentStreams ?? Infinity;
}
