import { timingSafeEqual } from 'node:crypto';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { ANONYMOUS, userNamed, type UserInfo } from '../../registry/contract/user-info.ts';
import type { ApiHandler, ApiRequest } from '../../http/api-request.ts';
import { failureResponse } from '../../http/responses/document-response.ts';
import { unauthorized } from '../../http/request-failures.ts';

/** A user: what is known of it, or only its name. */
export type AuthenticatedUser = string | UserInfo;

/** Undefined: the request has no credentials that the authenticator knows. Null: it has some that are not valid. */
export type AuthenticationVerdict = AuthenticatedUser | undefined | null;

/** Returns the user of a request. */
export type Authenticator = (
  request: ApiRequest,
) => AuthenticationVerdict | Promise<AuthenticationVerdict>;

/** Paths without authentication: health checks and the version. */
export const PUBLIC_PATHS: ReadonlySet<string> = new Set([
  '/healthz',
  '/livez',
  '/readyz',
  '/version',
]);

/** A token, whether or not it could be one of this server. */
const BEARER = /^bearer +\S/i;
const TOKEN = /^bearer +([\x21-\x7e]+) *$/i;
const TOKEN_CHARACTERS = /^[\x21-\x7e]+$/;

/** Minimum length of a token; shorter ones could be guessed. */
const SHORTEST_TOKEN = 16;

/**
 * Accepts one bearer token. The comparison takes the same time wherever a wrong token differs.
 * @throws {ListwatchError} code INVALID_OPTION for a token that is too short or contains characters that a header cannot have.
 */
export function bearerAuthenticator(token: string, user: AuthenticatedUser): Authenticator {
  if (token.length < SHORTEST_TOKEN || !TOKEN_CHARACTERS.test(token)) {
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
  return TOKEN.exec(headers['authorization'] ?? '')?.[1];
}

/** The first user that one of the authenticators finds; credentials that one refuses count if no other finds a user. */
export function anyAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  return async (request) => {
    let refused: null | undefined;
    for (const authenticate of authenticators) {
      const user = await authenticate(request);
      if (user === null) refused = null;
      else if (user !== undefined) return user;
    }
    return refused;
  };
}

export interface AuthenticationOptions {
  /** Whether requests without credentials are of the user `system:anonymous`. Otherwise only public paths are. @defaultValue false */
  readonly anonymous?: boolean | undefined;
}

/**
 * The handler with authentication: 401 for credentials that are not valid, also on public paths, so that they are noticed.
 * @see apiserver pkg/endpoints/filters/authentication.go @ v0.36.3
 */
export function withAuthentication(
  handler: ApiHandler,
  authenticate: Authenticator,
  { anonymous = false }: AuthenticationOptions = {},
): ApiHandler {
  return async (request) => {
    const found = await authenticate(request);
    if (found !== undefined && found !== null) {
      const identity = typeof found === 'string' ? userNamed(found) : found;
      return await handler(identified(request, identity));
    }
    const { authorization } = request.headers;
    const hasToken = anonymous ? BEARER.test(authorization ?? '') : authorization !== undefined;
    const hasNone = found === undefined && !hasToken;
    if (hasNone && (anonymous || PUBLIC_PATHS.has(request.url.split('?', 1)[0] ?? ''))) {
      return await handler(identified(request, userNamed(ANONYMOUS)));
    }
    return failureResponse(unauthorized(), request);
  };
}

function identified(request: ApiRequest, identity: UserInfo): ApiRequest {
  request.identified?.(identity.username);
  const { method, url, headers, headerLines, body, signal, abort } = request;
  const { clientCertificate, identified: report, annotate } = request;
  // Without a spread, which takes longer than all else here. The type asks for each field.
  const all: { readonly [name in keyof Required<ApiRequest>]: ApiRequest[name] } = {
    method,
    url,
    headers,
    headerLines,
    body,
    signal,
    abort,
    clientCertificate,
    identified: report,
    annotate,
    user: identity.username,
    identity,
  };
  return all;
}
