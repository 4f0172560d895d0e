import type { ApiResponse } from '../api-request.ts';
import { JSON_TYPE } from '../media/media-type.ts';

const encoder = new TextEncoder();

export type Headers = ApiResponse['headers'];

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** A small document that is JSON whatever is accepted. */
export function jsonResponse(status: number, document: unknown, headers?: Headers): ApiResponse {
  return bytesResponse(status, JSON_TYPE, encodeText(JSON.stringify(document)), headers);
}

/** A document of the API, which may be compressed. */
export function apiResponse(
  status: number,
  contentType: string,
  body: ApiResponse['body'],
  headers?: Headers,
): ApiResponse {
  return { status, headers: withType(contentType, headers), body, mayCompress: true };
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
  return { status, headers: withType(contentType, headers), body };
}

function withType(contentType: string, headers: Headers | undefined): Headers {
  return headers === undefined
    ? { 'content-type': contentType }
    : { 'content-type': contentType, ...headers };
}

/** The response with additional headers; existing headers are kept. */
export function withHeaders(response: ApiResponse, headers: Headers): ApiResponse {
  return { ...response, headers: { ...headers, ...response.headers } };
}
