import { createHash } from 'node:crypto';
import { apiVersionOf, type GroupVersionKind, type GroupVersion } from '../../../meta/resource.ts';
import type {
  ResourceRegistry,
  InstalledResource,
  RestStorage,
  ResourceDescription,
} from '../../registry/contract/rest-storage.ts';
import type { ApiRequest, ApiResponse } from '../../http/api-request.ts';
import { bytesResponse } from '../../http/responses/api-response.ts';
import { documentResponse, encodeDocument } from '../../http/responses/document-response.ts';
import {
  chooseMedia,
  JSON_TYPE,
  type Accepted,
  type Endpoint,
} from '../../http/media/media-type.ts';
import { checkRoute } from '../../http/negotiation.ts';
import { methodNotAllowed, unknownPathIn } from '../../http/request-failures.ts';
import { BUILT_IN_GROUPS } from '../../http/built-in-groups.ts';
import { compareLegacyGroups, compareGroups, compareVersions } from './group-order.ts';

/** The resources of one group and version. */
interface ServedVersion extends GroupVersion {
  /** `v1` or `apps/v1`. */
  readonly apiVersion: string;
  readonly resources: readonly InstalledResource[];
}

/** One API group; its preferred version comes first. */
interface ServedGroup {
  /** Empty for the core group. */
  readonly group: string;
  readonly versions: readonly ServedVersion[];
}

/** The registry's resources in the order of discovery: by group, then by version, then by name. */
export function servedGroups(registry: ResourceRegistry): ServedGroup[] {
  const groups = new Map<string, Map<string, InstalledResource[]>>();
  for (const installed of registry.all()) {
    const { group, version } = installed.main.describe;
    const versions = groups.get(group) ?? new Map<string, InstalledResource[]>();
    groups.set(group, versions);
    const resources = versions.get(version) ?? [];
    versions.set(version, resources);
    resources.push(installed);
  }
  return [...groups]
    .map(([group, versions]) => ({
      group,
      versions: [...versions]
        .map(([version, resources]) => ({
          group,
          version,
          apiVersion: apiVersionOf({ group, version }),
          resources: resources.toSorted(compareNames),
        }))
        .toSorted(compareVersions),
    }))
    .toSorted(compareGroups);
}

function compareNames(
  { main: left }: InstalledResource,
  { main: right }: InstalledResource,
): number {
  return left.describe.resource < right.describe.resource ? -1 : 1;
}

/** The method of a storage for each verb; a patch is an update. */
const METHOD_OF_VERB = {
  create: 'create',
  delete: 'delete',
  deletecollection: 'deleteCollection',
  get: 'get',
  list: 'list',
  patch: 'update',
  update: 'update',
  watch: 'watch',
} as const;

/** The verbs of a storage, as discovery names them. */
function verbsOf(storage: RestStorage): readonly string[] {
  if (storage.connect !== undefined) return storage.connect.verbs.toSorted();
  return Object.entries(METHOD_OF_VERB)
    .filter(([verb]) => verb !== 'patch' || storage.patchable !== false)
    .filter(([, method]) => {
      return (
        storage[method] !== undefined || (method === 'create' && storage.createNamed !== undefined)
      );
    })
    .map(([verb]) => verb);
}

/** The verbs of a resource itself. Custom resources list them in an order of their own, and fewer while they are deleted. */
function mainVerbs({ main }: InstalledResource): readonly string[] {
  return main.describe.verbs ?? verbsOf(main);
}

/** Whether a subresource is of a kind of another group or version, such as `scale`. */
function isForeign(one: ResourceDescription, main: ResourceDescription): boolean {
  return one.group !== main.group || one.version !== main.version;
}

/** The subresources of built-in resources are in the order of their names; custom resources have `status` before `scale`. */
function inDiscoveryOrder(
  { describe }: RestStorage,
  subresources: InstalledResource['subresources'],
): [string, RestStorage][] {
  const entries = [...subresources];
  if (!BUILT_IN_GROUPS.has(describe.group)) return entries;
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
}

/** The document at `/api`. @param address Where clients reach the server: host and port. */
function apiVersions(groups: readonly ServedGroup[], address: string): object {
  return {
    kind: 'APIVersions',
    versions: groups.flatMap(({ versions }) => versions.map(({ version }) => version)),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

/** The document at `/apis`. */
function apiGroupList(groups: readonly ServedGroup[]): object {
  const sorted = groups.toSorted(compareLegacyGroups);
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: sorted.map(legacyGroup) };
}

/** The document at `/apis/GROUP`. */
function apiGroup(group: ServedGroup): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...legacyGroup(group) };
}

function legacyGroup({ group, versions }: ServedGroup): object {
  const listed = versions.map(({ apiVersion, version }) => ({ groupVersion: apiVersion, version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
}

/** The document at `/api/VERSION` or `/apis/GROUP/VERSION`. */
function apiResourceList({ group, apiVersion, resources }: ServedVersion): object {
  return {
    kind: 'APIResourceList',
    // kube-apiserver leaves it out for the core group.
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersion,
    resources: resources.flatMap((installed) => [
      mainResource(installed),
      ...inDiscoveryOrder(installed.main, installed.subresources).map(([name, storage]) =>
        legacySubresource(name, storage, installed.main),
      ),
    ]),
  };
}

function mainResource(installed: InstalledResource): object {
  const { describe } = installed.main;
  const { resource, namespaced, singular, kind, shortNames, categories } = describe;
  const { storageVersionHash } = describe;
  return {
    name: resource,
    singularName: singular,
    namespaced,
    kind,
    verbs: mainVerbs(installed),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
}

function legacySubresource(name: string, storage: RestStorage, main: RestStorage): object {
  const { group, version, kind } = storage.describe;
  const { resource, namespaced } = main.describe;
  return {
    name: `${resource}/${name}`,
    singularName: '',
    namespaced,
    ...(isForeign(storage.describe, main.describe) ? { group, version } : {}),
    kind,
    verbs: verbsOf(storage),
  };
}

/** Whether the documents of a group are those of custom resources, which are served with every method. */
function isCustomGroup({ group }: Pick<ServedGroup, 'group'>): boolean {
  return !BUILT_IN_GROUPS.has(group);
}

/** The group, version and kind of the aggregated document. */
const AGGREGATED: GroupVersionKind = {
  group: 'apidiscovery.k8s.io',
  version: 'v2',
  kind: 'APIGroupDiscoveryList',
};

/** All groups with all of their resources in one document. */
function aggregatedDocument(groups: readonly ServedGroup[]): object {
  return {
    kind: AGGREGATED.kind,
    apiVersion: `${AGGREGATED.group}/${AGGREGATED.version}`,
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map((served) => ({
        version: served.version,
        resources: served.resources.map(aggregatedResource),
        freshness: 'Current',
      })),
    })),
  };
}

function aggregatedResource(installed: InstalledResource): object {
  const { main, subresources } = installed;
  const { resource, namespaced, singular, shortNames, categories } = main.describe;
  return {
    resource,
    responseKind: responseKind(main, main),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: mainVerbs(installed),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.size === 0
      ? {}
      : {
          subresources: inDiscoveryOrder(main, subresources).map(([subresource, storage]) => ({
            subresource,
            responseKind: responseKind(storage, main),
            verbs: verbsOf(storage),
          })),
        }),
  };
}

/** Built-in resources leave group and version empty where they are those of the resource itself. */
function responseKind({ describe }: RestStorage, main: RestStorage): GroupVersionKind {
  const { group, version, kind } = describe;
  const implied = BUILT_IN_GROUPS.has(group) && !isForeign(describe, main.describe);
  return implied ? { group: '', version: '', kind } : { group, version, kind };
}

/** An aggregated document and its ETag, which is the same in every format. */
interface Aggregated {
  readonly document: object;
  readonly etag: string;
  /** By media type, each made when it is asked for. */
  readonly bytes: Map<string, Uint8Array>;
}

/**
 * Serves the discovery documents in both formats: one aggregated document for `/api` and one for `/apis`, or one legacy document
 * for each group and version.
 *
 * A document is made at its first request, and again after the registry has changed.
 */
export class DiscoveryDocuments {
  readonly #registry: ResourceRegistry;
  #generation: number | undefined;
  #groups: readonly ServedGroup[] = [];
  readonly #aggregated = new Map<string, Aggregated>();

  constructor(registry: ResourceRegistry) {
    this.#registry = registry;
  }

  /**
   * Responds to `/api`, `/apis`, `/apis/GROUP`, `/api/v1` or `/apis/GROUP/VERSION`. Those that kube-apiserver does not route by
   * method, it serves for every method: the list of groups, groups, and all documents of custom resources.
   * @throws {ApiError} 404 for a group or version that is not served, 405, 406.
   */
  answer(request: ApiRequest, segments: readonly string[]): ApiResponse {
    this.#refresh();
    const [root, group = '', version = ''] = segments;
    if (segments.length === 1) return this.#rootAnswer(request, root === 'api');
    if (root === 'api') return this.#resourceList(request, '', group);
    return version === ''
      ? this.#groupAnswer(request, group)
      : this.#resourceList(request, group, version);
  }

  #refresh(): void {
    const { generation } = this.#registry;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#groups = servedGroups(this.#registry);
    this.#aggregated.clear();
  }

  #rootAnswer(request: ApiRequest, core: boolean): ApiResponse {
    if (core) onlyGet(request);
    const groups = this.#groups.filter(({ group }) => (group === '') === core);
    // With a slash at the end, the groups are only listed.
    const hasForms = !request.url.startsWith('/apis/');
    const accepted = hasForms ? chooseMedia(request.headers['accept'], AGGREGATED_FORM) : undefined;
    if (accepted?.shape === undefined) {
      if (!core) return documentResponse(request, 200, apiGroupList(groups));
      checkRoute(request, 'get', []);
      return documentResponse(request, 200, apiVersions(groups, request.headers['host'] ?? ''));
    }
    const key = core ? 'api' : 'apis';
    const aggregated = this.#aggregated.get(key) ?? newAggregated(aggregatedDocument(groups));
    this.#aggregated.set(key, aggregated);
    return aggregatedResponse(request, accepted, aggregated);
  }

  #groupAnswer(request: ApiRequest, name: string): ApiResponse {
    const group = this.#groups.find((one) => one.group === name && name !== '');
    if (group === undefined) throw unknownPathIn(name);
    return documentResponse(request, 200, apiGroup(group));
  }

  #resourceList(request: ApiRequest, group: string, version: string): ApiResponse {
    const served = this.#groups
      .find((one) => one.group === group)
      ?.versions.find((one) => one.version === version);
    if (served === undefined) throw unknownPathIn(group);
    if (!isCustomGroup(served)) {
      onlyGet(request);
      checkRoute(request, 'get', []);
    }
    return documentResponse(request, 200, apiResourceList(served));
  }
}

/** @throws {ApiError} 405, also for HEAD. */
function onlyGet({ method }: ApiRequest): void {
  if (method !== 'GET') throw methodNotAllowed();
}

/** The aggregated document is sent if any alternative that the client accepts is it; its place among the others does not count. */
const AGGREGATED_FORM: Endpoint = {
  allows: (_mediaType, shape) => shape !== undefined && isAggregated(shape),
};

function isAggregated({ group, version, kind }: GroupVersionKind): boolean {
  return group === AGGREGATED.group && version === AGGREGATED.version && kind === AGGREGATED.kind;
}

/** The document, or 304 if the client has it already. */
function aggregatedResponse(
  { headers }: ApiRequest,
  { mediaType, pretty }: Accepted,
  { document, etag, bytes }: Aggregated,
): ApiResponse {
  const extra = { etag, vary: 'Accept', 'cache-control': 'public' };
  if (headers['if-none-match']?.trim() === etag) {
    return { status: 304, headers: extra, body: new Uint8Array() };
  }
  const form = `${mediaType}${pretty ? ' pretty' : ''}`;
  const body = bytes.get(form) ?? encodeDocument(document, mediaType, pretty);
  bytes.set(form, body);
  const { group, version, kind } = AGGREGATED;
  return bytesResponse(200, `${mediaType};g=${group};v=${version};as=${kind}`, body, extra);
}

function newAggregated(document: object): Aggregated {
  const bytes = encodeDocument(document, JSON_TYPE, false);
  const digest = createHash('sha512').update(bytes).digest('hex').toUpperCase();
  return { document, etag: `"${digest}"`, bytes: new Map([[JSON_TYPE, bytes]]) };
}
