import type { KubernetesMinor } from '../../meta/releases/kubernetes-releases.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { ResourceRegistry } from '../registry/contract/rest-storage.ts';
import { DiscoveryDocuments, servedGroups } from './discovery/discovery-documents.ts';
import type { HealthEndpoints } from './health/health-endpoints.ts';
import type { ApiRequest, ApiResponse } from '../http/api-request.ts';
import {
  bytesResponse,
  encodeText,
  jsonResponse,
  textResponse,
} from '../http/responses/api-response.ts';
import { encodeDocument } from '../http/responses/document-response.ts';
import { JSON_TYPE } from '../http/media/media-type.ts';
import { checkAccept } from '../http/negotiation.ts';
import { methodNotAllowed, PageNotFound, unknownPath } from '../http/request-failures.ts';
import type { ServerMetrics } from './metrics/server-metrics.ts';
import { OpenApi } from './openapi/open-api.ts';
import { serverVersion } from './server-version.ts';

export interface RootPathsOptions {
  readonly registry: ResourceRegistry;
  readonly runtime: Pick<Runtime, 'wallMs'>;
  readonly health: HealthEndpoints;
  readonly metrics: ServerMetrics;
  /** Left out: the server signs no tokens. */
  readonly tokenIssuer: TokenIssuer | undefined;
}

/** The issuer of the tokens of service accounts. */
export interface TokenIssuer {
  /** Its name in tokens, a URL. */
  readonly issuer: string;
  /** The public keys as a JSON web key set. */
  keySet(): object;
}

const OPENID_CONFIGURATION = '/.well-known/openid-configuration';
const KEY_SET = '/openid/v1/jwks';
const KEY_SET_TYPE = 'application/jwk-set+json';
const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';
/** As in kube-apiserver. */
const PUBLIC = { 'cache-control': 'public, max-age=3600' };

/**
 * Answers the paths that are no resources: discovery, OpenAPI, health, version and the list of paths. Some of them accept every
 * method, as in kube-apiserver.
 */
export class RootPaths {
  readonly #registry: ResourceRegistry;
  readonly #health: HealthEndpoints;
  readonly #metrics: ServerMetrics;
  readonly #issuer: TokenIssuer | undefined;
  readonly #discovery: DiscoveryDocuments;
  readonly #openApi: OpenApi;

  constructor({ registry, runtime, health, metrics, tokenIssuer }: RootPathsOptions) {
    this.#metrics = metrics;
    this.#registry = registry;
    this.#health = health;
    this.#issuer = tokenIssuer;
    this.#discovery = new DiscoveryDocuments(registry);
    this.#openApi = new OpenApi(
      registry,
      runtime,
      tokenIssuer === undefined ? [OPENID_CONFIGURATION, KEY_SET] : [],
    );
  }

  /**
   * @param pathname the path as it was sent
   * @param segments its decoded segments
   * @throws {ApiError} 404, 405.
   */
  async answer(
    request: ApiRequest,
    pathname: string,
    segments: readonly string[],
    query: URLSearchParams,
  ): Promise<ApiResponse> {
    switch (segments[0]) {
      case undefined:
      case 'index.html':
        if (segments.length <= 1) return this.#index();
        break;
      case 'api':
      case 'apis':
        return this.#discovery.answer(request, segments);
      case 'openapi':
        return await this.#openApi.answer(request, pathname, query);
      case 'version':
        if (segments.length > 1) throw unknownPath();
        return versionResponse(request, this.#registry.minor);
      case 'metrics':
        if (pathname === '/metrics') return await this.#metricsResponse(request);
        break;
      case '.well-known':
      case 'openid':
        if (this.#issuer !== undefined) return openIdResponse(request, pathname, this.#issuer);
        break;
      case 'healthz':
      case 'livez':
      case 'readyz':
        return await this.#health.answer(pathname, query);
      default:
    }
    throw new PageNotFound();
  }

  /** DELETE starts them again from nothing. */
  async #metricsResponse({ method }: ApiRequest): Promise<ApiResponse> {
    if (method === 'DELETE') {
      this.#metrics.reset();
      return textResponse(200, 'metrics reset\n');
    }
    return bytesResponse(200, PROMETHEUS_TEXT, encodeText(await this.#metrics.text()));
  }

  /** Indented, whatever is accepted. */
  #index(): ApiResponse {
    const document = { paths: this.#paths() };
    return bytesResponse(200, JSON_TYPE, encodeDocument(document, JSON_TYPE, true));
  }

  #paths(): string[] {
    const groups = servedGroups(this.#registry).flatMap(({ group, versions }) => {
      const root = group === '' ? '/api' : `/apis/${group}`;
      return [root, ...versions.map(({ version }) => `${root}/${version}`)];
    });
    const others = [
      '/apis',
      '/apis/',
      '/metrics',
      '/openapi/v2',
      '/openapi/v3',
      '/openapi/v3/',
      '/version',
    ];
    const openId = this.#issuer === undefined ? [] : [OPENID_CONFIGURATION, KEY_SET];
    return [...new Set([...groups, ...others, ...openId, ...this.#health.paths()])].toSorted();
  }
}

/** @throws {ApiError} 404, 405, 406. */
function openIdResponse(request: ApiRequest, pathname: string, tokens: TokenIssuer): ApiResponse {
  if (pathname !== OPENID_CONFIGURATION && pathname !== KEY_SET) throw new PageNotFound();
  if (request.method !== 'GET') throw methodNotAllowed();
  checkAccept(request, [pathname === KEY_SET ? KEY_SET_TYPE : JSON_TYPE]);
  if (pathname === KEY_SET) {
    const keys = encodeText(JSON.stringify(tokens.keySet()));
    return bytesResponse(200, KEY_SET_TYPE, keys, PUBLIC);
  }
  return jsonResponse(
    200,
    {
      issuer: tokens.issuer,
      jwks_uri: `https://${request.headers['host'] ?? 'localhost'}${KEY_SET}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    },
    PUBLIC,
  );
}

/** Always indented JSON. @throws {ApiError} 405, 406. */
function versionResponse(request: ApiRequest, minor: KubernetesMinor): ApiResponse {
  if (request.method !== 'GET') throw methodNotAllowed();
  checkAccept(request, [JSON_TYPE]);
  return bytesResponse(200, JSON_TYPE, encodeDocument(serverVersion(minor), JSON_TYPE, true));
}
