import { isApiError } from '../../meta/failure/failures.ts';
import type { ApiHandler, ApiRequest, ApiResponse } from '../http/api-request.ts';
import { withHeaders } from '../http/responses/api-response.ts';
import { failureResponse } from '../http/responses/document-response.ts';
import { toApiError } from '../http/request-failures.ts';
import type { Authorizer, AccessQuestion } from '../registry/contract/access-parts.ts';
import {
  IN_PROCESS_USER,
  isPrivileged,
  userNamed,
  type UserInfo,
} from '../registry/contract/user-info.ts';
import { wantedUserOf } from './authentication/impersonation-headers.ts';
import { forbiddenAccess } from './authorization/forbidden-access.ts';
import { Impersonator } from './authorization/impersonator.ts';
import { questionOf } from './authorization/request-question.ts';

/** The same authorizer, which reports each question before it answers. */
export function observed(
  authorizer: Authorizer,
  onAccess: ((question: AccessQuestion) => void) | undefined,
): Authorizer {
  if (onAccess === undefined) return authorizer;
  return {
    authorize: async (question) => {
      onAccess(question);
      return await authorizer.authorize(question);
    },
    rulesOf: async (user, namespace) => await authorizer.rulesOf(user, namespace),
  };
}

/** Health checks need no right. @see apiserver pkg/server/options/authorization.go AlwaysAllowPaths @ v0.36.3 */
const ALWAYS_ALLOWED: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);
const NOSNIFF = { 'x-content-type-options': 'nosniff' };

/**
 * The handler with impersonation and authorization: 403 for requests that their users may not send. Requests without a user come
 * from the same process and may do everything.
 */
export function withAccess(handler: ApiHandler, authorizer: Authorizer): ApiHandler {
  const impersonator = new Impersonator(authorizer);
  return async (request) => {
    let allowed: ApiRequest;
    try {
      allowed = await admitted(request, authorizer, impersonator);
    } catch (error) {
      return refusal(request, error);
    }
    return await handler(allowed);
  };
}

/** The request with the user that it is of. @throws {ApiError} 400, 403. */
async function admitted(
  request: ApiRequest,
  authorizer: Authorizer,
  impersonator: Impersonator,
): Promise<ApiRequest> {
  const { method, url } = request;
  let user = userOf(request);
  let effective = request;
  const wanted = wantedUserOf(request);
  if (wanted !== undefined) {
    user = await impersonator.impersonated(questionOf(user, method, url), wanted);
    effective = { ...request, user: user.username, identity: user };
  }
  if (isPrivileged(user)) return effective;
  const question = questionOf(user, method, url);
  if (ALWAYS_ALLOWED.has(question.path)) return effective;
  const { allowed, reason } = await authorizer.authorize(question);
  if (!allowed) throw forbiddenAccess(question, reason);
  return effective;
}

function userOf({ user, identity }: ApiRequest): UserInfo {
  return user === undefined ? IN_PROCESS_USER : (identity ?? userNamed(user));
}

function refusal(request: ApiRequest, error: unknown): ApiResponse {
  const response = failureResponse(toApiError(error), request);
  const isForbidden = isApiError(error) && error.code === 'FORBIDDEN';
  return isForbidden ? withHeaders(response, NOSNIFF) : response;
}
