import { randomUuid } from '../../kernel/random.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import type { ApiHandler } from './api-request.ts';
import { withHeaders } from './api-response.ts';

const AUDIT_ID = /^[\x21-\x7e]{1,64}$/;

/** The handler with the headers that every answer carries, failures included. */
export function withStandardHeaders(handler: ApiHandler, runtime: Runtime): ApiHandler {
  return async (request) => {
    const given = request.headers['audit-id'] ?? '';
    return withHeaders(await handler(request), {
      'audit-id': AUDIT_ID.test(given) ? given : randomUuid(runtime),
      'cache-control': 'no-cache, private',
    });
  };
}
