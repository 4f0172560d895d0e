import type { KubernetesObject, UnstructuredObject } from '../../../meta/object.ts';
import type { ResourceInfo } from '../../../meta/resource.ts';
import type { Status } from '../../../meta/status.ts';
import type { StorageList, StorageWatch } from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';

/** Everything discovery and URLs say about a resource type. */
export interface ResourceDescription extends ResourceInfo {
  /** Lower-case singular, as kubectl accepts it: `deployment`. */
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** The user of a request, and its namespace. */
export interface RequestContext {
  /** Empty for cluster-scoped resources and for lists over all namespaces. */
  readonly namespace: string;
  /** The authenticated user. */
  readonly user: string;
  /** The request's abort signal: the client went away or the time is up. */
  readonly signal?: AbortSignal | undefined;
  /** Takes a text for a `Warning` header. */
  readonly warn: (text: string) => void;
}

export interface ReadOptions {
  readonly resourceVersion?: string | undefined;
}

export interface ListOptions extends ReadOptions {
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact' | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly continueToken?: string | undefined;
}

export interface WatchOptions extends ListOptions {
  readonly allowWatchBookmarks?: boolean | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  readonly deadlineMonotonicMs?: number | undefined;
}

export interface WriteOptions {
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  /** An update creates a missing object even where the kind does not allow it: what server-side apply does. @defaultValue false */
  readonly forceAllowCreate?: boolean | undefined;
}

export interface DeleteRequest {
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly dryRun?: boolean | undefined;
  /**
   * Removes an object that cannot be read, past validation, finalizers and grace period, which may leave behind what depended on
   * it. One that can be read is refused. @defaultValue false
   */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
}

/** Computes the new object from the stored one; runs again after each conflict. Undefined: there is none yet. */
export type UpdateFunc = (
  existing: UnstructuredObject | undefined,
) => UnstructuredObject | Promise<UnstructuredObject>;

/** The result of a write. Bytes are ready to send as they are. */
export type WriteResult = StoredObject<UnstructuredObject>;

/**
 * The REST face of one resource or subresource. All verbs but `describe` are optional; discovery lists exactly those that
 * are there, and the HTTP layer answers 405 for the rest.
 * @see apiserver pkg/registry/rest/rest.go @ 24a394e
 */
export interface RestStorage {
  readonly describe: ResourceDescription;
  /** Column definitions and cells for `kubectl get`. */
  readonly table: TableConvertor;
  get?(context: RequestContext, name: string, options: ReadOptions): Promise<WriteResult>;
  list?(context: RequestContext, options: ListOptions): Promise<StorageList<UnstructuredObject>>;
  watch?(context: RequestContext, options: WatchOptions): Promise<StorageWatch<UnstructuredObject>>;
  /** `object` is private to the call. @throws {ApiError} 400, 403, 404 (namespace), 409, 422. */
  create?(
    context: RequestContext,
    object: UnstructuredObject,
    options: WriteOptions,
  ): Promise<WriteResult>;
  /** `created` tells 201 from 200. @throws {ApiError} 400, 404, 409, 422. */
  update?(
    context: RequestContext,
    name: string,
    update: UpdateFunc,
    options: WriteOptions,
  ): Promise<{ readonly result: WriteResult; readonly created: boolean }>;
  /** `done` is false while finalizers or a grace period keep the object. */
  delete?(
    context: RequestContext,
    name: string,
    request: DeleteRequest,
  ): Promise<{ readonly result: WriteResult; readonly done: boolean }>;
  /** Deletes everything that matches; returns what was deleted. */
  deleteCollection?(
    context: RequestContext,
    options: ListOptions,
    request: DeleteRequest,
  ): Promise<StorageList<UnstructuredObject>>;
}

export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, higher only with `-o wide`. */
  readonly priority: number;
}

export interface TableConvertor {
  readonly columns: readonly TableColumn[];
  /** One cell a column. `nowMs` is the wall clock, for ages. */
  cells(object: KubernetesObject, nowMs: number): readonly (string | number | boolean | null)[];
}

/** One resource with its subresources, as the API serves it under `/apis/GROUP/VERSION/RESOURCE`. */
export interface InstalledResource {
  readonly main: RestStorage;
  /** By name: `status`, `scale`. */
  readonly subresources: ReadonlyMap<string, RestStorage>;
}

/**
 * The resources that the API serves at this moment. Custom resources come and go while it runs.
 */
export interface ResourceRegistry {
  /** Undefined when it is not served. */
  lookup(group: string, version: string, resource: string): InstalledResource | undefined;
  /** Everything that is served, in the order discovery lists it. */
  all(): readonly InstalledResource[];
  /** Changes whenever `all()` does; for the ETag of discovery. */
  readonly generation: number;
}

/** The successful end of a deletion, as the body of its answer. */
export function deletionStatus(
  { group, resource }: Pick<ResourceInfo, 'group' | 'resource'>,
  name: string,
  uid: string | undefined,
): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name,
      ...(group === '' ? {} : { group }),
      kind: resource,
      ...(uid === undefined ? {} : { uid }),
    },
  };
}
