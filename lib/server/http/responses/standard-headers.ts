import { randomUuid } from '../../../kernel/time/random.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { ApiHandler, ApiRequest, ApiResponse } from '../api-request.ts';

const AUDIT_ID = /^[\x21-\x7e]{1,64}$/;

/** The handler with the headers of every response, including failures. */
export function withStandardHeaders(handler: ApiHandler, runtime: Runtime): ApiHandler {
  return async (request) => standardAnswer(await handler(request), request, runtime);
}

/** A response with the headers that every one has. */
export function standardAnswer(
  response: ApiResponse,
  request: Pick<ApiRequest, 'headers'>,
  runtime: Runtime,
): ApiResponse {
  // An inner handler has set the headers already.
  if (response.headers['audit-id'] !== undefined) return response;
  const given = request.headers['audit-id'] ?? '';
  const { headers } = response;
  // A spread that comes first is a copy of a known shape; one that comes later sets name after name.
  return {
    ...response,
    headers: {
      ...headers,
      'audit-id': given !== '' && AUDIT_ID.test(given) ? given : randomUuid(runtime),
      'cache-control': headers['cache-control'] ?? 'no-cache, private',
    },
  };
}
