import type { ApiError } from '../../meta/failure/api-error.ts';
import { failure } from '../../meta/failure/api-error.ts';
import { badRequest, isApiError, notFound } from '../../meta/failure/failures.ts';
import { groupResource } from '../../meta/resource.ts';
import type {
  InstalledResource,
  ResourceRegistry,
  RestStorage,
} from '../registry/contract/rest-storage.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { BUILT_IN_GROUPS } from '../http/built-in-groups.ts';
import { queryFlag } from '../http/query-options.ts';
import { methodNotAllowed, PageNotFound, unknownPathIn } from '../http/request-failures.ts';
import { parseRequestInfo, type RequestInfo } from '../http/request-info.ts';

/** The target of a request to a resource. */
export interface ResourceRoute {
  readonly info: RequestInfo;
  /** It has the method of the verb. */
  readonly storage: RestStorage;
}

/**
 * Finds the storage of a request. An unknown path is reported before a method that does not fit, and both before anything else
 * about the request. Custom resources have no routes of their own in kube-apiserver, so their answers differ.
 * @throws {ApiError} 400, 404, 405.
 */
export function routeOf(
  registry: ResourceRegistry,
  { method }: ApiRequest,
  segments: readonly string[],
  query: URLSearchParams,
): ResourceRoute {
  const watch = queryFlag(query, 'watch') ?? false;
  const info = infoOf(registry, method, segments, watch);
  const storage = storageOf(registry, info);
  if (storage.connect === undefined && storage[methodOf(info)] === undefined) {
    if (info.verb !== 'watch' || storage.list === undefined) throw refusedVerb(info, info.verb);
    // The old path is a route of its own; by the parameter it is a list, which the handler refuses to watch.
    if (segments[info.group === '' ? 2 : 3] === 'watch') throw unknownPathIn(info.group);
  }
  return { info, storage };
}

function infoOf(
  registry: ResourceRegistry,
  method: string,
  segments: readonly string[],
  watch: boolean,
): RequestInfo {
  try {
    return parseRequestInfo(method, segments, watch);
  } catch (error) {
    if (!isApiError(error) || error.code !== 'METHOD_NOT_ALLOWED') throw error;
    const read = parseRequestInfo('GET', segments, watch);
    const { describe, connect } = storageOf(registry, read);
    // A proxy passes these on too.
    const isPassed = connect?.takesPath === true && (method === 'HEAD' || method === 'OPTIONS');
    if (isPassed && read.subresource !== undefined) return read;
    if (!isCustom(read)) throw error;
    if (method === 'HEAD') return read;
    // Only reads of a collection go without a namespace.
    if (describe.namespaced && read.namespace === '') throw new PageNotFound();
    throw method === 'PUT' || method === 'PATCH'
      ? badRequest('name must be provided')
      : refusedVerb(read, method === 'POST' ? 'create' : '');
  }
}

function storageOf(registry: ResourceRegistry, info: RequestInfo): RestStorage {
  const { group, version, resource, namespace, name, subresource, verb, path } = info;
  const installed = registry.lookup(group, version, resource);
  if (installed === undefined) throw unknownPathIn(group);
  const { main } = installed;
  const { namespaced } = main.describe;
  const everywhere = namespaced && namespace === '';
  const isCollection = name === undefined && main.list !== undefined;
  if ((everywhere && !isCollection) || (!namespaced && namespace !== ''))
    throw unknownPathIn(group);
  if (name !== undefined && subresource === undefined && !hasObjects(installed)) {
    throw unknownPathIn(group);
  }
  // Objects are created in one namespace, and one request deletes objects of one namespace at most.
  if (everywhere && (verb === 'create' || verb === 'deletecollection')) {
    throw isCustom(info) ? new PageNotFound() : methodNotAllowed();
  }
  if (subresource === undefined) return main;
  const storage = installed.subresources.get(subresource);
  if (storage === undefined || (path !== '' && storage.connect === undefined)) {
    throw isCustom(info) ? notFound(main.describe, name ?? '') : unknownPathIn(group);
  }
  return storage;
}

/** Whether there are paths of single objects; a built-in resource that can only be created has none. */
function hasObjects({ main }: InstalledResource): boolean {
  return isCustom(main.describe) || OF_ONE_OBJECT.some((method) => main[method] !== undefined);
}

const OF_ONE_OBJECT = ['get', 'update', 'watch', 'delete'] as const;

function isCustom({ group }: { readonly group: string }): boolean {
  return !BUILT_IN_GROUPS.has(group);
}

/** The method of a storage that serves a verb. */
function methodOf({ verb, name }: RequestInfo): keyof RestStorage {
  if (verb === 'create') return name === undefined ? 'create' : 'createNamed';
  if (verb === 'deletecollection') return 'deleteCollection';
  return verb === 'patch' ? 'update' : verb;
}

/** @param verb Empty for a method that is no verb. */
function refusedVerb({ group, resource }: RequestInfo, verb: string): ApiError {
  if (!isCustom({ group })) return methodNotAllowed();
  const kind = JSON.stringify(groupResource({ group, resource }));
  return failure('MethodNotAllowed', `${verb} is not supported on resources of kind ${kind}`, {
    details: { group, kind: resource },
  });
}
