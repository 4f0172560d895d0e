import { consoleLogger } from '../../kernel/report/console-logger.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { nextTask } from '../../kernel/time/wait.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { apiVersionOf } from '../../meta/resource.ts';
import type { AttributesFunc } from '../storage/contract/selection-predicate.ts';
import {
  scanStorage,
  type GetListOptions,
  type StorageInterface,
  type StorageList,
  type StorageScan,
  type StorageWatch,
} from '../storage/contract/storage-interface.ts';
import { createObject } from './writes/create-object.ts';
import { deleteCollection } from './writes/delete-collection.ts';
import { deleteObject, endGracePeriod, type DeleteAnswer } from './writes/delete-object.ts';
import { GracePeriodReaper } from './writes/grace-period-reaper.ts';
import { attributesFunc, type KindDefinition } from './contract/kind-definition.ts';
import { listReadable } from './list-readable.ts';
import { applyObject } from './writes/apply-object.ts';
import type {
  ApplyOptions,
  DeleteRequest,
  ListOptions,
  ReadOptions,
  RequestContext,
  ResourceDescription,
  RestStorage,
  TableConvertor,
  UpdateFunc,
  WatchOptions,
  WriteOptions,
  WriteResult,
} from './contract/rest-storage.ts';
import { selectionOf } from './selection.ts';
import { storageFailure } from './writes/storage-failures.ts';
import type { StoreHooks } from './contract/store-hooks.ts';
import {
  collectionKey,
  objectKey,
  present,
  type CreateAdmission,
  type StoreAdmission,
  type StoreParts,
} from './writes/store-parts.ts';
import { guardedHooks } from './writes/guarded-hooks.ts';
import type { UpdateStrategy } from './contract/strategy.ts';
import { seedObject } from './writes/seed-object.ts';
import { updateObject, type UpdateAnswer } from './writes/update-object.ts';
import { WatchSet } from './watch-set.ts';
import { asBuffer } from '../../kernel/data/as-buffer.ts';
import { documentPieces, type StoredObject } from '../storage/contract/stored-object.ts';

/** A field name may be written with escapes; such an object has to be decoded. */
const ESCAPE = '\\u';

/**
 * Whether the bytes of an object may contain a field of this name at any depth. False is certain; after true, the object has to be
 * decoded. For searches through many objects for a few: decoded objects would be kept in memory.
 * @param name consists of letters and digits
 */
export function mayHaveField(stored: StoredObject, name: string): boolean {
  return documentPieces(stored).some((piece) => {
    const bytes = asBuffer(piece);
    return bytes.includes(`"${name}"`) || bytes.includes(ESCAPE);
  });
}

export interface GenericRegistryStoreOptions {
  readonly kind: KindDefinition;
  /** The storage of the objects under `kind.keyRoot`. */
  readonly storage: StorageInterface<UnstructuredObject>;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** Logs errors of hooks that run after a write. @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
  /** Hooks around writes. */
  readonly hooks?: StoreHooks | undefined;
  /** Decides whether an object may be created. @defaultValue every object may */
  readonly admission?: CreateAdmission | undefined;
  /** Changes and refuses requests. @defaultValue nothing does */
  readonly chain?: StoreAdmission | undefined;
  /** Removes objects at the end of their grace period. @defaultValue a new one */
  readonly reaper?: GracePeriodReaper | undefined;
  /** The apiVersion in which objects are stored. @defaultValue that of the kind */
  readonly storedApiVersion?: string | undefined;
  /** Collects the running watches, so that they can be ended when the resource is removed. */
  readonly watches?: WatchSet | undefined;
}

/** Number of objects processed in one task. */
const ITEMS_AT_ONCE = 1000;

const ADMIT_ALL: CreateAdmission = { enter: () => Promise.resolve(() => {}) };

/** The managed fields are right, and another uid is an invalid change, as for every patch. */
const APPLIED = { applied: true, checksUid: false } as const;

/**
 * The objects of one kind with the verbs of the API. The behaviour that all kinds share is here; the differences are in the
 * `KindDefinition`.
 *
 * Guarantees:
 * - When a write returns, the object is stored and the `after` hooks have run. When it throws, nothing has changed; the exception
 *   is a deletion of a collection, which may have deleted some objects.
 * - An `after` hook that throws is logged; the write succeeds.
 * - An update without a change keeps the resource version and causes no event.
 * - Returned objects are shared with the storage and must not be modified.
 *
 * @see apiserver pkg/registry/generic/registry/store.go Store @ 24a394e
 */
export class GenericRegistryStore implements RestStorage {
  readonly describe: ResourceDescription;
  readonly table: TableConvertor;
  readonly returnsDeletedObject: boolean;
  readonly withZeros: RestStorage['withZeros'];
  readonly #parts: StoreParts;
  readonly #attributesOf: AttributesFunc;
  readonly #watches: WatchSet | undefined;

  constructor(options: GenericRegistryStoreOptions) {
    const { kind, storage, runtime = realRuntime, logger = consoleLogger } = options;
    const apiVersion = apiVersionOf(kind.describe);
    this.describe = kind.describe;
    this.table = kind.table;
    this.returnsDeletedObject = kind.returnsDeletedObject ?? false;
    const { type } = kind;
    if (type?.withZeros !== undefined) {
      this.withZeros = (object) => type.withZeros?.({ ...object }) ?? object;
    }
    this.#attributesOf = attributesFunc(kind);
    this.#watches = options.watches;
    this.#parts = {
      kind,
      storage,
      runtime,
      hooks: guardedHooks(options.hooks ?? {}, kind.describe, logger),
      admission: options.admission ?? ADMIT_ALL,
      chain: options.chain,
      reaper: options.reaper ?? new GracePeriodReaper({ runtime, logger }),
      apiVersion,
      storedApiVersion: options.storedApiVersion ?? apiVersion,
    };
  }

  /** Admission, which changes and refuses requests. */
  get chain(): StoreAdmission | undefined {
    return this.#parts.chain;
  }

  /** The clock of the store. */
  get runtime(): Runtime {
    return this.#parts.runtime;
  }

  /** @throws {ApiError} 400, 404, 504. */
  async get(
    context: RequestContext,
    name: string,
    options: ReadOptions = {},
  ): Promise<WriteResult> {
    const key = objectKey(this.#parts, context.namespace, name);
    try {
      const { resourceVersion } = options;
      const stored = await this.#parts.storage.get(key, {
        resourceVersion,
        signal: context.signal,
      });
      return present(this.#parts, stored as WriteResult);
    } catch (error) {
      throw storageFailure(error, 'get', this.describe, name);
    }
  }

  /** @throws {ApiError} 400, 410, 504. */
  async list(
    context: RequestContext,
    options: ListOptions = {},
  ): Promise<StorageList<UnstructuredObject>> {
    const { key, list } = this.#listRequest(context, options);
    try {
      const found = await this.#parts.storage.getList(key, list);
      const { apiVersion, storedApiVersion } = this.#parts;
      if (apiVersion === storedApiVersion) return found;
      return { ...found, items: found.items.map((item) => present(this.#parts, item)) };
    } catch (error) {
      throw storageFailure(error, 'list', this.describe, '');
    }
  }

  /** As `list`. @throws {ApiError} 400, 410, 504. */
  async scan(
    context: RequestContext,
    options: ListOptions = {},
  ): Promise<StorageScan<UnstructuredObject>> {
    const { apiVersion, storedApiVersion, storage } = this.#parts;
    if (apiVersion !== storedApiVersion) return await this.list(context, options);
    const { key, list } = this.#listRequest(context, options);
    try {
      return await scanStorage(storage, key, list);
    } catch (error) {
      throw storageFailure(error, 'list', this.describe, '');
    }
  }

  /** @throws {ApiError} 400, 429; the stream throws 410 and 504. */
  async watch(
    context: RequestContext,
    options: WatchOptions = {},
  ): Promise<StorageWatch<UnstructuredObject>> {
    const { key, list } = this.#listRequest(context, options);
    const { resourceVersion, recursive, predicate, signal } = list;
    const { sendInitialEvents, deadlineMonotonicMs, allowWatchBookmarks } = options;
    try {
      const watch = await this.#parts.storage.watch(key, {
        resourceVersion,
        recursive,
        predicate,
        sendInitialEvents,
        deadlineMonotonicMs,
        progressNotify: allowWatchBookmarks,
        client: context.client,
        signal,
      });
      const { apiVersion, storedApiVersion } = this.#parts;
      if (apiVersion === storedApiVersion) return this.#watches?.add(watch) ?? watch;
      return (this.#watches ?? new WatchSet()).add(watch, (one) => present(this.#parts, one));
    } catch (error) {
      throw storageFailure(error, 'list', this.describe, '');
    }
  }

  /** @throws {ApiError} 400, 403, 404 (namespace), 409, 422. */
  async create(
    context: RequestContext,
    object: UnstructuredObject,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    return await createObject(this.#parts, context, object, options);
  }

  /** @throws {ApiError} 409. */
  async seed(object: UnstructuredObject): Promise<void> {
    await seedObject(this.#parts, object);
  }

  /** @throws {ApiError} 400, 404, 409, 422. */
  async update(
    context: RequestContext,
    name: string,
    update: UpdateFunc,
    options: WriteOptions = {},
  ): Promise<UpdateAnswer> {
    const { strategy } = this.#parts.kind;
    return await updateObject(this.#parts, {
      context,
      name,
      update,
      options,
      strategy,
    });
  }

  /** @throws {ApiError} 400, 404, 409 for fields of other managers, 422. */
  async apply(
    context: RequestContext,
    name: string,
    configuration: UnstructuredObject,
    options: ApplyOptions = {},
  ): Promise<UpdateAnswer> {
    return await this.update(context, name, this.#applied(context, configuration, options), {
      ...options,
      ...APPLIED,
      configuration,
      forceAllowCreate: true,
    });
  }

  /** The apply of a subresource. @throws {ApiError} 400, 404, 409 for fields of other managers, 422. */
  async applyThrough(
    strategy: UpdateStrategy,
    context: RequestContext,
    name: string,
    configuration: UnstructuredObject,
    options: ApplyOptions = {},
  ): Promise<UpdateAnswer> {
    const update = this.#applied(context, configuration, options);
    return await this.updateThrough(strategy, context, name, update, {
      ...options,
      ...APPLIED,
      configuration,
      forceAllowCreate: strategy.allowCreateOnApply,
    });
  }

  #applied(
    context: RequestContext,
    configuration: UnstructuredObject,
    options: ApplyOptions,
  ): UpdateFunc {
    return (existing) => applyObject(this.#parts, context, existing, configuration, options);
  }

  /** The update of a subresource: the same object with the strategy of the subresource. @throws {ApiError} 400, 404, 409, 422. */
  async updateThrough(
    strategy: UpdateStrategy,
    context: RequestContext,
    name: string,
    update: UpdateFunc,
    options: WriteOptions = {},
  ): Promise<UpdateAnswer> {
    return await updateObject(this.#parts, {
      context,
      name,
      update,
      options,
      strategy,
    });
  }

  /** @throws {ApiError} 400, 403, 404, 409. */
  async delete(
    context: RequestContext,
    name: string,
    request: DeleteRequest = {},
  ): Promise<DeleteAnswer> {
    return await deleteObject(this.#parts, context, name, request);
  }

  /** @throws {ApiError} 400, 403, 409, 410; objects that were deleted before the error stay deleted. */
  async deleteCollection(
    context: RequestContext,
    options: ListOptions = {},
    request: DeleteRequest = {},
  ): Promise<StorageList<UnstructuredObject>> {
    const { key, list } = this.#listRequest(context, options);
    return await deleteCollection(this.#parts, { context, key, list, request });
  }

  /**
   * Continues the grace periods that were running when the previous process ended.
   * @throws {ApiError} when the objects cannot be listed.
   */
  async resumeGracePeriods(): Promise<void> {
    if (this.#parts.kind.strategy.gracePeriodSeconds === undefined) return;
    const { items } = await listReadable(this.#parts.storage, `${this.#parts.kind.keyRoot}/`);
    for (const [index, item] of items.entries()) {
      if (mayHaveField(item, 'deletionTimestamp')) endGracePeriod(this.#parts, item);
      if (index % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) await nextTask(this.#parts.runtime);
    }
  }

  /** @throws {ApiError} 400. */
  checkSelectors(options: ListOptions): void {
    selectionOf(this.#parts.kind, this.#attributesOf, options);
  }

  #listRequest(
    context: RequestContext,
    options: ListOptions,
  ): { readonly key: string; readonly list: GetListOptions<UnstructuredObject> } {
    const { kind } = this.#parts;
    const { predicate, name, namespace } = selectionOf(kind, this.#attributesOf, options);
    const within = context.namespace || (namespace ?? '');
    const prefix = collectionKey(this.#parts, within);
    const single = name !== undefined && (within !== '' || !kind.describe.namespaced);
    const { resourceVersion, resourceVersionMatch, limit, continueToken } = options;
    return {
      key: single ? `${prefix}${name}` : prefix,
      list: {
        resourceVersion,
        resourceVersionMatch,
        recursive: !single,
        predicate,
        limit,
        continueToken,
        signal: context.signal,
      },
    };
  }
}
