import { FENCE_HEADER, FENCE_REFUSED, parseFenceHeader } from '../../lib/meta/fence-token.ts';
import { BatchChannel } from '../../lib/kernel/data/batch-channel.ts';
import type { ApiHandler, ApiRequest, ApiResponse } from '../../lib/server/http/api-request.ts';

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface ModelObject {
  readonly metadata: Metadata;
  readonly spec?: { readonly holderIdentity?: string | null; readonly leaseTransitions?: number };
  readonly data?: Readonly<Record<string, string>>;
}

interface Watch {
  readonly selects: (object: ModelObject) => boolean;
  readonly channel: BatchChannel<Uint8Array>;
}

type Failure = readonly [code: number, reason: string];

const NOT_FOUND: Failure = [404, 'NotFound'];
const EXISTS: Failure = [409, 'AlreadyExists'];
const CONFLICT: Failure = [409, 'Conflict'];

/**
 * The part of an API server that these programs need, in few steps: objects by name, compare and swap, merge patches, watches, and the epochs of
 * writes. For runs of many seeds; the embedded server takes several times as long.
 */
export class ModelApi {
  readonly #objects = new Map<string, ModelObject>();
  readonly #watches = new Set<Watch>();
  #version = 1;

  readonly handler: ApiHandler = (request) => {
    const { method, url, headers, body } = request;
    const [path = '', search = ''] = url.split('?');
    const query = new URLSearchParams(search);
    const segments = path.split('/').filter((segment) => segment !== '');
    const at = segments.indexOf('namespaces');
    const [resource = '', name] = segments.slice(at + 2);
    if (method === 'GET' && name === undefined) {
      return Promise.resolve(this.#collection(resource, query, request));
    }
    const text = body.length === 0 ? '{}' : Buffer.from(body).toString('utf8');
    const given = JSON.parse(text) as Partial<ModelObject>;
    const fence = headers[FENCE_HEADER];
    if (method !== 'GET' && fence !== undefined && !this.#isCurrent(fence)) {
      return Promise.resolve(failed(CONFLICT, { [FENCE_HEADER]: FENCE_REFUSED }));
    }
    const done = this.#one(method, resource, name ?? given.metadata?.name ?? '', given, query);
    return Promise.resolve(Array.isArray(done) ? failed(done as unknown as Failure) : ok(done));
  };

  #one(
    method: string,
    resource: string,
    name: string,
    given: Partial<ModelObject>,
    query: URLSearchParams,
  ): ModelObject | Failure {
    const key = `${resource}/${name}`;
    const found = this.#objects.get(key);
    if (method === 'POST') {
      if (found !== undefined) return EXISTS;
      const metadata = {
        namespace: 'default',
        ...given.metadata,
        name,
        uid: `uid-${this.#version}`,
      };
      return this.#store(key, 'ADDED', { ...given, metadata });
    }
    if (found === undefined) return NOT_FOUND;
    if (method === 'GET') return found;
    if (method === 'DELETE') {
      const { preconditions } = given as {
        readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
      };
      const { uid, resourceVersion } = preconditions ?? {};
      if (uid !== undefined && uid !== found.metadata.uid) return CONFLICT;
      if (resourceVersion !== undefined && resourceVersion !== found.metadata.resourceVersion) {
        return CONFLICT;
      }
      this.#objects.delete(key);
      this.#version += 1;
      const metadata = { ...found.metadata, resourceVersion: String(this.#version) };
      this.#notify('DELETED', { ...found, metadata }, resource);
      return found;
    }
    if (query.get('dryRun') !== null) return found;
    if (method === 'PATCH') {
      const data = { ...found.data, ...given.data };
      const annotations = { ...found.metadata.annotations, ...given.metadata?.annotations };
      const metadata = { ...found.metadata, annotations };
      const { holderIdentity, ...rest } = { ...found.spec, ...given.spec };
      const spec = typeof holderIdentity === 'string' ? { ...rest, holderIdentity } : rest;
      return this.#store(key, 'MODIFIED', { ...found, metadata, data, spec });
    }
    const { resourceVersion } = given.metadata ?? {};
    if (resourceVersion !== undefined && resourceVersion !== found.metadata.resourceVersion) {
      return CONFLICT;
    }
    const metadata = { ...found.metadata, ...given.metadata };
    return this.#store(key, 'MODIFIED', { ...given, metadata });
  }

  #store(key: string, type: string, object: ModelObject): ModelObject {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    const stored = { ...object, metadata };
    this.#objects.set(key, stored);
    this.#notify(type, stored, key.split('/')[0] ?? '');
    return stored;
  }

  #notify(type: string, object: ModelObject, resource: string): void {
    for (const { selects, channel } of this.#watches) {
      if (resource === 'leases' && selects(object)) channel.push(frame(type, object));
    }
  }

  #collection(resource: string, query: URLSearchParams, { signal }: ApiRequest): ApiResponse {
    const [field, wantedName] = (query.get('fieldSelector') ?? '').split('=');
    const [label = '', wantedLabel] = (query.get('labelSelector') ?? '').split('=');
    const selects = ({ metadata }: ModelObject): boolean =>
      (field === '' || metadata.name === wantedName) &&
      (label === '' || metadata.labels?.[label] === wantedLabel);
    const items = [...this.#objects]
      .filter(([key, object]) => key.startsWith(`${resource}/`) && selects(object))
      .map(([, object]) => object);
    if (query.get('watch') === null) {
      const metadata = { resourceVersion: String(this.#version) };
      return ok({ kind: 'List', apiVersion: 'v1', metadata, items });
    }
    const channel = new BatchChannel<Uint8Array>({ name: 'watch', capacity: 10_000 });
    const watch = { selects, channel };
    this.#watches.add(watch);
    for (const object of items) channel.push(frame('ADDED', object));
    signal.addEventListener('abort', () => {
      this.#watches.delete(watch);
      channel.end();
    });
    return { status: 200, headers: { 'content-type': 'application/json' }, body: flat(channel) };
  }

  #isCurrent(header: string): boolean {
    const token = parseFenceHeader(header);
    const lease = token && this.#objects.get(`leases/${token.name}`);
    return (
      lease !== undefined &&
      lease.metadata.uid === token?.uid &&
      (lease.spec?.leaseTransitions ?? 0) === token?.epoch &&
      (lease.spec?.holderIdentity ?? '') !== ''
    );
  }
}

function ok(object: object): ApiResponse {
  return answer(200, object);
}

function failed([code, reason]: Failure, headers: Record<string, string> = {}): ApiResponse {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    reason,
    code,
  };
  const { body, ...rest } = answer(code, status);
  return { ...rest, headers: { ...rest.headers, ...headers }, body };
}

function answer(status: number, object: object): ApiResponse {
  const body = Buffer.from(JSON.stringify(object));
  return { status, headers: { 'content-type': 'application/json' }, body };
}

function frame(type: string, object: ModelObject): Uint8Array {
  const kind = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
  return Buffer.from(`${JSON.stringify({ type, object: { ...kind, ...object } })}\n`);
}

async function* flat(channel: BatchChannel<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  for await (const batch of channel) yield* batch;
}
