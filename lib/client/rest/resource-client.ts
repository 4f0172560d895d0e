import type {
  ListPage,
  ListRequest,
  ResourceVersionMatch,
  WatchRequest,
} from '../../cache/reflector/contract/lister-watcher.ts';
import { ListwatchError } from '../../kernel/errors.ts';
import type { ApiCall, ApiVerb } from '../../meta/api-call.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import { isStatus, type Status } from '../../meta/status.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import { checkCallOptions, checkObject, patchTypeOf } from './request/call-options.ts';
import type { Collection } from './request/collection.ts';
import type { ObjectDecoder } from './decode/object-decoder.ts';
import { listAllPages, listItems, type ListItemsOptions, type PageSource } from './read/pager.ts';
import { queryString, type SelectorOptions } from './request/query.ts';
import { ResourceListerWatcher } from './resource-lister-watcher.ts';
import type { RestClient, RestRequest } from './request/rest-client.ts';
import { WriteReporter, type WriteObserver } from './write-observer.ts';

/** Options of every call. */
export interface CallOptions {
  /** @defaultValue the namespace the resource client was made for */
  readonly namespace?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface GetOptions extends CallOptions {
  /** `"0"`: any state from the server's cache. Left out: the most recent state. */
  readonly resourceVersion?: string | undefined;
}

export interface ListOptions extends CallOptions, SelectorOptions {
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  /** Items a page. @defaultValue all for `list`, 500 for calls that read several pages */
  readonly limit?: number | undefined;
  /** The continue token of the page before. */
  readonly continueToken?: string | undefined;
}

export interface ItemsOptions extends ListOptions, ListItemsOptions {}

export interface WatchOptions extends CallOptions, SelectorOptions, Omit<WatchRequest, 'signal'> {}

export interface WriteOptions extends CallOptions {
  /** The server runs all checks and stores nothing. @defaultValue false */
  readonly dryRun?: boolean | undefined;
  /** The field manager that is recorded in managedFields. */
  readonly fieldManager?: string | undefined;
}

export interface PatchOptions extends WriteOptions {
  /**
   * `merge`: RFC 7396, an object with the fields to change. `json`: RFC 6902, an array of operations.
   * @defaultValue 'json' for an array, 'merge' for an object
   */
  readonly type?: 'merge' | 'json' | undefined;
  /** E.g. `status`. */
  readonly subresource?: string | undefined;
}

export interface DeleteOptions extends CallOptions {
  /** Deletes only the object with this uid, or in this state; otherwise CONFLICT. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  /** How the server deletes the objects that this object owns. */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  /** 0 deletes at once. */
  readonly gracePeriodSeconds?: number | undefined;
  /** @defaultValue false */
  readonly dryRun?: boolean | undefined;
}

export interface ResourceClientOptions<T extends KubernetesObject> {
  readonly rest: RestClient;
  readonly collection: Collection;
  readonly decoder: ObjectDecoder<T>;
  /** Left out: all namespaces, or a resource that has none. */
  readonly namespace?: string | undefined;
  readonly writes?: WriteObserver<T> | undefined;
}

/** What a call addresses below its collection. */
interface CallTarget<T> {
  readonly name?: string;
  readonly object?: T;
  readonly subresource?: string | undefined;
}

const CALL_OPTIONS = ['namespace', 'signal'];
const GET_OPTIONS = [...CALL_OPTIONS, 'resourceVersion'];
const SELECTION_OPTIONS = [
  ...GET_OPTIONS,
  'resourceVersionMatch',
  'labelSelector',
  'fieldSelector',
];
const LIST_OPTIONS = [...SELECTION_OPTIONS, 'limit', 'continueToken'];
const ITEMS_OPTIONS = [...LIST_OPTIONS, 'prefetchPages'];
const WATCH_OPTIONS = [
  ...SELECTION_OPTIONS,
  'allowWatchBookmarks',
  'sendInitialEvents',
  'timeoutSeconds',
];
const WRITE_OPTIONS = [...CALL_OPTIONS, 'dryRun', 'fieldManager'];
const PATCH_OPTIONS = [...WRITE_OPTIONS, 'type', 'subresource'];
const DELETE_OPTIONS = [
  ...CALL_OPTIONS,
  'preconditions',
  'propagationPolicy',
  'gracePeriodSeconds',
  'dryRun',
];

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
} as const;

/**
 * The verbs of one resource.
 *
 * Every call rejects with an `ApiError` when the server refuses, with a `TransportError` when there is no usable answer, and
 * with the signal's reason when aborted. An unknown option, an option of the wrong type and an invalid name fail with
 * INVALID_OPTION before anything is sent, a selector of a bad syntax with INVALID_SELECTOR.
 */
export class ResourceClient<T extends KubernetesObject> {
  readonly #rest: RestClient;
  readonly #collection: Collection;
  readonly #decoder: ObjectDecoder<T>;
  readonly #namespace: string | undefined;
  readonly #writes: WriteReporter<T>;

  /** Use `client.resource`. */
  constructor({ rest, collection, decoder, namespace, writes }: ResourceClientOptions<T>) {
    this.#rest = rest;
    this.#collection = collection;
    this.#decoder = decoder;
    this.#namespace = namespace;
    this.#writes = new WriteReporter(writes, rest.logger);
  }

  /** Reads one object. */
  async get(name: string, options: GetOptions = {}): Promise<T> {
    checkCallOptions('get', options, GET_OPTIONS);
    const { resourceVersion, signal } = options;
    const path = this.#path(options, { name }) + queryString({ resourceVersion });
    const call = this.#call('get', options, { name });
    return await this.#rest.json<T>({ method: 'GET', path, call, signal });
  }

  /** Reads one page: without a limit, everything. */
  async list(options: ListOptions = {}): Promise<ListPage<T>> {
    checkCallOptions('list', options, LIST_OPTIONS);
    return await this.#pages(options)(listRequest(options));
  }

  /** Reads all objects, in pages of `limit` objects. All pages show the state of the first page. */
  async listAll(options: ListOptions = {}): Promise<ListPage<T>> {
    checkCallOptions('listAll', options, LIST_OPTIONS);
    return await listAllPages(this.#pages(options), listRequest(options));
  }

  /** Iterates over all objects, with one page and the pages read ahead in memory. */
  async *items(options: ItemsOptions = {}): AsyncGenerator<T, undefined> {
    checkCallOptions('items', options, ITEMS_OPTIONS);
    const { prefetchPages } = options;
    yield* listItems(this.#pages(options), listRequest(options), { prefetchPages });
  }

  /** Follows changes until the server ends the stream, the signal aborts or the loop is left. */
  async *watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>, undefined> {
    checkCallOptions('watch', options, WATCH_OPTIONS);
    const stream = await this.#source(options).watch(options);
    for await (const batch of stream) {
      for (const event of batch) {
        yield event.type === 'BOOKMARK' ? event : { type: event.type, object: event.object.object };
      }
    }
  }

  /** Stores a new object. If the object has a namespace, it is used instead of the namespace of the client. */
  async create(object: T, options: WriteOptions = {}): Promise<T> {
    checkCallOptions('create', options, WRITE_OPTIONS);
    checkObject('create', object);
    const path = this.#path(options, { object }) + writeQuery(options);
    const call = this.#call('create', options, { object });
    return await this.#write({ method: 'POST', path, call, body: object }, options);
  }

  /** Replaces an object. With `metadata.resourceVersion` the stored object must have that version; otherwise CONFLICT. */
  async update(object: T, options: WriteOptions = {}): Promise<T> {
    return await this.#replace(object, options, undefined);
  }

  /** Replaces only the status of an object. */
  async updateStatus(object: T, options: WriteOptions = {}): Promise<T> {
    return await this.#replace(object, options, 'status');
  }

  /** Changes part of an object. */
  async patch(name: string, patch: object, options: PatchOptions = {}): Promise<T> {
    checkCallOptions('patch', options, PATCH_OPTIONS);
    const { subresource } = options;
    const contentType = PATCH_TYPES[patchTypeOf(patch, options.type)];
    const path = this.#path(options, { name, subresource }) + writeQuery(options);
    const call = this.#call('patch', options, { name, subresource });
    return await this.#write({ method: 'PATCH', path, call, body: patch, contentType }, options);
  }

  /**
   * Deletes an object. Resolves to the object if the server sends it, which it does while finalizers or a grace period keep the
   * object; otherwise to undefined.
   */
  async delete(name: string, options: DeleteOptions = {}): Promise<T | undefined> {
    checkCallOptions('delete', options, DELETE_OPTIONS);
    const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun, signal } = options;
    const answer = await this.#rest.json<T | Status>({
      method: 'DELETE',
      path: this.#path(options, { name }),
      call: this.#call('delete', options, { name }),
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions,
        propagationPolicy,
        gracePeriodSeconds,
        ...(dryRun === true ? { dryRun: ['All'] } : {}),
      },
      signal,
    });
    const namespace = options.namespace ?? this.#namespace;
    this.#writes.deleted(answer, { namespace, name, dryRun });
    return isStatus(answer) ? undefined : answer;
  }

  async #replace(object: T, options: WriteOptions, subresource: string | undefined): Promise<T> {
    checkCallOptions('update', options, WRITE_OPTIONS);
    checkObject('update', object);
    const name = object.metadata?.name;
    if (name === undefined || name === '') {
      const what = this.#collection.describe({});
      throw new ListwatchError(
        'KEY',
        `an object of ${what} to be updated has no metadata.name; give it the name of the stored object`,
      );
    }
    const path = this.#path(options, { name, object, subresource }) + writeQuery(options);
    const call = this.#call('update', options, { name, object, subresource });
    const request = { method: 'PUT', path, call, body: object } as const;
    return await this.#write(request, { ...options, subresource });
  }

  async #write(
    request: Omit<RestRequest, 'signal'>,
    { signal, subresource, dryRun }: PatchOptions,
  ): Promise<T> {
    const answer = await this.#rest.json<T>({ ...request, signal });
    const { apiVersion } = this.#collection;
    this.#writes.written(answer, { apiVersion, subresource, dryRun });
    return answer;
  }

  #call(verb: ApiVerb, options: CallOptions, target: CallTarget<T>): ApiCall {
    const { name = target.object?.metadata?.name, subresource } = target;
    const namespace = this.#namespaceOf(options, target);
    return this.#collection.call(verb, { namespace, name, subresource });
  }

  #namespaceOf({ namespace }: CallOptions, { object }: CallTarget<T>): string | undefined {
    return namespace ?? (object?.metadata?.namespace || this.#namespace);
  }

  #path(options: CallOptions, target: CallTarget<T>): string {
    const { name, subresource } = target;
    // Without a name the path is the collection; a DELETE there would delete all objects.
    if (Object.hasOwn(target, 'name') && typeof name !== 'string') {
      const what = this.#collection.describe({});
      throw new ListwatchError(
        'INVALID_OPTION',
        `${what}: the name must be a string, not ${typeof name}`,
      );
    }
    const namespace = this.#namespaceOf(options, target);
    return this.#collection.path({ namespace, name, subresource });
  }

  /** Objects are decoded while they arrive, and the bytes of a page are released piece by piece. */
  #pages(options: CallOptions & SelectorOptions): PageSource<T> {
    const source = this.#source(options);
    return async (request) => {
      const items: T[] = [];
      const take = (views: readonly ObjectView<T>[]): void => {
        for (const view of views) items.push(view.object);
      };
      const page = await source.list(request, take);
      take(page.items);
      return { ...page, items };
    };
  }

  #source(options: CallOptions & SelectorOptions): ResourceListerWatcher<T> {
    return new ResourceListerWatcher({
      rest: this.#rest,
      collection: this.#collection,
      decoder: this.#decoder,
      namespace: options.namespace ?? this.#namespace,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
    });
  }
}

function listRequest(options: ListOptions): ListRequest {
  const { limit, continueToken, resourceVersion, resourceVersionMatch, signal } = options;
  return { limit, continueToken, resourceVersion, resourceVersionMatch, signal };
}

function writeQuery({ dryRun, fieldManager }: WriteOptions): string {
  return queryString({ dryRun: dryRun === true ? 'All' : undefined, fieldManager });
}
