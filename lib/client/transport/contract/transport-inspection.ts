/** The connections of a transport at this moment. */
export interface TransportInspection {
  /** The server's address. */
  readonly server: string;
  /** Connections made so far, of HTTP/1.1 and HTTP/2. */
  readonly connectionsOpened: number;
  /** Requests that run. */
  readonly requests: number;
  /** The streams among them, such as watches, over both protocols. */
  readonly streams: number;
  /**
   * The streams whose bodies come past Node's HTTP parser. Those over HTTP/2, answers that are compressed or not chunked, and streams on
   * a runtime that reads in another way than Node come through a parser.
   */
  readonly streamsPastParser: number;
  /** The sessions of HTTP/2; empty while only HTTP/1.1 is used. */
  readonly sessions: readonly Http2SessionInspection[];
}

/** One session of HTTP/2. */
export interface Http2SessionInspection {
  /** `draining`: it takes no new stream, because the server has sent GOAWAY, or the TLS settings have changed. */
  readonly state: 'open' | 'draining' | 'closed';
  /** Open streams, and those that are about to be opened. */
  readonly streams: number;
  /** The most streams that the server allows; `Infinity` if it names no limit. */
  readonly limit: number;
  /** Milliseconds since the last data. */
  readonly silentMs: number;
}
