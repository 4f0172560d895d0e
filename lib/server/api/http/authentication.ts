import { timingSafeEqual } from 'node:crypto';
import { ListwatchError } from '../../../kernel/errors.ts';
import type { UserInfo } from '../../registry/contract/user-info.ts';
import type { ApiHandler, ApiRequest } from './api-request.ts';
import { failureResponse } from './document-response.ts';
import { unauthorized } from './request-failures.ts';

/** A user: what is known of it, or only its name. */
export type AuthenticatedUser = string | UserInfo;

/** Returns the user of a request; undefined when the request does not authenticate. */
export type Authenticator = (
  request: ApiRequest,
) => AuthenticatedUser | undefined | Promise<AuthenticatedUser | undefined>;

/** Paths without authentication: health checks and the version. */
const PUBLIC_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/version']);

/** The user of requests without credentials. */
const ANONYMOUS = 'system:anonymous';

/** Minimum length of a token; shorter ones could be guessed. */
const SHORTEST_TOKEN = 16;

/**
 * Accepts one bearer token. The comparison takes the same time wherever a wrong token differs.
 * @throws {ListwatchError} code INVALID_OPTION for a token that is too short or contains characters that a header cannot have.
 */
export function bearerAuthenticator(token: string, user: AuthenticatedUser): Authenticator {
  if (token.length < SHORTEST_TOKEN || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ListwatchError(
      'INVALID_OPTION',
      `option "token" must have at least ${SHORTEST_TOKEN} characters, all of them printable ASCII without spaces`,
    );
  }
  const expected = Buffer.from(token, 'latin1');
  const shown = Buffer.alloc(expected.length);
  return (request) => {
    const text = bearerTokenOf(request);
    if (text === undefined) return undefined;
    // Only equal lengths can be compared: a longer text is cut, and a shorter one keeps the end of the previous content.
    shown.write(text, 'latin1');
    const equal = timingSafeEqual(shown, expected);
    return equal && text.length === expected.length ? user : undefined;
  };
}

/** The bearer token of a request; undefined when there is none. */
export function bearerTokenOf({ headers }: Pick<ApiRequest, 'headers'>): string | undefined {
  return /^bearer +([\x21-\x7e]+) *$/i.exec(headers['authorization'] ?? '')?.[1];
}

/** The first user that one of the authenticators finds. */
export function anyAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  return async (request) => {
    for (const authenticate of authenticators) {
      const user = await authenticate(request);
      if (user !== undefined) return user;
    }
    return undefined;
  };
}

/**
 * The handler with authentication: 401 for unknown users. Public paths need no credentials, but wrong ones are refused there
 * too, so that they are noticed.
 */
export function withAuthentication(handler: ApiHandler, authenticate: Authenticator): ApiHandler {
  return async (request) => {
    const found = await authenticate(request);
    if (found !== undefined) {
      const user = typeof found === 'string' ? found : found.username;
      const identity = typeof found === 'string' ? undefined : found;
      request.identified?.(user);
      return await handler({ ...request, user, identity });
    }
    const [path = ''] = request.url.split('?', 1);
    const anonymous = request.headers['authorization'] === undefined;
    if (anonymous && PUBLIC_PATHS.has(path)) {
      request.identified?.(ANONYMOUS);
      return await handler({ ...request, user: ANONYMOUS });
    }
    return failureResponse(unauthorized(), request);
  };
}
