import { parseFieldSelector } from '../../../meta/selectors/field-selector.ts';
import { parseLabelSelector } from '../../../meta/selectors/label-selector.ts';
import { parseQuery } from '../../http/parse-query.ts';
import { queryFlag, queryNumber } from '../../http/query-options.ts';
import type { AccessQuestion, Authorizer } from '../../registry/contract/access-parts.ts';
import { isPrivileged, type UserInfo } from '../../registry/contract/user-info.ts';
import { pathSegment } from '../../registry/rules/name-forms.ts';
import type { ApiRequest } from '../../http/api-request.ts';
import type { RequestContext } from '../../registry/contract/rest-storage.ts';
import { forbiddenAccess } from './forbidden-access.ts';

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

/** A method may be any word. */
const VERBS: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);
const SPECIAL_VERBS: ReadonlySet<string> = new Set(['proxy', 'watch']);
/** After `namespaces/NAME/`: they are subresources of the namespace. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

/**
 * The attributes that authorization checks. Every request has them, also one that no route serves.
 * @see apiserver pkg/endpoints/request/requestinfo.go NewRequestInfo @ v0.36.3
 */
export function questionOf(user: UserInfo, method: string, url: string): AccessQuestion {
  const mark = url.indexOf('?');
  const path = decoded(mark < 0 ? url : url.slice(0, mark));
  const [root = '', ...all] = withoutOuterSlashes(path).split('/');
  const groups = root === 'apis' ? 1 : 0;
  const isResource = (root === 'api' || root === 'apis') && all.length >= 2 + groups;
  const question = {
    user,
    verb: method.toLowerCase(),
    isResource,
    path,
    group: '',
    version: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
  };
  if (!isResource) return question;
  if (groups === 1) question.group = all[0] ?? '';
  question.version = all[groups] ?? '';
  let parts = all.slice(groups + 1);
  const special = SPECIAL_VERBS.has(parts[0] ?? '') && parts.length > 1;
  question.verb = special ? (parts[0] ?? '') : (VERBS.get(method) ?? '');
  if (special) parts = parts.slice(1);
  if (parts[0] === 'namespaces' && parts.length > 1) {
    question.namespace = parts[1] ?? '';
    if (parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] ?? '')) parts = parts.slice(2);
  }
  const [resource = '', name = '', subresource = ''] = parts;
  Object.assign(question, { resource, name });
  if (question.verb !== 'proxy') question.subresource = subresource;
  if (name === '') readQuery(question, mark < 0 ? '' : url.slice(mark + 1));
  return question;
}

/** Requests of a collection: the verb, and the one name that a selector allows. */
function readQuery(question: { verb: string; name: string }, text: string): void {
  if (question.verb === 'delete') question.verb = 'deletecollection';
  if (question.verb !== 'get') return;
  const query = parseQuery(text);
  question.verb = (queryFlag(query, 'watch') ?? false) ? 'watch' : 'list';
  if (query.has('fieldSelector')) question.name = selectedName(query);
}

/** Empty when any option of the request cannot be read: then the list refuses it, and nothing is known of what it asks for. */
function selectedName(query: URLSearchParams): string {
  try {
    queryNumber(query, 'limit');
    queryNumber(query, 'timeoutSeconds');
    parseLabelSelector(query.get('labelSelector') ?? '');
    const selector = query.get('fieldSelector') ?? '';
    const name = parseFieldSelector(selector).requiredValue('metadata.name') ?? '';
    return pathSegment(name).length > 0 ? '' : name;
  } catch {
    return '';
  }
}

/** As it is, if it is not percent-encoding: then the request is refused after this. */
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function withoutOuterSlashes(path: string): string {
  let [start, end] = [0, path.length];
  while (path[start] === '/') start += 1;
  while (end > start && path[end - 1] === '/') end -= 1;
  return path.slice(start, end);
}
