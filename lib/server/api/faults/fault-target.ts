import type { ApiRequest } from '../../http/api-request.ts';
import { parseQuery } from '../../http/parse-query.ts';
import { queryFlag } from '../../http/query-options.ts';
import { parseRequestInfo, pathSegments, type RequestInfo } from '../../http/request-info.ts';
import type { FaultMatch } from './fault-rule.ts';

/** The user of a request without one: code in the same process. */
const IN_PROCESS_USER = 'system:admin';

/** The fields of a request that a rule can match. */
export interface FaultTarget {
  readonly path: string;
  readonly user: string;
  /** Undefined for a request that is not of a resource. */
  readonly info: RequestInfo | undefined;
}

export function faultTarget({ url, method, user = IN_PROCESS_USER }: ApiRequest): FaultTarget {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  return { path, user, info: infoOf(method, path, mark < 0 ? '' : url.slice(mark + 1)) };
}

function infoOf(method: string, path: string, query: string): RequestInfo | undefined {
  try {
    const segments = pathSegments(path);
    const [root] = segments;
    const isResource = root === 'api' ? segments.length > 2 : segments.length > 3;
    if (!isResource || (root !== 'api' && root !== 'apis')) return undefined;
    const watch = queryFlag(parseQuery(query), 'watch') ?? false;
    return parseRequestInfo(method, segments, watch);
  } catch {
    // The server refuses this request itself.
    return undefined;
  }
}

export function matchesTarget(match: FaultMatch, { path, user, info }: FaultTarget): boolean {
  if (!isOneOf(match.user, user) || !matchesPath(match.path, path)) return false;
  const { verb, resource, group, namespace, name } = match;
  const aboutResource = [verb, resource, group, namespace, name].some((one) => one !== undefined);
  if (!aboutResource) return true;
  if (info === undefined) return false;
  const subresource = info.subresource === undefined ? '' : `/${info.subresource}`;
  return (
    isOneOf(verb, info.verb) &&
    isOneOf(resource, info.resource + subresource) &&
    isOneOf(group, info.group) &&
    isOneOf(namespace, info.namespace) &&
    isOneOf(name, info.name ?? '')
  );
}

function isOneOf(wanted: string | readonly string[] | undefined, value: string): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? wanted === value : wanted.includes(value);
}

function matchesPath(wanted: string | RegExp | undefined, path: string): boolean {
  if (wanted === undefined) return true;
  // `search` does not depend on the position that a global pattern keeps.
  return typeof wanted === 'string' ? wanted === path : path.search(wanted) >= 0;
}
