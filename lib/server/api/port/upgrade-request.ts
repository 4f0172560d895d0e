import type { IncomingMessage } from 'node:http';
import { parseQuery } from '../../http/parse-query.ts';
import { queryFlag } from '../../http/query-options.ts';
import { parseRequestInfo, pathSegments } from '../../http/request-info.ts';

/**
 * Whether a request with an `Upgrade` header asks for a watch, the streams of a pod or a proxy over a WebSocket. Every other one is served
 * as if it had none.
 */
export function asksForWebSocket({ method, url = '/', headers }: IncomingMessage): boolean {
  const asked = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  return asked && mayUpgrade(method, url);
}

const STREAMS: ReadonlySet<string | undefined> = new Set(['exec', 'attach', 'portforward']);

function mayUpgrade(method: string, url: string): boolean {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? '' : url.slice(mark + 1);
  try {
    const segments = pathSegments(path);
    if (segments[0] !== 'api' && segments[0] !== 'apis') return false;
    const asked = queryFlag(parseQuery(query), 'watch') ?? false;
    const { verb, group, resource, subresource } = parseRequestInfo(method, segments, asked);
    if (verb === 'watch') return true;
    const isStream = resource === 'pods' && STREAMS.has(subresource);
    return group === '' && (isStream || subresource === 'proxy');
  } catch {
    // The error belongs into the response of the plain request.
    return false;
  }
}

/** The head of a request without `Upgrade`, to be parsed again. */
export function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    const value = rawHeaders[at + 1] as string;
    const kept = /^connection$/i.test(name) ? withoutUpgradeToken(value) : value;
    if (!/^upgrade$/i.test(name)) text += `${name}: ${kept}\r\n`;
  }
  return Buffer.from(`${text}\r\n`, 'latin1');
}

function withoutUpgradeToken(connection: string): string {
  const tokens = connection.split(',').map((token) => token.trim());
  return tokens.filter((token) => token.toLowerCase() !== 'upgrade').join(', ');
}

/** A text that is no token of any server. */
const NO_TOKEN = '-';

/** The beginning of a subprotocol that carries a token. */
const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/**
 * Browsers cannot set the Authorization header of a WebSocket; they send the token as a subprotocol. It becomes the header, and the
 * other subprotocols remain. A request with such a subprotocol that is malformed, or alone, does not authenticate.
 * @see apiserver pkg/authentication/request/websocket/protocol.go @ v0.36.3
 */
export function takeProtocolToken({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const offered = headers['sec-websocket-protocol'];
  if (headers.authorization !== undefined || !offered?.includes(TOKEN_PROTOCOL)) return;
  const protocols = offered.split(',').map((one) => one.trim());
  const others = protocols.filter((one) => !one.startsWith(TOKEN_PROTOCOL));
  const tokens = protocols.filter((one) => one.startsWith(TOKEN_PROTOCOL));
  const text = tokens.length === 1 && others.length > 0 ? tokenOf(tokens[0] as string) : undefined;
  headers.authorization = `Bearer ${text ?? NO_TOKEN}`;
  headers['sec-websocket-protocol'] = others.join(',');
}

function tokenOf(protocol: string): string | undefined {
  const encoded = protocol.slice(TOKEN_PROTOCOL.length);
  if (!/^[\w-]+$/.test(encoded)) return undefined;
  return Buffer.from(encoded, 'base64url').toString('utf8');
}
