import type { ApiError } from '../../../meta/api-error.ts';
import type { Status } from '../../../meta/status.ts';
import type { ApiResponse } from './api-request.ts';

const encoder = new TextEncoder();

export const JSON_TYPE = 'application/json';

type Headers = ApiResponse['headers'];

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** A small document that is encoded here. Lists and objects have their bytes already: see `render`. */
export function jsonResponse(status: number, document: unknown, headers?: Headers): ApiResponse {
  return bytesResponse(status, JSON_TYPE, encodeText(JSON.stringify(document)), headers);
}

export function textResponse(status: number, text: string): ApiResponse {
  return bytesResponse(status, 'text/plain; charset=utf-8', encodeText(text));
}

export function bytesResponse(
  status: number,
  contentType: string,
  body: ApiResponse['body'],
  headers?: Headers,
): ApiResponse {
  return { status, headers: { 'content-type': contentType, ...headers }, body };
}

/** A Status as a response. If clients are asked to wait, the delay is also in a header. */
export function failureResponse(error: ApiError): ApiResponse {
  const { status } = error;
  const retryAfter = status.details?.retryAfterSeconds ?? 0;
  return jsonResponse(
    error.httpStatus,
    status,
    retryAfter > 0 ? { 'retry-after': String(retryAfter) } : {},
  );
}

export function statusResponse(httpStatus: number, status: Status): ApiResponse {
  return jsonResponse(httpStatus, status);
}

/** The response with additional headers; existing headers are kept. */
export function withHeaders(response: ApiResponse, headers: Headers): ApiResponse {
  return { ...response, headers: { ...headers, ...response.headers } };
}
