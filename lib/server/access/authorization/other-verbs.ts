import type { ApiRequest } from '../../http/api-request.ts';
import type { Authorizer } from '../../registry/contract/access-parts.ts';
import type { RequestContext } from '../../registry/contract/rest-storage.ts';
import { isPrivileged, type UserInfo } from '../../registry/contract/user-info.ts';
import { forbiddenAccess } from './forbidden-access.ts';
import { questionOf } from './request-question.ts';

/**
 * The checks that storages make before they do more than the verb of the request. Undefined: no checks are needed.
 * @see apiserver pkg/endpoints/handlers/update.go withAuthorization @ v0.36.3
 */
export function otherVerbs(
  authorizer: Authorizer | undefined,
  user: UserInfo,
  { method, url }: ApiRequest,
): RequestContext['authorize'] {
  if (authorizer === undefined || isPrivileged(user)) return undefined;
  return async (verb, refuse) => {
    const own = questionOf(user, method, url);
    if (own.verb === verb) return;
    const question = { ...own, verb };
    const { allowed, reason = '' } = await authorizer.authorize(question);
    if (!allowed) throw refuse?.(reason) ?? forbiddenAccess(question, reason);
  };
}
