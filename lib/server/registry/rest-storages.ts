import type { GenericRegistryStore } from './generic-registry-store.ts';
import type { KindDefinition } from './contract/kind-definition.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type {
  ApplyOptions,
  DeclaredSchema,
  InstalledResource,
  ReadOptions,
  RequestContext,
  ResourceDescription,
  RestStorage,
  TableConvertor,
  UpdateFunc,
  WriteOptions,
  WriteResult,
} from './contract/rest-storage.ts';
import { ScaleREST } from './scale-rest.ts';
import type { ServerParts } from './contract/subresource-parts.ts';
import type { UpdateStrategy } from './contract/strategy.ts';
import type { UpdateAnswer } from './writes/update-object.ts';

/** `/status` of a resource: it reads the object itself, and writes with the status strategy. */
export class StatusREST implements RestStorage {
  readonly describe: ResourceDescription;
  readonly table: TableConvertor;
  readonly withZeros: RestStorage['withZeros'];
  readonly #store: GenericRegistryStore;
  readonly #strategy: UpdateStrategy;

  constructor(store: GenericRegistryStore, strategy: UpdateStrategy) {
    this.describe = store.describe;
    this.table = store.table;
    this.withZeros = store.withZeros;
    this.#store = store;
    this.#strategy = strategy;
  }

  async get(
    context: RequestContext,
    name: string,
    options: ReadOptions = {},
  ): Promise<WriteResult> {
    return await this.#store.get(context, name, options);
  }

  /** Never creates an object. @throws {ApiError} 400, 404, 409, 422. */
  async update(
    context: RequestContext,
    name: string,
    update: UpdateFunc,
    options: WriteOptions = {},
  ): Promise<UpdateAnswer> {
    return await this.#store.updateThrough(this.#strategy, context, name, update, {
      ...options,
      subresource: 'status',
    });
  }

  /** Never creates an object. @throws {ApiError} 400, 404, 409, 422. */
  async apply(
    context: RequestContext,
    name: string,
    configuration: UnstructuredObject,
    options: ApplyOptions = {},
  ): Promise<UpdateAnswer> {
    return await this.#store.applyThrough(this.#strategy, context, name, configuration, {
      ...options,
      subresource: 'status',
    });
  }
}

/** The REST storages of one resource over one store: the object and its subresources. */
export interface RestStorages {
  readonly store: GenericRegistryStore;
  /** The served storages of the store. */
  readonly main: RestStorage;
  readonly status: StatusREST | undefined;
  readonly scale: ScaleREST | undefined;
  /** The other subresources, by name. */
  readonly others: Readonly<Record<string, RestStorage>>;
  /** Of a custom resource. */
  readonly declared?: DeclaredSchema | undefined;
}

/** Creates the REST storages of a kind; without `server`, those that need other kinds are left out. */
export function newRestStorages(
  kind: KindDefinition,
  store: GenericRegistryStore,
  server?: ServerParts,
): RestStorages {
  const { statusStrategy, scale, newSubresources, deletesCollections = true } = kind;
  return {
    store,
    main: deletesCollections ? store : withoutCollectionDeletion(store),
    status: statusStrategy === undefined ? undefined : new StatusREST(store, statusStrategy),
    scale: scale === undefined ? undefined : new ScaleREST(store, scale),
    others:
      server === undefined ? {} : (newSubresources?.({ ...server, store, statusStrategy }) ?? {}),
    declared: kind.declared,
  };
}

/** The same storages as an `InstalledResource`. */
export function installedResource({
  main,
  status,
  scale,
  others,
  declared,
}: RestStorages): InstalledResource {
  const subresources = new Map<string, RestStorage>();
  if (status !== undefined) subresources.set('status', status);
  if (scale !== undefined) subresources.set('scale', scale);
  for (const [name, storage] of Object.entries(others)) subresources.set(name, storage);
  return declared === undefined ? { main, subresources } : { main, subresources, declared };
}

/** The verbs of a store except `deleteCollection`, which the server itself may still call. */
function withoutCollectionDeletion(store: GenericRegistryStore): RestStorage {
  return {
    describe: store.describe,
    table: store.table,
    withZeros: store.withZeros,
    returnsDeletedObject: store.returnsDeletedObject,
    get: (context, name, options) => store.get(context, name, options),
    list: (context, options) => store.list(context, options),
    scan: (context, options) => store.scan(context, options),
    watch: (context, options) => store.watch(context, options),
    create: (context, object, options) => store.create(context, object, options),
    update: (context, name, update, options) => store.update(context, name, update, options),
    apply: (context, name, configuration, options) =>
      store.apply(context, name, configuration, options),
    delete: (context, name, request) => store.delete(context, name, request),
  };
}
