import { badRequest } from '../../meta/failure/failures.ts';
import type { ApiError } from '../../meta/failure/api-error.ts';
import {
  MalformedRequest,
  methodNotAllowed,
  PageNotFound,
  unknownPath,
  unknownPathIn,
} from './request-failures.ts';

export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection';

/** The resource and verb of a request under `/api` or `/apis`. */
export interface RequestInfo {
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for cluster-scoped resources and for lists over all namespaces. */
  readonly namespace: string;
  /** Undefined for a collection. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** The path after the subresource, with its first slash, for requests that are passed on; otherwise empty. */
  readonly path: string;
}

/** Path segments after `/api/v1/namespaces/NAME/` that are subresources of the namespace, not resources in it. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

/**
 * The segments of a decoded path. Slashes at its end are ignored. The namespace may be empty, as it is in the paths that some
 * clients make for all namespaces.
 * @throws {ApiError} 404 for an empty segment and for dots before the last one, 400 for an escape that is none and for a segment
 * that must not be part of a storage key.
 */
export function pathSegments(pathname: string): string[] {
  const path = pathname.includes('%') ? percentDecoded(pathname) : pathname;
  const segments = path.slice(1).split('/');
  if (segments[0] === 'apis' && segments[1] === '' && segments.length > 2) throw new PageNotFound();
  while (segments.length > 1 && segments.at(-1) === '') segments.pop();
  if (segments.length === 1 && segments[0] === '' && path.length < 2) return [];
  if (!SUSPECT.test(path)) return segments;
  for (const [index, segment] of segments.entries()) {
    if (segment === '' && segments[index - 1] !== 'namespaces') throw unservedPath(segments);
    // The last one may be a name, which the storage refuses in words of its own.
    if (DOTS.test(segment) && index < segments.length - 1) throw unservedPath(segments);
    if (FORBIDDEN.test(segment) && (index < segments.length - 1 || segment.includes('\0'))) {
      throw forbiddenSegment(segment);
    }
  }
  if (DOTS.test(segments.at(-1) ?? '') && !isOfResource(segments)) throw unservedPath(segments);
  return segments;
}

const DOTS = /^\.\.?$/;
const FORBIDDEN = /[%\0]/;

/** Whether the path is below a version of a group. */
function isOfResource({ 0: root, length }: readonly string[]): boolean {
  return (root === 'api' && length > 2) || (root === 'apis' && length > 3);
}

/** Whether a path may have an empty segment, `.`, `..` or a character that no segment may have. */
const SUSPECT = /\/\.{0,2}(?:\/|$)|[%\0]/;

/** A path with an empty segment, or with one of dots before its end. */
function unservedPath([root, group = '']: readonly string[]): ApiError {
  if (root === 'api') return unknownPath();
  return root === 'apis' && group !== '' ? unknownPathIn(group) : new PageNotFound();
}

function forbiddenSegment(segment: string): ApiError {
  return badRequest(
    `the path segment ${JSON.stringify(segment)} is not allowed: it may not be "." or "..", nor contain "%"`,
  );
}

function percentDecoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (MALFORMED_ESCAPE.test(path)) throw new MalformedRequest();
    throw badRequest(`the path ${JSON.stringify(path)} is not valid percent-encoding`, error);
  }
}

const MALFORMED_ESCAPE = /%(?![\da-f]{2})/i;

/**
 * Reads method, path and the `watch` parameter of a request to a resource.
 * @param segments the result of `pathSegments`, with group and version, e.g. `api v1 namespaces shop pods`
 * @throws {ApiError} 404 when the path has no such form, 405 for a method without a verb there.
 * @see apiserver pkg/endpoints/request/requestinfo.go NewRequestInfo @ 24a394e
 */
export function parseRequestInfo(
  method: string,
  segments: readonly string[],
  watchAsked: boolean,
): RequestInfo {
  const core = segments[0] === 'api';
  const group = core ? '' : (segments[1] ?? '');
  const version = segments[core ? 1 : 2] ?? '';
  let rest = segments.slice(core ? 2 : 3);
  // The older path form of a watch, from before the parameter.
  const watchPath = rest[0] === 'watch' && rest.length > 1;
  if (watchPath) rest = rest.slice(1);

  let namespace = '';
  const inNamespace =
    rest[0] === 'namespaces' && rest.length > 2 && !NAMESPACE_SUBRESOURCES.has(rest[2] as string);
  if (inNamespace) {
    namespace = rest[1] as string;
    rest = rest.slice(2);
  }
  const [resource, name, subresource, ...beyond] = rest;
  if (resource === undefined) throw unknownPathIn(group);
  const verb = watchPath ? watchVerb(method) : verbOf(method, name !== undefined, watchAsked);
  if (verb === 'create' && name !== undefined && subresource === undefined) {
    throw methodNotAllowed();
  }
  const odd = beyond.find((one) => DOTS.test(one) || FORBIDDEN.test(one));
  if (odd !== undefined) throw forbiddenSegment(odd);
  const path = beyond.map((one) => `/${one}`).join('');
  return { verb, group, version, resource, namespace, name, subresource, path };
}

function watchVerb(method: string): Verb {
  if (method !== 'GET') throw methodNotAllowed();
  return 'watch';
}

function verbOf(method: string, named: boolean, watchAsked: boolean): Verb {
  switch (method) {
    case 'GET':
      if (named) return 'get';
      return watchAsked ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      if (named) return 'update';
      break;
    case 'PATCH':
      if (named) return 'patch';
      break;
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
    default:
  }
  throw methodNotAllowed();
}
