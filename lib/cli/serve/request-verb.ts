import { parseRequestInfo, pathSegments } from '../../server/http/request-info.ts';
import { queryFlag } from '../../server/http/query-options.ts';

/** The verb as in RBAC: `list`, `watch`, `create` and so on; the method in lower case where the path is not of a resource. */
export function requestVerb(method: string, url: string): string {
  const mark = url.indexOf('?');
  try {
    const segments = pathSegments(mark < 0 ? url : url.slice(0, mark));
    const isResource = segments.length > (segments[0] === 'api' ? 2 : 3);
    if (isResource && (segments[0] === 'api' || segments[0] === 'apis')) {
      const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
      return parseRequestInfo(method, segments, queryFlag(query, 'watch') ?? false).verb;
    }
  } catch {
    // The server refuses such a path or method too; the method says most about it.
  }
  return method.toLowerCase();
}
