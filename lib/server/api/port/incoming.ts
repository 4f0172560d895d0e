import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { ApiRequest, ApiResponse } from '../../http/api-request.ts';
import { headerLinesOf } from './header-lines.ts';
import type { Http2Request } from './http2-sessions.ts';
import type { ResponseSink } from './response-sink.ts';
import { textResponse } from '../../http/responses/api-response.ts';
import type { Readable } from 'node:stream';
import { ListwatchError } from '../../../kernel/failure/errors.ts';

/**
 * Number of bytes over the limit that are read and dropped. A client whose body is slightly too large then receives the reason;
 * if the connection were cut while the client sends, it would not.
 */
const DROPPED_BYTES = 8 * 1024 * 1024;

/**
 * Reads the body of a request. Undefined when it is larger than the limit.
 * Rejects when the client disconnects before the end.
 */
export function readBody(
  request: Readable,
  contentLength: string | undefined,
  limitBytes: number,
): Promise<Uint8Array | undefined> {
  const announced = Number(contentLength ?? 0);
  if (announced > limitBytes + DROPPED_BYTES) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      if (size > limitBytes + DROPPED_BYTES) resolve(undefined);
    });
    request.on('end', () => {
      if (size > limitBytes) resolve(undefined);
      else resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size));
    });
    request.on('error', reject);
    request.on('close', () => {
      // `close` follows every request; an error that no caller receives would only cost time.
      if (request.readableEnded) return;
      reject(
        new ListwatchError(
          'ABORTED',
          'the client closed the connection before the request was complete',
        ),
      );
    });
  });
}

type Head = Pick<IncomingMessage, 'httpVersion' | 'headers' | 'rawHeaders'>;

const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);
/** @see golang.org/x/net/http/httpguts ValidHostHeader */
const HOST = /^[\w!$%&'()*+,.:;=[\]~-]*$/;

/**
 * The answer to a head that the parser of Node takes, although two readers may see different requests in it; undefined for others.
 * The answers are those of kube-apiserver.
 */
export function refusedHead({ httpVersion, headers, rawHeaders }: Head): ApiResponse | undefined {
  if (!VERSIONS.has(httpVersion)) {
    return httpVersion === '0.9'
      ? refusal(400, 'the request has no version')
      : refusal(505, 'unsupported protocol version');
  }
  if (linesOf('host', rawHeaders) > 1) return refusal(400, 'too many Host headers');
  if (!HOST.test(headers.host ?? '')) return refusal(400, 'malformed Host header');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return textResponse(501, 'Unsupported transfer encoding');
  }
  return undefined;
}

function refusal(status: number, why: string): ApiResponse {
  return textResponse(status, `${status} ${STATUS_CODES[status] ?? ''}: ${why}`);
}

function linesOf(wanted: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === wanted) count += 1;
  }
  return count;
}

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
