/** Why a request waited before its answer. */
export type WaitReason =
  /** For a turn of the limiter, after the server asked for fewer requests. */
  | 'limiter'
  /** Before the request was sent again, because the server asked for it. */
  | 'retry'
  /** For a credential: a file, a plug-in, an identity provider. */
  | 'credential'
  /** For a new connection, with proxy and TLS. A kept connection takes no time. */
  | 'connection';

/** The waits of one request, milliseconds. Each layer of a transport adds its own. */
export class RequestTiming {
  /** The number of times that the request was sent. */
  attempts = 0;
  /** The number of times that it was sent again after a wait, because it was refused or its connection broke. */
  retries = 0;
  /** The number of times that it was sent again with another credential, after an answer 401. */
  refreshes = 0;
  /** The number of connections that were opened for it. */
  connections = 0;
  readonly waitedMs: Record<WaitReason, number> = {
    limiter: 0,
    retry: 0,
    credential: 0,
    connection: 0,
  };

  add(reason: WaitReason, ms: number): void {
    this.waitedMs[reason] += ms;
  }
}
