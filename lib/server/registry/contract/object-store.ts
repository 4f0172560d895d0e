import type { UnstructuredObject } from '../../../meta/object.ts';
import type { StorageList } from '../../storage/contract/storage-interface.ts';
import type {
  ApplyOptions,
  DeleteRequest,
  ListOptions,
  ReadOptions,
  RequestContext,
  ResourceDescription,
  TableConvertor,
  UpdateFunc,
  WriteOptions,
  WriteResult,
} from './rest-storage.ts';
import type { UpdateStrategy } from './strategy.ts';

export interface UpdatedObject {
  readonly result: WriteResult;
  readonly created: boolean;
}

/** The stored objects of one kind, for the subresources that work on them. `GenericRegistryStore` is one. */
export interface ObjectStore {
  readonly describe: ResourceDescription;
  readonly table: TableConvertor;
  /** @throws {ApiError} 400, 404. */
  get(context: RequestContext, name: string, options?: ReadOptions): Promise<WriteResult>;
  list(context: RequestContext, options?: ListOptions): Promise<StorageList<UnstructuredObject>>;
  /** @throws {ApiError} 400, 403, 404, 409, 422. */
  create(
    context: RequestContext,
    object: UnstructuredObject,
    options?: WriteOptions,
  ): Promise<WriteResult>;
  /**
   * Stores a new object of the server itself as it is, with what only the server sets: without rules, hooks and admission, in a
   * fraction of the time of a creation. @throws {ApiError} 409.
   */
  seed(object: UnstructuredObject): Promise<void>;
  /** Updates with a strategy that is not that of the object itself. @throws {ApiError} 400, 404, 409, 422. */
  updateThrough(
    strategy: UpdateStrategy,
    context: RequestContext,
    name: string,
    update: UpdateFunc,
    options?: WriteOptions,
  ): Promise<UpdatedObject>;
  /** The apply of a subresource. @throws {ApiError} 400, 404, 409 for fields of other managers, 422. */
  applyThrough(
    strategy: UpdateStrategy,
    context: RequestContext,
    name: string,
    configuration: UnstructuredObject,
    options?: ApplyOptions,
  ): Promise<UpdatedObject>;
  /** @throws {ApiError} 400, 403, 404, 409. */
  delete(
    context: RequestContext,
    name: string,
    request?: DeleteRequest,
  ): Promise<{ readonly result: WriteResult; readonly done: boolean }>;
}
