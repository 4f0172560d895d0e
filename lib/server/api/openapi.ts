import { createHash } from 'node:crypto';
import { resourcePath } from '../../meta/resource.ts';
import type {
  InstalledResource,
  ResourceDescription,
  ResourceRegistry,
  RestStorage,
} from '../registry/contract/rest-storage.ts';
import type { ApiRequest, ApiResponse } from './http/api-request.ts';
import { bytesResponse, encodeText, jsonResponse } from './http/api-response.ts';
import { acceptsJson } from './http/media-type.ts';
import { patchTypes } from './verbs/serve-patch.ts';
import { notAcceptable, PageNotFound } from './http/request-failures.ts';
import { servedGroups, type ServedVersion } from './discovery/served-resources.ts';
import { IGNORE_READ_ERROR } from './verbs/serve-delete.ts';

interface Document {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

/**
 * Describes the API in OpenAPI 3, with one document for each group and version, and in OpenAPI 2.
 *
 * The schemas contain what the server enforces: the type fields and metadata of each kind; all other fields are allowed. The
 * operations list their parameters, from which kubectl knows that the server validates fields itself.
 *
 * A document is made at its first request, and again after the registry has changed.
 */
export class OpenApi {
  readonly #registry: ResourceRegistry;
  readonly #version: string;
  #generation: number | undefined;
  #versions: readonly ServedVersion[] = [];
  readonly #documents = new Map<string, Document>();

  constructor(registry: ResourceRegistry, version: string) {
    this.#registry = registry;
    this.#version = version;
  }

  /**
   * Responds to `/openapi/v2`, `/openapi/v3` and the documents under it.
   * @throws {ApiError} 404; 406 when JSON is not accepted.
   */
  answer(request: ApiRequest, segments: readonly string[], query: URLSearchParams): ApiResponse {
    this.#refresh();
    const [, version, ...rest] = segments;
    const { accept } = request.headers;
    if (!acceptsJson(accept)) throw notAcceptable(['application/json']);
    if (version === 'v2' && rest.length === 0) {
      return documentResponse(
        this.#document('v2', () => this.#swagger()),
        query,
      );
    }
    if (version !== 'v3') throw new PageNotFound();
    if (rest.length === 0) return jsonResponse(200, this.#index());
    const served = this.#versions.find((one) => pathOf(one) === rest.join('/'));
    if (served === undefined) throw new PageNotFound();
    return documentResponse(this.#versionDocument(served), query);
  }

  #refresh(): void {
    const { generation } = this.#registry;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#versions = servedGroups(this.#registry).flatMap(({ versions }) => versions);
    this.#documents.clear();
  }

  #index(): object {
    const paths = this.#versions.map((served) => {
      const { hash } = this.#versionDocument(served);
      const path = pathOf(served);
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
    });
    return { paths: Object.fromEntries(paths) };
  }

  #versionDocument(served: ServedVersion): Document {
    return this.#document(pathOf(served), () => ({
      openapi: '3.0.0',
      info: this.#info(),
      paths: pathItems(served, (schema) => ({ schema })),
      components: { schemas: schemas([served]) },
    }));
  }

  #swagger(): object {
    const paths = this.#versions.map((served) => pathItems(served, (schema) => schema));
    return {
      swagger: '2.0',
      info: this.#info(),
      paths: Object.assign({}, ...paths) as object,
      definitions: schemas(this.#versions),
    };
  }

  #info(): object {
    return { title: 'Kubernetes', version: this.#version };
  }

  #document(key: string, build: () => object): Document {
    const known = this.#documents.get(key);
    if (known !== undefined) return known;
    const bytes = encodeText(JSON.stringify(build()));
    const hash = createHash('sha256').update(bytes).digest('hex').toUpperCase();
    const document = { bytes, hash };
    this.#documents.set(key, document);
    return document;
  }
}

/** `api/v1` or `apis/apps/v1`. */
function pathOf({ group, version }: ServedVersion): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** A document whose URL has the hash of its content never changes, so the client may cache it. */
function documentResponse({ bytes, hash }: Document, query: URLSearchParams): ApiResponse {
  const fixed = query.get('hash') === hash;
  return bytesResponse(200, 'application/json', bytes, {
    etag: `"${hash}"`,
    vary: 'Accept',
    ...(fixed ? { 'cache-control': 'public, immutable' } : {}),
  });
}

/** In OpenAPI 2 the type of a parameter is a member of the parameter, in OpenAPI 3 of its schema. */
type TypeOf = (schema: { readonly type: string }) => object;

function pathItems({ resources }: ServedVersion, typeOf: TypeOf): Record<string, object> {
  const items: Record<string, object> = {};
  for (const installed of resources) Object.assign(items, resourceItems(installed, typeOf));
  return items;
}

function resourceItems(
  { main, subresources }: InstalledResource,
  typeOf: TypeOf,
): Record<string, object> {
  const { describe } = main;
  const namespace = describe.namespaced ? '{namespace}' : undefined;
  const path = (name?: string, subresource?: string): string =>
    decodeURIComponent(resourcePath(describe, { namespace, name, subresource }));
  const items: Record<string, object> = {
    [path()]: item(describe, typeOf, {
      get: main.list && ['limit', 'continue', 'labelSelector', 'fieldSelector', 'watch'],
      post: main.create && WRITE_PARAMETERS,
      delete: main.deleteCollection && ['labelSelector', 'fieldSelector', 'dryRun'],
    }),
    [path('{name}')]: item(describe, typeOf, namedOperations(main)),
  };
  for (const [name, storage] of subresources) {
    items[path('{name}', name)] = item(storage.describe, typeOf, namedOperations(storage));
  }
  return items;
}

const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'];
const DELETE_PARAMETERS = ['dryRun', 'gracePeriodSeconds', 'propagationPolicy', IGNORE_READ_ERROR];

/** Parameters by HTTP method; undefined if the resource does not support the verb. */
type Operations = Readonly<Record<string, readonly string[] | undefined>>;

function namedOperations(storage: RestStorage): Operations {
  return {
    get: storage.get && [],
    put: storage.update && WRITE_PARAMETERS,
    patch: storage.update && WRITE_PARAMETERS,
    delete: storage.delete && DELETE_PARAMETERS,
  };
}

function item(describe: ResourceDescription, typeOf: TypeOf, operations: Operations): object {
  const { group, version, kind } = describe;
  const result: Record<string, object> = {};
  for (const [method, parameters] of Object.entries(operations)) {
    if (parameters === undefined) continue;
    result[method] = {
      'x-kubernetes-group-version-kind': { group, version, kind },
      parameters: parameters.map((name) => ({
        name,
        in: 'query',
        ...typeOf({ type: parameterType(name) }),
      })),
      ...(method === 'patch' ? { 'x-kubernetes-patch-types': patchTypes(group) } : {}),
      responses: { 200: { description: 'OK' } },
    };
  }
  return result;
}

function parameterType(name: string): string {
  if (name === 'limit' || name === 'gracePeriodSeconds') return 'integer';
  return name === 'watch' || name === IGNORE_READ_ERROR ? 'boolean' : 'string';
}

function schemas(versions: readonly ServedVersion[]): Record<string, object> {
  const result: Record<string, object> = {};
  for (const { resources } of versions) {
    for (const { main, subresources } of resources) {
      for (const { describe } of [main, ...subresources.values()]) {
        result[schemaName(describe)] = schema(describe);
      }
    }
  }
  return result;
}

/** The group in reverse order followed by the kind, as schema names are written: `io.example.v1.Widget`. */
function schemaName({ group, version, kind }: ResourceDescription): string {
  const place = group === '' ? ['core'] : group.split('.').toReversed();
  return [...place, version, kind].join('.');
}

function schema({ group, version, kind }: ResourceDescription): object {
  return {
    type: 'object',
    properties: {
      apiVersion: {
        type: 'string',
        description: 'The version of the API this object is written in.',
      },
      kind: { type: 'string', description: 'The type of this object.' },
      metadata: {
        type: 'object',
        description: 'Name, namespace, labels and what the server keeps about this object.',
        'x-kubernetes-preserve-unknown-fields': true,
      },
    },
    'x-kubernetes-preserve-unknown-fields': true,
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  };
}
