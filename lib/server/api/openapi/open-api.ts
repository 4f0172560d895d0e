import { LRUCache } from 'lru-cache';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { ResourceRegistry } from '../../registry/contract/rest-storage.ts';
import type { ApiRequest, ApiResponse } from '../../http/api-request.ts';
import { parseAccept } from '../../http/media/accept.ts';
import { bytesResponse, encodeText } from '../../http/responses/api-response.ts';
import { JSON_TYPE } from '../../http/media/media-type.ts';
import { PageNotFound } from '../../http/request-failures.ts';
import { documentHash, openApiArchive } from './open-api-archive.ts';
import { OpenApiDocuments } from './open-api-documents.ts';
import { encodeMessage } from './gnostic/encode-message.ts';
import { OPEN_API_3_MESSAGES } from './gnostic/open-api-3-messages.ts';
import { SWAGGER_MESSAGES } from './gnostic/swagger-messages.ts';

/** The `openapi.v2.Document` of an OpenAPI 2 document in JSON. */
export function encodeVersion2(json: Uint8Array): Uint8Array {
  return encodeMessage(SWAGGER_MESSAGES, parse(json));
}

/** The `openapi.v3.Document` of an OpenAPI 3 document in JSON. */
export function encodeVersion3(json: Uint8Array): Uint8Array {
  return encodeMessage(OPEN_API_3_MESSAGES, parse(json));
}

function parse(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
}

/** Documents that were made for the served resources, and all documents in protobuf. */
const LARGEST_CACHE_BYTES = 16 * 1024 * 1024;
const YEAR_MS = 365 * 86_400_000;

/** The two formats of a document. The older name of the protobuf type is accepted as well. */
const FORMATS = {
  v2: [
    { accept: 'json', type: JSON_TYPE, protobuf: false },
    ...protobufTypes('com.github.proto-openapi.spec.v2'),
  ],
  v3: [
    { accept: 'json', type: JSON_TYPE, protobuf: false },
    ...protobufTypes('com.github.proto-openapi.spec.v3'),
  ],
} as const;

interface Format {
  /** The subtype that a client asks for. */
  readonly accept: string;
  readonly type: string;
  readonly protobuf: boolean;
}

/**
 * Describes the API in OpenAPI 2 and 3, each document in JSON and in protobuf.
 *
 * Nothing is read before the first request. Then the recorded documents are kept (9 MB, for all servers of the process), and at
 * most 16 MB of the documents that were made for this server, and 16 MB of their parts.
 */
export class OpenApi {
  readonly #registry: ResourceRegistry;
  readonly #runtime: Pick<Runtime, 'wallMs'>;
  readonly #withoutPaths: readonly string[];
  /** Keys have the hash or the generation of the content, so that an entry never has to be replaced. */
  readonly #made = new LRUCache<string, Uint8Array>({
    maxSize: LARGEST_CACHE_BYTES,
    sizeCalculation: (bytes) => Math.max(1, bytes.byteLength),
  });
  #documents: OpenApiDocuments | undefined;

  #version2Hash: { readonly generation: number; readonly hash: string } | undefined;

  /** @param withoutPaths paths besides resources that the server does not have, e.g. `/openid/v1/jwks` */
  constructor(
    registry: ResourceRegistry,
    runtime: Pick<Runtime, 'wallMs'>,
    withoutPaths: readonly string[],
  ) {
    this.#registry = registry;
    this.#withoutPaths = withoutPaths;
    this.#runtime = runtime;
  }

  /**
   * Responds to `/openapi/v2`, `/openapi/v3` and the documents under it, whatever the method.
   * @throws {ApiError} 404.
   * @see kube-openapi pkg/handler3/handler.go HandleGroupVersion @ 43fb72c5454a
   */
  async answer(request: ApiRequest, path: string, query: URLSearchParams): Promise<ApiResponse> {
    if (path === '/openapi/v2') return await this.#version2(request);
    if (path === '/openapi/v3') return await this.#index();
    if (!path.startsWith('/openapi/v3/')) throw new PageNotFound();
    return await this.#version3(request, path.slice('/openapi/v3/'.length), query);
  }

  async #version2(request: ApiRequest): Promise<ApiResponse> {
    const documents = await this.#load();
    const format = formatFor(request, FORMATS.v2);
    if (format === undefined) return empty(406, { vary: 'Accept' });
    const { generation } = documents;
    const json = this.#cached(`v2/${generation}`, () => documents.version2());
    const bytes = format.protobuf
      ? this.#cached(`v2/${generation}/protobuf`, () => encodeVersion2(json))
      : json;
    const etag = `"${this.#hashOfVersion2(generation, json)}"`;
    return this.#respond(request, bytes, { etag, type: format.type });
  }

  async #index(): Promise<ApiResponse> {
    const documents = await this.#load();
    const paths = [...documents.hashes()].map(
      ([path, hash]) => [path, { serverRelativeURL: addressOf(path, hash) }] as const,
    );
    const index = JSON.stringify({ paths: Object.fromEntries(paths) });
    return bytesResponse(200, 'text/plain; charset=utf-8', encodeText(index));
  }

  async #version3(request: ApiRequest, path: string, query: URLSearchParams): Promise<ApiResponse> {
    const documents = await this.#load();
    const hash = documents.hashes().get(path);
    if (hash === undefined) return empty(404, {});
    const format = formatFor(request, FORMATS.v3);
    if (format === undefined) return empty(406, { vary: 'Accept' });
    const asked = query.get('hash') ?? '';
    const etag = `"${hash}"`;
    if (asked !== '' && asked !== hash) {
      const location = addressOf(path, hash);
      return empty(301, { 'content-type': format.type, etag, location, vary: 'Accept' });
    }
    const json = (): Uint8Array =>
      this.#cached(`v3/${hash}`, () => documents.version3(path) as Uint8Array);
    const bytes = format.protobuf
      ? this.#cached(`v3/${hash}/protobuf`, () => encodeVersion3(json()))
      : json();
    const fixed = asked === '' ? {} : this.#neverChanges();
    return this.#respond(request, bytes, { etag, type: format.type, headers: fixed });
  }

  #respond(
    { headers }: ApiRequest,
    bytes: Uint8Array,
    answer: {
      readonly etag: string;
      readonly type: string;
      readonly headers?: Readonly<Record<string, string>>;
    },
  ): ApiResponse {
    const { etag } = answer;
    const common = { etag, vary: 'Accept', ...answer.headers };
    const known = (headers['if-none-match'] ?? '').split(',').map((one) => one.trim());
    if (known.includes(etag) || known.includes(`W/${etag}`) || known.includes('*')) {
      return empty(304, common);
    }
    return bytesResponse(200, answer.type, bytes, common);
  }

  /** For an address that contains the hash of the content. */
  #neverChanges(): Readonly<Record<string, string>> {
    const expires = new Date(this.#runtime.wallMs() + YEAR_MS).toUTCString();
    return { 'cache-control': 'public, immutable', expires };
  }

  #hashOfVersion2(generation: number, json: Uint8Array): string {
    if (this.#version2Hash?.generation !== generation) {
      this.#version2Hash = { generation, hash: documentHash(json) };
    }
    return this.#version2Hash.hash;
  }

  #cached(key: string, make: () => Uint8Array): Uint8Array {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.#made.set(key, made);
    return made;
  }

  async #load(): Promise<OpenApiDocuments> {
    if (this.#documents === undefined) {
      const archive = await openApiArchive(this.#registry.minor);
      this.#documents ??= new OpenApiDocuments(archive, this.#registry, this.#withoutPaths);
    }
    return this.#documents;
  }
}

function protobufTypes(name: string): Format[] {
  const type = `application/${name}.v1.0+protobuf`;
  return [`${name}.v1.0+protobuf`, `${name}@v1.0+protobuf`].map((accept) => ({
    accept,
    type,
    protobuf: true,
  }));
}

/** The format that the client likes best; undefined when it accepts none. */
function formatFor({ headers }: ApiRequest, formats: readonly Format[]): Format | undefined {
  for (const { type } of parseAccept(headers['accept'] || '*/*')) {
    const [main, subtype] = type.split('/', 2);
    if (main !== '*' && main !== 'application') continue;
    const format = formats.find(({ accept }) => subtype === '*' || subtype === accept);
    if (format !== undefined) return format;
  }
  return undefined;
}

function addressOf(path: string, hash: string): string {
  return `/openapi/v3/${path}?hash=${hash}`;
}

function empty(status: number, headers: ApiResponse['headers']): ApiResponse {
  return { status, headers, body: new Uint8Array() };
}
