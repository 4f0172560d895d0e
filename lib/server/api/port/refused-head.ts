import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { ApiResponse } from '../../http/api-request.ts';
import { textResponse } from '../../http/responses/api-response.ts';

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
