import { STATUS_CODES } from 'node:http';
import { failure } from '../../../meta/failure/api-error.ts';
import type { ApiResponse } from '../../http/api-request.ts';
import { withHeaders } from '../../http/responses/api-response.ts';
import { failureResponse, type RequestHead } from '../../http/responses/document-response.ts';

/** The response, after which the connection is closed. */
export function lastAnswer(answer: ApiResponse): ApiResponse {
  return withHeaders(answer, { connection: 'close' });
}

/** A response with a whole body as bytes of HTTP/1.1, after which the connection is closed. */
export function plainAnswer({ status, headers, body }: ApiResponse): Buffer {
  if (!(body instanceof Uint8Array)) throw new Error('a failed watch has no stream');
  const all = { ...headers, connection: 'close', 'content-length': String(body.byteLength) };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}\r\n`),
  );
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

export function foreignHost(head: RequestHead): ApiResponse {
  return failureResponse(
    failure(
      'Forbidden',
      'this server is for programs on its own machine: the Host header must be 127.0.0.1, [::1] or localhost',
    ),
    head,
  );
}
