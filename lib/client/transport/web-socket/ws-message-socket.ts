import { onAbort } from '../../../kernel/time/abort.ts';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import type { MessageListeners, MessageSocket } from '../contract/message-socket.ts';
import { TransportError, type ExchangeTarget } from '../contract/transport-error.ts';
import type { WsSocket } from './ws-package.ts';

export interface WsMessageSocketOptions {
  readonly target: ExchangeTarget;
  /** Cuts the connection. */
  readonly signal: AbortSignal;
  readonly deadPeerMs: number;
  readonly runtime: Runtime;
  /** Called when it has ended. */
  readonly onClosed: () => void;
}

/** After a silence of this time a ping is sent, milliseconds. Proxies cut connections that are silent for a minute. */
const PING_AFTER_MS = 15_000;
/** How long the answer to a close frame may take, milliseconds. */
const CLOSE_MS = 2000;
const NORMAL = 1000;
/** Close codes: going away, and one without a code. Servers of Kubernetes send them at the regular end too. */
const REGULAR: ReadonlySet<number> = new Set([NORMAL, 1001, 1005]);
const FRAME_TOO_LARGE = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';

/** A WebSocket of the package `ws`. */
export class WsMessageSocket implements MessageSocket {
  readonly #ws: WsSocket;
  readonly #options: WsMessageSocketOptions;
  readonly #release: () => void;
  #listeners: MessageListeners | undefined;
  #timer: Timer | undefined;
  #heardMs: number;
  #paused = true;
  #ended = false;
  #failure: unknown;

  constructor(ws: WsSocket, options: WsMessageSocketOptions) {
    this.#ws = ws;
    this.#options = options;
    this.#heardMs = options.runtime.monotonicMs();
    // Until a listener is added.
    ws.pause();
    this.#release = onAbort(options.signal, () => this.destroy(options.signal.reason));
    const heard = (): void => this.#heard();
    ws.on('ping', heard).on('pong', heard);
    ws.on('message', (bytes) => {
      heard();
      this.#listeners?.message(bytes);
    });
    ws.on('error', (error) => {
      this.#failure ??= this.#protocolError(error);
    });
    ws.on('close', (code, reason) => this.#closed(code, reason));
    this.#watch(PING_AFTER_MS);
  }

  get protocol(): string {
    return this.#ws.protocol;
  }

  listen(listeners: MessageListeners): void {
    this.#listeners = listeners;
    if (this.#ended) listeners.closed(this.#failure);
    else this.resume();
  }

  send(message: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#ws.send(message, (error) => {
        if (error === undefined || error === null) resolve();
        else reject(this.#sendError(error));
      });
    });
  }

  pause(): void {
    if (this.#paused || this.#ended) return;
    this.#paused = true;
    this.#ws.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#heard();
    this.#ws.resume();
  }

  end(): void {
    if (this.#ended) return;
    this.#timer?.cancel();
    // Only a socket that is read reports the end of the peer.
    this.resume();
    this.#ws.close(NORMAL);
    this.#timer = this.#options.runtime.setTimer(CLOSE_MS, () => this.#ws.terminate());
  }

  destroy(error: unknown): void {
    if (this.#ended) return;
    this.#failure ??= error;
    this.#ws.terminate();
  }

  #heard(): void {
    this.#heardMs = this.#options.runtime.monotonicMs();
  }

  #watch(delayMs: number): void {
    const { runtime } = this.#options;
    this.#timer = runtime.setTimer(delayMs, () => this.#look(), { background: true });
  }

  /** Pings a silent peer, and ends the connection to a dead one. */
  #look(): void {
    const { runtime, deadPeerMs, target } = this.#options;
    // The answer to a ping waits behind what is not read, and behind what the peer does not read.
    if (this.#paused || this.#ws.bufferedAmount > 0) this.#heard();
    const silentMs = runtime.monotonicMs() - this.#heardMs;
    if (silentMs >= deadPeerMs) {
      const problem = `the server sent no byte for ${deadPeerMs} ms, not even the answer to a ping; try again, or raise deadPeerMs`;
      this.destroy(new TransportError('STREAM_IDLE', target, problem));
      return;
    }
    if (silentMs >= PING_AFTER_MS) this.#ws.ping();
    const next = silentMs >= PING_AFTER_MS ? PING_AFTER_MS : PING_AFTER_MS - silentMs;
    this.#watch(Math.max(1, Math.min(next, deadPeerMs - silentMs)));
  }

  #closed(code: number, reason: Buffer): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#timer?.cancel();
    this.#release();
    this.#options.onClosed();
    if (!REGULAR.has(code)) this.#failure ??= this.#cut(code, reason.toString('utf8'));
    this.#listeners?.closed(this.#failure);
  }

  #cut(code: number, reason: string): TransportError {
    const { target } = this.#options;
    const how = code === 1006 ? 'without a close frame' : `with code ${code}`;
    const said = reason === '' ? '' : ` (${JSON.stringify(reason)})`;
    const problem = `the WebSocket was cut in the middle, ${how}${said}; the pod, its node or a proxy has gone: try again`;
    return new TransportError('CONNECTION_FAILED', target, problem);
  }

  #protocolError(error: Error): TransportError {
    const { code } = error as NodeJS.ErrnoException;
    const { target } = this.#options;
    if (code?.startsWith('WS_ERR_') !== true) {
      const problem = `the WebSocket was cut in the middle: ${errorMessage(error)}; try again`;
      return new TransportError('CONNECTION_FAILED', target, problem);
    }
    const kind = code === FRAME_TOO_LARGE ? 'FRAME_TOO_LARGE' : 'MALFORMED_FRAME';
    const problem = `the server sent a wrong WebSocket frame: ${error.message}; check the proxies in front of it`;
    return new TransportError(kind, target, problem);
  }

  #sendError(error: Error): unknown {
    if (this.#failure !== undefined) return this.#failure;
    const problem = `the WebSocket has closed: ${errorMessage(error)}; nothing more can be sent`;
    return new TransportError('CONNECTION_FAILED', this.#options.target, problem);
  }
}
