import { createHash } from 'node:crypto';
import type { GroupVersionKind } from '../../meta/resource.ts';
import type {
  InstalledResource,
  ResourceDescription,
  ResourceRegistry,
  RestStorage,
} from '../registry/contract/rest-storage.ts';
import type { ApiRequest, ApiResponse } from './http/api-request.ts';
import { BUILT_IN_GROUPS } from './http/built-in-groups.ts';
import { bytesResponse, encodeText } from './http/api-response.ts';
import { documentResponse } from './http/document-response.ts';
import { AS_IT_IS, chooseMedia, JSON_TYPE, type Endpoint } from './http/media-type.ts';
import { unknownPathIn } from './http/request-failures.ts';
import { servedGroups, verbsOf, type ServedGroup, type ServedVersion } from './served-resources.ts';

const DISCOVERY_GROUP = 'apidiscovery.k8s.io';
const AGGREGATED_VERSIONS = ['v2', 'v2beta1'];
const AGGREGATED = 'APIGroupDiscoveryList';

/** A discovery document and its ETag. */
interface Document {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly etag: string;
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
  readonly #aggregated = new Map<string, Document>();

  constructor(registry: ResourceRegistry) {
    this.#registry = registry;
  }

  /**
   * Responds to `/api`, `/apis`, `/apis/GROUP`, `/api/v1` or `/apis/GROUP/VERSION`.
   * @throws {ApiError} 404 for a group or version that is not served, 406.
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
    const version = aggregatedVersion(request);
    const groups = this.#groups.filter(({ group }) => (group === '') === core);
    if (version === undefined) {
      const document = core ? apiVersions(groups, request) : apiGroupList(groups);
      return documentResponse(request, 200, document, { vary: 'Accept' });
    }
    const key = `${core ? 'api' : 'apis'} ${version}`;
    const document = this.#aggregated.get(key) ?? aggregatedDocument(groups, version);
    this.#aggregated.set(key, document);
    return conditionalResponse(request, document);
  }

  #groupAnswer(request: ApiRequest, name: string): ApiResponse {
    const group = this.#groups.find((one) => one.group === name && name !== '');
    if (group === undefined) throw unknownPathIn(name);
    const document = { kind: 'APIGroup', apiVersion: 'v1', ...legacyGroup(group) };
    return documentResponse(request, 200, document);
  }

  #resourceList(request: ApiRequest, group: string, version: string): ApiResponse {
    const served = this.#groups
      .find((one) => one.group === group)
      ?.versions.find((one) => one.version === version);
    if (served === undefined) throw unknownPathIn(group);
    return documentResponse(request, 200, apiResourceList(served));
  }
}

/** Aggregated documents are there as JSON only. */
const AGGREGATED_DOCUMENTS: Endpoint = {
  allows: (mediaType, shape) => {
    if (shape === undefined) return AS_IT_IS.allows(mediaType, shape);
    const known = shape.kind === AGGREGATED && shape.group === DISCOVERY_GROUP;
    return known && mediaType === JSON_TYPE && AGGREGATED_VERSIONS.includes(shape.version);
  },
};

/** The version of the aggregated document that is accepted before a legacy one; undefined otherwise. */
function aggregatedVersion({ headers }: ApiRequest): string | undefined {
  return chooseMedia(headers['accept'], AGGREGATED_DOCUMENTS)?.shape?.version;
}

/** The document, or 304 if the client has it already. */
function conditionalResponse(
  { headers }: ApiRequest,
  { contentType, bytes, etag }: Document,
): ApiResponse {
  const known = (headers['if-none-match'] ?? '').split(',').some((one) => one.trim() === etag);
  const extra = { etag, vary: 'Accept' };
  return known
    ? { status: 304, headers: extra, body: new Uint8Array() }
    : bytesResponse(200, contentType, bytes, extra);
}

function aggregatedDocument(groups: readonly ServedGroup[], version: string): Document {
  const document = {
    kind: AGGREGATED,
    apiVersion: `${DISCOVERY_GROUP}/${version}`,
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
  const bytes = encodeText(JSON.stringify(document));
  const digest = createHash('sha256').update(bytes).digest('hex').toUpperCase();
  return {
    contentType: `application/json;g=${DISCOVERY_GROUP};v=${version};as=${AGGREGATED}`,
    bytes,
    etag: `"${digest}"`,
  };
}

function aggregatedResource({ main, subresources }: InstalledResource): object {
  const { resource, namespaced, singular, shortNames, categories } = main.describe;
  return {
    resource,
    responseKind: responseKind(main, main),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbsOf(main),
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

function apiVersions(groups: readonly ServedGroup[], { headers }: ApiRequest): object {
  return {
    kind: 'APIVersions',
    versions: groups.flatMap(({ versions }) => versions.map(({ version }) => version)),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: headers['host'] ?? '' }],
  };
}

function apiGroupList(groups: readonly ServedGroup[]): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(legacyGroup) };
}

function legacyGroup({ group, versions }: ServedGroup): object {
  const listed = versions.map(({ apiVersion, version }) => ({ groupVersion: apiVersion, version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
}

function apiResourceList({ apiVersion, resources }: ServedVersion): object {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersion,
    resources: resources.flatMap(({ main, subresources }) => [
      legacyResource(main, main),
      ...inDiscoveryOrder(main, subresources).map(([name, storage]) =>
        legacyResource(storage, main, name),
      ),
    ]),
  };
}

function legacyResource(storage: RestStorage, main: RestStorage, subresource?: string): object {
  const { describe } = storage;
  const { group, version, kind } = describe;
  const { resource, namespaced, singular } = main.describe;
  const shortNames = subresource === undefined ? describe.shortNames : [];
  const categories = subresource === undefined ? describe.categories : [];
  return {
    name: subresource === undefined ? resource : `${resource}/${subresource}`,
    singularName: subresource === undefined ? singular : '',
    namespaced,
    ...(isForeign(describe, main.describe) ? { group, version } : {}),
    kind,
    verbs: verbsOf(storage),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}
