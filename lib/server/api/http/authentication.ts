import { timingSafeEqual } from 'node:crypto';
import { ListwatchError } from '../../../kernel/errors.ts';
import type { ApiHandler, ApiRequest } from './api-request.ts';
import { failureResponse } from './api-response.ts';
import { unauthorized } from './request-failures.ts';

/** Names the user behind a request; undefined when the request does not prove who it comes from. */
export type Authenticator = (request: ApiRequest) => string | undefined;

/** Paths that need no credentials: whether the server is alive, and its version. */
const PUBLIC_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/version']);

/** Shorter tokens can be guessed. */
const SHORTEST_TOKEN = 16;

/**
 * Accepts one bearer token. The comparison takes the same time wherever a wrong token differs.
 * @throws {ListwatchError} code INVALID_OPTION for a token that is short or cannot stand in a header.
 */
export function bearerAuthenticator(token: string, user: string): Authenticator {
  if (token.length < SHORTEST_TOKEN || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ListwatchError(
      'INVALID_OPTION',
      `option "token" must have at least ${SHORTEST_TOKEN} characters, all of them printable ASCII without spaces`,
    );
  }
  const expected = Buffer.from(token, 'latin1');
  const shown = Buffer.alloc(expected.length);
  return ({ headers }) => {
    const match = /^bearer +([\x21-\x7e]+) *$/i.exec(headers['authorization'] ?? '');
    if (match === null) return undefined;
    const text = match[1] as string;
    // Only equal lengths can be compared: what is longer is cut, and a shorter one keeps the end of the one before.
    shown.write(text, 'latin1');
    const equal = timingSafeEqual(shown, expected);
    return equal && text.length === expected.length ? user : undefined;
  };
}

/**
 * The handler behind an authenticator: 401 for unknown users, also on public paths when they
 * show credentials: wrong ones are to be noticed.
 */
export function withAuthentication(handler: ApiHandler, authenticate: Authenticator): ApiHandler {
  return async (request) => {
    const user = authenticate(request);
    if (user !== undefined) return await handler({ ...request, user });
    const [path = ''] = request.url.split('?', 1);
    const anonymous = request.headers['authorization'] === undefined;
    if (anonymous && PUBLIC_PATHS.has(path)) {
      return await handler({ ...request, user: 'system:anonymous' });
    }
    return failureResponse(unauthorized());
  };
}
