/** The time limits of a request, milliseconds each; `Infinity` for no limit. Waiting for a turn or a credential does not count. */
export interface Timeouts {
  /** For a connection, with proxy and TLS. @defaultValue 10 000 (client-go transport/cache.go TLSHandshakeTimeout @ 32ce75a7) */
  readonly connectMs?: number | undefined;
  /**
   * From sending a request to the headers of its answer, with the time for a new connection.
   * @defaultValue 75 000, longer than the 60 s after which an API server ends a request with an error; 30 000 for a stream
   */
  readonly headersMs?: number | undefined;
  /** Between two pieces of a body. It does not apply to a stream, which has limits of its own. @defaultValue 30 000 */
  readonly idleMs?: number | undefined;
  /** From sending a request to the end of its body. It never applies to a stream. @defaultValue Infinity */
  readonly totalMs?: number | undefined;
}
