import { reasonRow } from '../../meta/failure/status-reason.ts';
import type { ApiResponse } from '../../server/api/http/api-request.ts';

const encoder = new TextEncoder();

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
    if (query.get('sendInitialEvents') !== 'true') return undefined;
    const text = 'sendInitialEvents: Forbidden: this server does not have the feature WatchList';
    return { answer: statusAnswer(422, 'Invalid', text) };
  }
  // A list without a version, or of a page, reads the newest state.
  if (query.get('resourceVersion') !== '0' || query.has('continue')) return undefined;
  query.set('resourceVersion', revision);
  query.set('resourceVersionMatch', 'Exact');
  return { url: `${path}?${query.toString()}` };
}
