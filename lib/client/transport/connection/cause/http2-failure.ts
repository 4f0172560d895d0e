import { leavesOf } from './failure-leaf.ts';

/** The names of RFC 9113, section 7, by their number. */
const NAMES = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
] as const;

/** The beginning of the codes of these failures. */
const PREFIX = 'HTTP2_';
/** The beginning of the messages of streams that were reset; axios keeps code and message. */
const RESET = 'HTTP/2 stream reset: ';

/** The request was not processed, for example because the session ended just before: it can be sent again in any case. */
const NOT_SENT = `${PREFIX}NOT_SENT`;
const REFUSED = `${PREFIX}REFUSED_STREAM`;
const TOO_MUCH = `${PREFIX}ENHANCE_YOUR_CALM`;
const HTTP1_REQUIRED = `${PREFIX}HTTP_1_1_REQUIRED`;
const UNANSWERED = `${PREFIX}PING_TIMEOUT`;

/** A failure of an HTTP/2 stream or session. Its code is `HTTP2_` and the name of the error in RFC 9113. */
export class Http2Failure extends Error {
  override readonly name = 'Http2Failure';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The server has reset the stream with this error code. */
export function streamReset(errorCode: number): Http2Failure {
  const name = nameOf(errorCode);
  return new Http2Failure(PREFIX + name, RESET + name);
}

/** The server has ended the session with GOAWAY and this error code. */
export function sessionEnded(errorCode: number): Http2Failure {
  const name = nameOf(errorCode);
  return new Http2Failure(PREFIX + name, `HTTP/2 GOAWAY: ${name}`);
}

/** The session has ended before the request was sent. */
export function notSent(): Http2Failure {
  return new Http2Failure(NOT_SENT, 'the HTTP/2 session ended before the request was sent');
}

/** The server did not answer a ping. */
export function pingUnanswered(): Http2Failure {
  return new Http2Failure(UNANSWERED, 'HTTP/2 ping without an answer');
}

/** Whether the server has not processed a request, so that also a write can be sent again. */
export function isUnprocessed(error: unknown): boolean {
  return leavesOf(error).some(({ code }) => code === NOT_SENT || code === REFUSED);
}

/** Whether the server accepted no further stream just then, as Node 22 while it clears up a stream that was reset. */
export function isStreamTooMuch(error: unknown): boolean {
  return leavesOf(error).some(
    ({ code, message }) => code === TOO_MUCH && message.startsWith(RESET),
  );
}

/** Whether the server answers such a request only over HTTP/1.1. */
export function requiresHttp1(error: unknown): boolean {
  return leavesOf(error).some(({ code }) => code === HTTP1_REQUIRED);
}

const DISAGREE =
  'server and client do not agree on HTTP/2; use HTTP/1.1 (http2: false), or update the proxies before the server';

/** Cause and remedy, by the code. */
const CAUSES: ReadonlyMap<string, string> = new Map([
  [REFUSED, 'the server refused the request for now; it is overloaded or stops: try again later'],
  [NOT_SENT, 'the server closes its HTTP/2 sessions as they are opened; try again later'],
  [
    UNANSWERED,
    'the server did not answer an HTTP/2 ping: the connection counts as dead; check network, VPN and firewall',
  ],
  [
    TOO_MUCH,
    'it is too much for the server: too many requests, or too large headers; send less, or use HTTP/1.1 (http2: false)',
  ],
  [
    `${PREFIX}INADEQUATE_SECURITY`,
    'TLS is too weak for HTTP/2; let the server offer TLS 1.3, or use HTTP/1.1 (http2: false)',
  ],
  [HTTP1_REQUIRED, 'the server answers this only over HTTP/1.1; set http2: false'],
  [`${PREFIX}INTERNAL_ERROR`, 'the server broke off the answer; look at its log'],
  [`${PREFIX}CANCEL`, 'the server or a proxy ended the answer before its end; look at their logs'],
  [
    `${PREFIX}NO_ERROR`,
    'the server or a proxy ended the stream before its end, without a reason; try again',
  ],
]);

/** Cause and remedy of a failure of HTTP/2. Undefined: it is another one. */
export function http2Cause(code: string): string | undefined {
  if (!code.startsWith(PREFIX)) return undefined;
  return CAUSES.get(code) ?? DISAGREE;
}

function nameOf(errorCode: number): string {
  return NAMES[errorCode] ?? `ERROR_${errorCode}`;
}
