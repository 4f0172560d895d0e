/** The options of a request that becomes a WebSocket. */
export interface WebSocketOptions {
  /** The subprotocols to choose from, the best first. */
  readonly protocols: readonly string[];
  /** See `StreamOptions.deadPeerMs`. */
  readonly deadPeerMs: number;
}

export interface MessageListeners {
  /** The bytes may be kept. */
  message(bytes: Buffer): void;
  /**
   * Called once, after the last message. `error` is undefined after a close handshake of code 1000; otherwise a `TransportError`, or
   * the reason of the signal.
   */
  closed(error: unknown): void;
}

/** An open WebSocket. */
export interface MessageSocket {
  /** The subprotocol that the server chose. */
  readonly protocol: string;
  /** Messages arrive from this call on. Call it once, in the task in which the socket was received. */
  listen(listeners: MessageListeners): void;
  /**
   * Sends a binary message. Resolves when the network has taken it, so that a sender who waits keeps one message in memory.
   * @throws the error of `closed` when the socket has closed.
   */
  send(message: Uint8Array): Promise<void>;
  /** Reads nothing more until `resume`, but for what has arrived: at most one read and one message. */
  pause(): void;
  resume(): void;
  /** Ends it with a close frame of code 1000. A peer that does not answer within 2 s is cut off. */
  end(): void;
  /** Cuts the connection; `closed` gets `error`. */
  destroy(error: unknown): void;
}
