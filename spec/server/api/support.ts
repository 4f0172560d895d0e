import {
  NEWEST_MINOR,
  type KubernetesMinor,
} from '../../../lib/meta/releases/kubernetes-releases.ts';
import { BatchChannel } from '../../../lib/kernel/data/batch-channel.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { notFound } from '../../../lib/meta/failure/failures.ts';
import type { ObjectMeta, UnstructuredObject } from '../../../lib/meta/object.ts';
import type { WatchEvent } from '../../../lib/meta/watch-event.ts';
import { createApiHandler } from '../../../lib/server/api/api-handler.ts';
import type { ApiHandler, ApiRequest, ApiResponse } from '../../../lib/server/http/api-request.ts';
import type {
  InstalledResource,
  RequestContext,
  ResourceDescription,
  ResourceRegistry,
  RestStorage,
} from '../../../lib/server/registry/contract/rest-storage.ts';
import type {
  StorageList,
  StorageWatch,
} from '../../../lib/server/storage/contract/storage-interface.ts';
import type { StoredObject } from '../../../lib/server/storage/contract/stored-object.ts';

export type Stored = StoredObject<UnstructuredObject>;

export function storedObject(object: UnstructuredObject): Stored {
  const metadata: ObjectMeta = object.metadata ?? {};
  return {
    key: `/registry/${metadata.namespace ?? ''}/${metadata.name ?? ''}`,
    metadata,
    object,
    bytes: Buffer.from(JSON.stringify(object)),
    resourceVersion: metadata.resourceVersion ?? '',
    copy: () => structuredClone(object),
  };
}

export function widget(
  name: string,
  resourceVersion: string,
  extra: object = {},
): UnstructuredObject {
  return {
    apiVersion: 'example.io/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion },
    ...extra,
  };
}

const table: RestStorage['table'] = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'The name.', priority: 0 },
    { name: 'Size', type: 'integer', format: '', description: 'The size.', priority: 1 },
  ],
  cells: (object) => [object.metadata?.name ?? '', 7],
};

export const widgets: ResourceDescription = {
  group: 'example.io',
  version: 'v1',
  kind: 'Widget',
  resource: 'widgets',
  namespaced: true,
  singular: 'widget',
  listKind: 'WidgetList',
  shortNames: ['wd'],
  categories: ['all'],
};

export const nodes: ResourceDescription = {
  group: '',
  version: 'v1',
  kind: 'Node',
  resource: 'nodes',
  namespaced: false,
  singular: 'node',
  listKind: 'NodeList',
  shortNames: ['no'],
  categories: [],
};

/** A storage that offers what `verbs` has. */
export function fakeStorage(
  verbs: Partial<RestStorage>,
  describe: ResourceDescription = widgets,
): RestStorage {
  return { describe, table, ...verbs };
}

export class FakeRegistry implements ResourceRegistry {
  readonly #installed: InstalledResource[] = [];
  readonly minor: KubernetesMinor = NEWEST_MINOR;
  generation = 1;

  install(main: RestStorage, subresources: Readonly<Record<string, RestStorage>> = {}): this {
    this.#installed.push({ main, subresources: new Map(Object.entries(subresources)) });
    this.generation += 1;
    return this;
  }

  lookup(group: string, version: string, resource: string): InstalledResource | undefined {
    return this.#installed.find(
      ({ main: { describe } }) =>
        describe.group === group && describe.version === version && describe.resource === resource,
    );
  }

  all(): readonly InstalledResource[] {
    return this.#installed;
  }
}

/** A watch that is fed by hand. */
export class FakeWatch implements StorageWatch<UnstructuredObject> {
  readonly #channel = new BatchChannel<WatchEvent<Stored>>({
    name: 'fake watch',
    capacity: 100_000,
  });
  closed = false;

  add(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Stored): void {
    this.#channel.push({ type, object });
  }

  /** Events that come together. */
  push(events: readonly WatchEvent<Stored>[]): void {
    for (const event of events) this.#channel.push(event);
  }

  bookmark(resourceVersion: string, initialEventsEnd: boolean = false): void {
    this.#channel.push({ type: 'BOOKMARK', resourceVersion, initialEventsEnd });
  }

  fail(error: unknown): void {
    this.#channel.fail(error);
  }

  destroy(): void {
    this.closed = true;
    this.#channel.end();
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly WatchEvent<Stored>[]> {
    return this.#channel[Symbol.asyncIterator]();
  }
}

/** The verbs of a storage that keeps widgets in a map; every write adds 1 to the version. */
export function widgetVerbs(objects: Map<string, UnstructuredObject>): Partial<RestStorage> & {
  readonly contexts: RequestContext[];
} {
  let version = 100;
  const contexts: RequestContext[] = [];
  const stamp = (object: UnstructuredObject): UnstructuredObject => {
    version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    const stored = { ...object, metadata };
    objects.set(metadata.name ?? '', stored);
    return stored;
  };
  const read = (name: string): UnstructuredObject => {
    const object = objects.get(name);
    if (object === undefined) throw notFound(widgets, name);
    return object;
  };
  return {
    contexts,
    get: async (context, name) => {
      contexts.push(context);
      return storedObject(read(name));
    },
    list: async (context): Promise<StorageList<UnstructuredObject>> => {
      contexts.push(context);
      const items = [...objects.values()].map(storedObject);
      return {
        items,
        resourceVersion: String(version),
        continueToken: 'next',
        remainingItemCount: 5,
      };
    },
    create: async (context, object) => {
      contexts.push(context);
      context.warn('mind the "gap"');
      return storedObject(stamp(object));
    },
    update: async (_context, name, update) => {
      const result = storedObject(stamp(await update(structuredClone(read(name)))));
      return { result, created: false };
    },
    delete: async (_context, name, { gracePeriodSeconds }) => {
      const result = storedObject(read(name));
      const done = gracePeriodSeconds !== 30;
      if (done) objects.delete(name);
      return { result, done };
    },
  };
}

export interface Call {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  readonly text: string;
  /** The body as JSON. */
  readonly json: () => Record<string, unknown>;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | object;
  readonly signal?: AbortSignal;
}

export function apiRequest(method: string, url: string, options: CallOptions = {}): ApiRequest {
  const { body = '', headers = {}, signal = new AbortController().signal } = options;
  const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const contentType = raw.length > 0 ? { 'content-type': 'application/json' } : {};
  return {
    method,
    url,
    headers: { ...contentType, ...headers },
    body: typeof raw === 'string' ? Buffer.from(raw) : raw,
    signal,
  };
}

/** Sends a request and reads the whole answer. */
export async function call(
  handler: ApiHandler,
  method: string,
  url: string,
  options: CallOptions = {},
): Promise<Call> {
  const { status, headers, body } = await handler(apiRequest(method, url, options));
  const text = await readAll(body);
  return { status, headers, text, json: () => JSON.parse(text) as Record<string, unknown> };
}

export async function readAll(body: ApiResponse['body']): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

export interface Served {
  readonly runtime: VirtualRuntime;
  readonly registry: FakeRegistry;
  readonly handler: ApiHandler;
}

/** An API on virtual time over the given storages. */
export function serve(...storages: readonly RestStorage[]): Served {
  const runtime = new VirtualRuntime();
  const registry = new FakeRegistry();
  for (const storage of storages) registry.install(storage);
  return { runtime, registry, handler: handlerOf(registry, runtime) };
}

export function handlerOf(registry: ResourceRegistry, runtime: Runtime): ApiHandler {
  return createApiHandler({ registry, runtime });
}

/** Widgets in two versions, with a status, and nodes that can only be listed. */
export function discoverable(): { readonly registry: FakeRegistry; readonly handler: ApiHandler } {
  const verbs = widgetVerbs(new Map());
  const status = fakeStorage({ get: verbs.get!, update: verbs.update! });
  const registry = new FakeRegistry()
    .install(fakeStorage(verbs), { status })
    .install(fakeStorage({ get: verbs.get! }, { ...widgets, version: 'v1beta1' }))
    .install(fakeStorage({ list: verbs.list! }, nodes));
  return { registry, handler: handlerOf(registry, new VirtualRuntime()) };
}
