/**
 * - `open`: takes streams, up to the limit of the server.
 * - `draining`: takes no new stream; the running ones go on.
 * - `closed`: nothing is left of it.
 *
 * A session begins when the settings of the server have arrived.
 */
export type Http2SessionState = 'open' | 'draining' | 'closed';

export type Http2SessionInput =
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

export function nextSessionState(
  state: Http2SessionState,
  input: Http2SessionInput,
): Http2SessionState {
  return TABLE[state][input];
}
