import type { ListPage, ListRequest } from '../../cache/reflector/contract/lister-watcher.ts';
import type { ApplyConfiguration } from '../../meta/apply-configuration.ts';
import { objectKey } from '../../meta/key.ts';
import { isNotFound } from '../../meta/failure/failures.ts';
import type { KubernetesList, KubernetesObject } from '../../meta/object.ts';
import { isStatus, type Status } from '../../meta/failure/status.ts';
import type { Created, Stored, Unstored } from '../../meta/stored.ts';
import type { WatchEvent } from '../../meta/watch-event.ts';
import { dropManagedFields } from '../../meta/drop-managed-fields.ts';
import { droppingDecoder, droppingAccept } from './decode/dropping-decoder.ts';
import type { ObjectDecoder } from './decode/object-decoder.ts';
import { decodedPages, packedPages } from './read/item-pages.ts';
import { listAllPages, listItems } from './read/pager.ts';
import { watchEvents } from './read/watch-events.ts';
import { type Change, type CreatedOrUpdated, createOrUpdate } from './helpers/create-or-update.ts';
import { isApplied } from './helpers/applied-by.ts';
import {
  MIGRATE_OPTIONS,
  type MigrateOptions,
  migrateToApply,
} from './helpers/migrate-to-apply.ts';
import {
  type ObjectWaitOptions,
  WAIT_OPTIONS,
  type WaitCondition,
  waitForObject,
} from './helpers/wait-for-object.ts';
import {
  checkApplied,
  checkMigration,
  checkObject,
  PATCH_TYPES,
  patchTypeOf,
} from './request/call-options.ts';
import { deleteBody, type ResourceCollection } from './request/resource-collection.ts';
import { queryString, type SelectorOptions } from './request/query.ts';
import type { RestClient } from './request/rest-client.ts';
import { ResourceListerWatcher } from './resource-lister-watcher.ts';
import {
  APPLY_OPTIONS,
  type ApplyOptions,
  type CallOptions,
  DELETE_COLLECTION_OPTIONS,
  DELETE_OPTIONS,
  type DeleteCollectionOptions,
  type DeleteOptions,
  GET_OPTIONS,
  type GetOptions,
  ITEMS_OPTIONS,
  type ItemsOptions,
  LIST_OPTIONS,
  type ListOptions,
  type ManagedFieldsOption,
  PATCH_OPTIONS,
  type PatchOptions,
  type Storing,
  WATCH_OPTIONS,
  type WatchOptions,
  WRITE_OPTIONS,
  type WriteOptions,
} from './request/resource-options.ts';
import { ResourceRequests } from './request/resource-requests.ts';
import { resourceUsage, TOP, type ResourceUsage } from './read/resource-usage.ts';
import { PodStreamCalls } from './streams/pod-stream-calls.ts';
import { type Subresource, SubresourceClient } from './subresources/subresource-client.ts';
import {
  type BoundToken,
  EVICT_OPTIONS,
  type EvictOptions,
  type Scale,
  type TokenOptions,
} from './subresources/subresource-objects.ts';
import { type WriteObserver, WriteReporter } from './request/write-observer.ts';

export interface ResourceClientOptions<T extends KubernetesObject> {
  readonly rest: RestClient;
  readonly collection: ResourceCollection;
  readonly decoder: ObjectDecoder<Stored<T>>;
  /** Left out: all namespaces, or a resource that has none. */
  readonly namespace?: string | undefined;
  /** The field manager of writes that name none. */
  readonly fieldManager?: string | undefined;
  readonly writes?: WriteObserver<Stored<T>> | undefined;
  readonly forceApply?: boolean | undefined;
}

/** The fields that a deletion changes of an object that goes on to exist. */
const DELETED = {
  body: { metadata: { deletionTimestamp: true, deletionGracePeriodSeconds: true } },
  subresource: undefined,
};

/** JSON is YAML. */
const APPLY_TYPE = 'application/apply-patch+yaml';

/**
 * The verbs of one resource.
 *
 * Every call rejects with an `ApiError` when the server refuses, with a `TransportError` when there is no usable answer, and
 * with the signal's reason when aborted. An unknown option, an option of the wrong type and an invalid name fail with
 * INVALID_OPTION before anything is sent, a selector of a bad syntax with INVALID_SELECTOR.
 */
export class ResourceClient<T extends KubernetesObject> extends PodStreamCalls {
  readonly #requests: ResourceRequests<Stored<T>>;
  readonly #decoder: ObjectDecoder<Stored<T>>;
  readonly #writes: WriteReporter<Stored<T>>;
  readonly #forceApply: boolean;

  /** Use `client.resource`. */
  constructor(options: ResourceClientOptions<T>) {
    const { rest, collection, decoder, namespace, fieldManager } = options;
    const writes = new WriteReporter(options.writes, rest.logger);
    const requests = new ResourceRequests({ rest, collection, namespace, fieldManager, writes });
    super(requests);
    this.#requests = requests;
    this.#decoder = decoder;
    this.#writes = writes;
    this.#forceApply = options.forceApply ?? false;
  }

  /** Reads one object, always from the server. */
  async get(name: string, options: GetOptions = {}): Promise<Stored<T>> {
    GET_OPTIONS.read(options, 'get');
    const { resourceVersion, signal, managedFields = true } = options;
    const requests = this.#requests;
    const path = requests.path(options, { name }) + queryString({ resourceVersion });
    const call = requests.call('get', options, { name });
    const request = { method: 'GET', path, call, signal } as const;
    if (managedFields) return await requests.rest.json<Stored<T>>(request);
    const accept = droppingAccept();
    return dropManagedFields(await requests.rest.json<Stored<T>>({ ...request, accept }));
  }

  /** Reads one page: without a limit, everything. */
  async list(options: ListOptions = {}): Promise<ListPage<Stored<T>>> {
    LIST_OPTIONS.read(options, 'list');
    return await decodedPages(this.#source(options))(listRequest(options));
  }

  /** Reads all objects, in pages of `limit` objects. All pages show the state of the first page. */
  async listAll(options: ListOptions = {}): Promise<ListPage<Stored<T>>> {
    LIST_OPTIONS.read(options, 'listAll');
    return await listAllPages(decodedPages(this.#source(options)), listRequest(options));
  }

  /**
   * Iterates over all objects. In memory are the bytes of one page, and of the pages read ahead; an object is decoded when its turn
   * comes. For as long as the list is read, all objects show the state of the first page.
   *
   * @example
   * for await (const pod of pods.items({ limit: 200 })) console.log(pod.metadata.name);
   * @throws {ApiError} code EXPIRED when the server has dropped the state of the first page; see option `onExpired`
   */
  async *items(options: ItemsOptions = {}): AsyncGenerator<Stored<T>, undefined> {
    ITEMS_OPTIONS.read(options, 'items');
    const { prefetchPages, onExpired } = options;
    const pages = packedPages(this.#source(options));
    yield* listItems(pages, listRequest(options), { prefetchPages, onExpired });
  }

  /**
   * Follows changes until the server ends the stream, the signal aborts or the loop is left. It does not open the watch again; an
   * informer does.
   * @throws {ListwatchError} code STREAM_IDLE within 35 s when the connection died without a word; {ApiError} code EXPIRED
   */
  async *watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<Stored<T>>, undefined> {
    WATCH_OPTIONS.read(options, 'watch');
    yield* watchEvents(this.#source(options), options, this.#requests.rest.runtime);
  }

  /** Stores a new object. If the object has a namespace, it is used instead of the namespace of the client. */
  create(object: T, options?: Storing<WriteOptions>): Promise<Created<T>>;
  /** The object of a dry run has no resource version. */
  create(object: T, options: WriteOptions): Promise<Created<T, Unstored<T>>>;
  async create(object: T, options: WriteOptions = {}): Promise<Created<T>> {
    WRITE_OPTIONS.read(options, 'create');
    checkObject('create', object);
    const target = { object };
    const request = { verb: 'create', method: 'POST', target, body: object } as const;
    // The signatures say what an answer may lack.
    return (await this.#requests.write(request, options)) as Created<T>;
  }

  /** Replaces an object. With `metadata.resourceVersion` the stored object must have that version; otherwise CONFLICT. */
  async update(object: T, options: WriteOptions = {}): Promise<Stored<T>> {
    return await this.#replace(object, options, undefined);
  }

  /** Replaces only the status of an object. */
  async updateStatus(object: T, options: WriteOptions = {}): Promise<Stored<T>> {
    return await this.#replace(object, options, 'status');
  }

  /** Changes part of an object. */
  async patch(name: string, patch: object, options: PatchOptions = {}): Promise<Stored<T>> {
    PATCH_OPTIONS.read(options, 'patch');
    const { subresource } = options;
    const contentType = PATCH_TYPES[patchTypeOf(patch, options.type)];
    const target = { name, subresource };
    return await this.#requests.write(
      { verb: 'patch', method: 'PATCH', target, body: patch, contentType },
      options,
    );
  }

  /**
   * Applies a part of an object on the server: fields that the field manager applied before and that are not in `part` are removed,
   * those of other managers stay. Creates the object if there is none. See `appliedBy` for what a manager has applied.
   *
   * The field manager is option `fieldManager`, of this call or of the client.
   * @throws {ApiError} code APPLY_CONFLICT when other managers have fields with other values: `error.conflicts` names managers and
   * fields; option `force` takes the fields over.
   */
  apply(part: ApplyConfiguration<T>, options?: Storing<ApplyOptions>): Promise<Stored<T>>;
  /** The object of a dry run that would create it has no resource version. */
  apply(part: ApplyConfiguration<T>, options: ApplyOptions): Promise<Unstored<T>>;
  async apply(part: ApplyConfiguration<T>, options: ApplyOptions = {}): Promise<Stored<T>> {
    APPLY_OPTIONS.read(options, 'apply');
    const requests = this.#requests;
    const { force = this.#forceApply, current, subresource } = options;
    const { fieldManager = requests.fieldManager ?? '' } = options;
    checkApplied(part, fieldManager);
    const name = requests.nameOf(part, 'applied');
    if (current !== undefined && options.dryRun !== true) {
      const namespace = requests.namespaceOf(options, { object: part });
      const { metadata } = current;
      const isSame = metadata?.name === name && (metadata.namespace ?? '') === (namespace ?? '');
      const known = current as Stored<T>;
      if (isSame && isApplied<T>(known, part, { manager: fieldManager, subresource })) return known;
    }
    return await requests.write(
      {
        verb: 'patch',
        method: 'PATCH',
        target: { name, object: part, subresource },
        body: part,
        contentType: APPLY_TYPE,
        query: { force: force ? true : undefined },
      },
      options,
    );
  }

  /**
   * Makes fields that were written by updates or by client-side apply count as applied, so that the next apply can remove them. Before the
   * first apply, or after it. A second call changes nothing.
   *
   * The new field manager is option `fieldManager`, of this call or of the client.
   * @example
   * await deployments.migrateToServerSideApply('web', { from: ['kubectl-client-side-apply'], fieldManager: 'shop' });
   * @throws {ApiError} code NOT_FOUND. {ListwatchError} code INVALID_OPTION.
   */
  async migrateToServerSideApply(name: string, options: MigrateOptions): Promise<T> {
    MIGRATE_OPTIONS.read(options, 'migrateToServerSideApply');
    const { rest, fieldManager } = this.#requests;
    const to = checkMigration(options.from, options.fieldManager ?? fieldManager);
    return await migrateToApply(this, name, options, { to, runtime: rest.runtime });
  }

  /** Applies fields of the status, through the subresource. */
  async applyStatus(part: ApplyConfiguration<T>, options: ApplyOptions = {}): Promise<Stored<T>> {
    // There is no status of an object that is not stored.
    return (await this.apply(part, { ...options, subresource: 'status' })) as Stored<T>;
  }

  /**
   * Deletes an object. Resolves to the object if the server sends it, which it does while finalizers or a grace period keep the
   * object; otherwise to undefined.
   */
  async delete(name: string, options: DeleteOptions = {}): Promise<Stored<T> | undefined> {
    DELETE_OPTIONS.read(options, 'delete');
    const { dryRun, signal, ignoreNotFound = false } = options;
    const requests = this.#requests;
    const namespace = options.namespace ?? requests.namespace;
    const key = objectKey({ namespace: namespace ?? '', name });
    const sent = this.#writes.begin({ key, creates: false, ...DELETED });
    const answered = requests.begin(key);
    let answer: Stored<T> | Status;
    try {
      answer = await requests.rest.json<Stored<T> | Status>({
        method: 'DELETE',
        path: requests.path(options, { name }),
        call: requests.call('delete', options, { name }),
        body: deleteBody(options),
        signal,
        sent,
      });
      this.#writes.deleted(answer, { namespace, name, dryRun }, sent);
      if (!isStatus(answer)) requests.keep(answer, { verb: 'delete', dryRun }, sent);
    } catch (error) {
      if (ignoreNotFound && isNotFound(error)) return undefined;
      throw error;
    } finally {
      answered?.();
    }
    return isStatus(answer) ? undefined : answer;
  }

  /**
   * Deletes the objects that the selectors choose, in one request; without selectors all of the namespace. Resolves to the objects
   * as the server sends them: those with finalizers or a grace period exist for a while.
   */
  async deleteCollection(options: DeleteCollectionOptions = {}): Promise<readonly Stored<T>[]> {
    DELETE_COLLECTION_OPTIONS.read(options, 'deleteCollection');
    const { labelSelector, fieldSelector, dryRun, signal } = options;
    const requests = this.#requests;
    const answer = await requests.rest.json<KubernetesList<Stored<T>> | Status>({
      method: 'DELETE',
      path: requests.path(options, {}) + queryString({ labelSelector, fieldSelector }),
      call: requests.call('deletecollection', options, {}),
      body: deleteBody(options),
      signal,
    });
    if (isStatus(answer)) return [];
    for (const object of answer.items) {
      const { metadata }: KubernetesObject = object;
      const { name = '', namespace } = metadata ?? {};
      this.#writes.deleted(object, { namespace, name, dryRun });
    }
    return answer.items;
  }

  /**
   * The use of processors and memory by pods or nodes, the largest use of processors first, as `kubectl top` shows it. It reads
   * `metrics.k8s.io/v1beta1`, which the metrics server serves.
   *
   * @example
   * for (const { name, cpu, memory } of await pods.top({ labelSelector: 'app=web' })) console.log(name, cpu, memory);
   * @throws {ListwatchError} code NOT_FOUND without a metrics server; INVALID_OPTION for another resource
   */
  async top(
    options: Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector' | 'signal'> = {},
  ): Promise<ResourceUsage[]> {
    TOP.read(options);
    return await resourceUsage(this.#requests, options);
  }

  /** The calls of a subresource, e.g. `deployments.subresource<Scale>('scale').get('web')`. */
  subresource<S extends object>(subresource: string): Subresource<S> {
    return new SubresourceClient<S>(this.#requests, subresource);
  }

  /** Sets the number of replicas, through the subresource `scale`. */
  async scale(name: string, replicas: number, options: WriteOptions = {}): Promise<Scale> {
    return await this.subresource<Scale>('scale').patch(name, { spec: { replicas } }, options);
  }

  /**
   * Asks for the deletion of a pod, as a drain does. While a disruption budget forbids it: TOO_MANY_REQUESTS at once, perhaps with
   * `retryAfterMs`.
   */
  async evict(name: string, options: EvictOptions = {}): Promise<void> {
    const { gracePeriodSeconds, preconditions, ...rest } = options;
    const deleteOptions = { gracePeriodSeconds, preconditions };
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, deleteOptions };
    EVICT_OPTIONS.read(options, 'evict');
    const target = { name, subresource: 'eviction' };
    const eviction = { verb: 'create', method: 'POST', target, body, retry: false } as const;
    await this.#requests.write(eviction, rest);
  }

  /** A new token of a service account. */
  async createToken(name: string, options: TokenOptions = {}): Promise<BoundToken> {
    const { audiences, expirationSeconds, boundObjectRef, ...rest } = options;
    const spec = { audiences, expirationSeconds, boundObjectRef };
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
    const tokens = this.subresource<{ readonly status: BoundToken }>('token');
    return (await tokens.create(name, body, rest)).status;
  }

  /** Assigns a pod to a node, as a scheduler does. */
  async bind(name: string, node: string, options: WriteOptions = {}): Promise<void> {
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
    await this.subresource('binding').create(name, body, options);
  }

  /**
   * Creates the object of this name, or updates it when `change` returns another one than is stored: labels, annotations and fields
   * count, in any order. An update that would change nothing is not sent. When another client writes in between, it reads the object
   * again and calls `change` again, up to five times.
   *
   * @example
   * await configMaps.createOrUpdate('web', (stored) => ({ ...stored, metadata: { name: 'web' }, data: { color: 'blue' } }));
   * @throws {ListwatchError} code INVALID_OPTION when `change` returns an object of another name; what `change` throws
   */
  createOrUpdate(
    name: string,
    change: Change<T>,
    options?: Storing<WriteOptions>,
  ): Promise<CreatedOrUpdated<T>>;
  /** The object of a dry run that would create it has no resource version. */
  createOrUpdate(
    name: string,
    change: Change<T>,
    options: WriteOptions,
  ): Promise<CreatedOrUpdated<T, Unstored<T>>>;
  async createOrUpdate(
    name: string,
    change: Change<T>,
    options: WriteOptions = {},
  ): Promise<CreatedOrUpdated<T>> {
    WRITE_OPTIONS.read(options, 'createOrUpdate');
    const { runtime } = this.#requests.rest;
    return (await createOrUpdate(this, name, change, { options, runtime })) as CreatedOrUpdated<T>;
  }

  /**
   * Waits until an object is as wanted, and resolves to it. `is` is called with each state of the object, and with undefined while
   * there is none; the wait for a deletion resolves to undefined. A watch that ends, and failures that may pass, do not end it.
   *
   * @example
   * await deployments.wait('web', (found) => found?.status?.readyReplicas === 3, { timeoutMs: 120_000 });
   * await pods.wait('web-0', (found) => found === undefined);
   * @throws {ListwatchError} code TIMEOUT naming the object and its last state; what `is` throws; the signal's reason when aborted
   */
  async wait(
    name: string,
    is: WaitCondition<Stored<T>>,
    options: ObjectWaitOptions = {},
  ): Promise<Stored<T> | undefined> {
    WAIT_OPTIONS.read(options, 'wait');
    const { runtime } = this.#requests.rest;
    const { resource } = this.#requests.call('get', options, { name });
    return await waitForObject(this, { name, is, what: `${resource} "${name}"`, runtime }, options);
  }

  async #replace(
    object: T,
    options: WriteOptions,
    subresource: string | undefined,
  ): Promise<Stored<T>> {
    WRITE_OPTIONS.read(options, 'update');
    checkObject('update', object);
    const name = this.#requests.nameOf(object, 'updated');
    const target = { name, object, subresource };
    return await this.#requests.write(
      { verb: 'update', method: 'PUT', target, body: object },
      options,
    );
  }

  #source(
    options: CallOptions & SelectorOptions & ManagedFieldsOption,
  ): ResourceListerWatcher<Stored<T>> {
    const { managedFields } = options;
    const decoder = this.#decoder;
    return new ResourceListerWatcher({
      rest: this.#requests.rest,
      collection: this.#requests.collection,
      decoder: managedFields === false ? droppingDecoder(decoder) : decoder,
      managedFields,
      namespace: options.namespace ?? this.#requests.namespace,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
    });
  }
}

function listRequest(options: ListOptions): ListRequest {
  const { limit, continueToken, resourceVersion, resourceVersionMatch, signal } = options;
  return { limit, continueToken, resourceVersion, resourceVersionMatch, signal };
}
