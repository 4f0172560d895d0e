import type { Socket } from 'node:net';

/** The server that a connection leads to. */
export interface DialTarget {
  /** A host name or an IP address; an IPv6 address with or without brackets. */
  readonly host: string;
  readonly port: number;
}

/**
 * Makes connections to servers through another machine.
 *
 * The connection is a tunnel: the bytes of both sides pass unchanged. So TLS to an https server is started over the socket, and
 * the proxy sees neither requests nor credentials. A tunnel is also used for an http server, so that nothing in between changes
 * a request or holds back a watch.
 */
export interface Dialer {
  /** The address of the proxy, without user and password, for messages, e.g. `http://proxy.example:3128`. */
  readonly description: string;
  /**
   * Resolves with a connection to `target` that is ready for its first byte. The caller owns it and attaches its own listeners;
   * TCP_NODELAY and keep-alive probes are on. Bytes that the server has sent by then are read from it first.
   *
   * When it rejects, no connection is left open.
   * @throws {ListwatchError} code PROXY naming proxy, target, cause and remedy; the signal's reason when aborted.
   */
  dial(target: DialTarget, signal?: AbortSignal): Promise<Socket>;
}
