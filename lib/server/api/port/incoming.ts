import type { IncomingMessage } from 'node:http';
import type { ApiRequest } from '../../http/api-request.ts';
import { headerLinesOf } from './header-lines.ts';
import type { Http2Request } from './http2-sessions.ts';
import { refusedHead } from './refused-head.ts';
import type { ResponseSink } from './response-sink.ts';

/** A request on its way in, and the place of its response. */
export interface Incoming {
  readonly head: Http2Request;
  readonly sink: ResponseSink;
  /** Undefined when the body is too large. */
  readonly readBody: () => Promise<Uint8Array | undefined>;
  /** Whether the client has disconnected. */
  readonly isGone: () => boolean;
}

/** The form in which clients ask a proxy: its host counts, and not the header. @see RFC 9112 section 3.2.2 */
const ABSOLUTE = /^https?:\/\/([^/?#]+)(\/[^#]*)?$/i;

/** The head of a request of HTTP/1.1. */
export function headOf(request: IncomingMessage): Http2Request {
  const { method = 'GET', url = '/', headers, rawHeaders, socket } = request;
  const refusal = refusedHead(request);
  const headerLines = headerLinesOf(headers, rawHeaders);
  if (!url.startsWith('/')) {
    const [, host, path = '/'] = ABSOLUTE.exec(url) ?? [];
    if (host !== undefined) {
      return {
        method,
        url: path,
        headers: { ...flat(headers), host },
        headerLines,
        socket,
        refusal,
      };
    }
  }
  return { method, url, headers: flat(headers), headerLines, socket, refusal };
}

/** Node passes only `set-cookie` as a list, and a request has no use for it. */
function flat(headers: IncomingMessage['headers']): ApiRequest['headers'] {
  return headers as ApiRequest['headers'];
}
