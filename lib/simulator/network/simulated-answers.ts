import { reasonRow } from '../../meta/failure/status-reason.ts';
import type { ApiResponse } from '../../server/http/api-request.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A Status as the answer to a request. */
export function statusAnswer(
  code: number,
  reason: string | undefined,
  message: string,
): ApiResponse {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: reason ?? reasonRow(undefined, code)?.reason ?? 'Unknown',
    code,
  };
  return {
    status: code,
    headers: { 'content-type': 'application/json' },
    body: encoder.encode(JSON.stringify(status)),
  };
}

/** The answer to a watch that begins with a list, of a server that does not have such watches; undefined for other watches. */
export function withoutStreamingLists(url: string): ApiResponse | undefined {
  if (!/[?&]sendInitialEvents=true(?:&|$)/.test(url)) return undefined;
  const text = 'sendInitialEvents: Forbidden: this server does not have the feature WatchList';
  return statusAnswer(422, 'Invalid', text);
}

/** A list with its items in reverse order. Other answers are left as they are. */
export function reversedList(response: ApiResponse): ApiResponse {
  const { status, body } = response;
  const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json');
  if (status !== 200 || !isJson || !(body instanceof Uint8Array)) return response;
  const list = JSON.parse(decoder.decode(body)) as { items?: unknown[] };
  if (!Array.isArray(list.items)) return response;
  list.items.reverse();
  return { ...response, body: encoder.encode(JSON.stringify(list)) };
}

/**
 * How a server whose caches stand still at a revision answers a request: the request in the past, an answer in place of it, or undefined
 * if the request is not answered from caches.
 */
export function staleRequest(
  verb: string,
  url: string,
  revision: string,
): { readonly url: string } | { readonly answer: ApiResponse } | undefined {
  if (verb !== 'list' && verb !== 'watch') return undefined;
  const mark = url.indexOf('?');
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const path = mark < 0 ? url : url.slice(0, mark);
  if (verb === 'watch') {
    const answer = withoutStreamingLists(url);
    return answer && { answer };
  }
  // A list without a version, or of a page, reads the newest state.
  if (query.get('resourceVersion') !== '0' || query.has('continue')) return undefined;
  query.set('resourceVersion', revision);
  query.set('resourceVersionMatch', 'Exact');
  return { url: `${path}?${query.toString()}` };
}
