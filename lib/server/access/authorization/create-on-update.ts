import type { ApiRequest } from '../../api/http/api-request.ts';
import type { Authorizer } from '../../registry/contract/access-parts.ts';
import { isPrivileged, type UserInfo } from '../../registry/contract/user-info.ts';
import { forbiddenAccess } from './forbidden-access.ts';
import { questionOf } from './request-question.ts';

/**
 * What to call before an update or patch creates a missing object: it throws 403 if the user may not create it. Undefined: nothing
 * needs to be checked.
 * @see apiserver pkg/endpoints/handlers/update.go withAuthorization @ v0.36.3
 */
export function createOnUpdate(
  authorizer: Authorizer | undefined,
  user: UserInfo,
  { method, url }: ApiRequest,
): (() => Promise<void>) | undefined {
  if (authorizer === undefined || isPrivileged(user)) return undefined;
  if (method !== 'PUT' && method !== 'PATCH') return undefined;
  return async () => {
    const question = { ...questionOf(user, method, url), verb: 'create' };
    const { allowed, reason } = await authorizer.authorize(question);
    if (!allowed) throw forbiddenAccess(question, reason);
  };
}
