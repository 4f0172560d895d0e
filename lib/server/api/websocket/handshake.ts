import { createHash } from 'node:crypto';

/** The answer of the server to a request for a WebSocket. */
export interface Handshake {
  /** 101: the connection is a WebSocket after this. Otherwise it has to be closed. */
  readonly status: 101 | 400 | 403;
  /** The whole answer: status line, headers, and for a refusal the reason. */
  readonly text: string;
}

type Headers = Readonly<Record<string, string | undefined>>;

/** The constant that a server adds to the key of a client. @see RFC 6455 section 1.3 */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const VERSION = '13';

/**
 * Answers a handshake as kube-apiserver does: a client has to send its origin, and one offered subprotocol is selected whatever its
 * name, while several are refused. Extensions are not used.
 * @see RFC 6455 section 4.2; golang.org/x/net/websocket hybi.go, answers of kube-apiserver 1.36.3
 */
export function answerHandshake(headers: Headers): Handshake {
  const refused = refusedKey(headers);
  if (refused !== undefined) return refused;
  if (!URL.canParse(headers['origin'] ?? '')) return refusal(403, 'Forbidden');
  const offered = (headers['sec-websocket-protocol'] ?? '').trim();
  if (offered.includes(',')) return refusal(400, 'Bad Request');
  return accepted(headers, offered);
}

/** Answers a handshake whose subprotocol was selected before. Clients of channels need not send an origin. */
export function acceptHandshake(headers: Headers, protocol: string): Handshake {
  return refusedKey(headers) ?? accepted(headers, protocol);
}

function refusedKey(headers: Headers): Handshake | undefined {
  if ((headers['sec-websocket-key'] ?? '') === '') {
    return refusal(400, 'Bad Request', 'mismatch challenge/response');
  }
  if (headers['sec-websocket-version'] === VERSION) return undefined;
  const supported = `Sec-WebSocket-Version: ${VERSION}\r\n`;
  return refusal(400, 'Bad Request', 'missing or bad WebSocket Version', supported);
}

function accepted(headers: Headers, protocol: string): Handshake {
  const key = headers['sec-websocket-key'] ?? '';
  const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64');
  const selected = protocol === '' ? '' : `Sec-WebSocket-Protocol: ${protocol}\r\n`;
  const text =
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    `Sec-WebSocket-Accept: ${accept}\r\n${selected}\r\n`;
  return { status: 101, text };
}

function refusal(
  status: 400 | 403,
  phrase: string,
  reason: string = '',
  headers: string = '',
): Handshake {
  const text = `HTTP/1.1 ${status} ${phrase}\r\n${headers}Connection: close\r\n\r\n${reason}`;
  return { status, text };
}
