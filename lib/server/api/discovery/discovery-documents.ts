import { createHash } from 'node:crypto';
import type { GroupVersionKind } from '../../../meta/resource.ts';
import type { ResourceRegistry } from '../../registry/contract/rest-storage.ts';
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
import { AGGREGATED, aggregatedDocument } from './aggregated-document.ts';
import {
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  isCustomGroup,
} from './legacy-documents.ts';
import { servedGroups, type ServedGroup } from './served-resources.ts';

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
    const accepted = chooseMedia(request.headers['accept'], AGGREGATED_FORM);
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
